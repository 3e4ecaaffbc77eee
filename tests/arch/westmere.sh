#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# knc-pmuctl on an emulated Westmere, and Linux's own driver beside it: westmere.sh [icount]
#
# icount: only the uncore's clock, with knc-vm's default: time advances with executed instructions
#
# N times {dec, jnz} are 2 N instructions and N branches (tests/card/prog/loop.S).
cd "$(dirname "$0")/../card/guest" || exit 1
# shellcheck source=tests/card/guest/lib.sh
. ./lib.sh
# shellcheck source=tests/arch/lib.sh
. ../../arch/lib.sh

if [ "$1" = icount ]; then
	"$ctl" stat -e uncore/CLK_UNHALTED/ -- "$loop" 100000000 >/dev/null 2>"$out"
	# twice the time stamp counter's rate: here its tick is one instruction, and one nanosecond
	has uncore.clock "$(cat "$out")" '^ +[1-9][0-9]* +CLK_UNHALTED .*# (1\.99|2\.00)[0-9] G/sec$'
	exit $failed
fi

has info "$("$ctl" info 2>&1)" '^PMU +westmere: 4 counters and 3 fixed ones, of each hardware thread'
has regs "$("$ctl" regs -C 0 2>&1)" 'MSR_OFFCORE_RSP_1 +0x1a7 0x[0-9a-f]{16}  requests=0x00  responses=0x00$'
has regs.fields "$("$ctl" regs -C 0 2>&1)" '^  IA32_FIXED_CTR_CTRL .* OS0=0  USR0=0 .* PMI2=0$'
equal regs.numbers "$("$ctl" regs -C 0 | grep -c '^  [^ ]* *0x[0-9a-f]* *0x[0-9a-f]* *[0-9]*$')" 18
text=$("$ctl" stat -o /dev/null -e uncore/QMC_NORMAL_READS.ANY/,uncore/CLK_UNHALTED/ -C 5 -- "$ctl" regs -C 6)
has regs.uncore "$text" '^  UNCORE_PERFEVTSEL0 +0x3c0 .* EN=1 .*\(QMC_NORMAL_READS.ANY\)$'
has regs.uncore-ctrl "$text" '^  UNCORE_PERF_GLOBAL_CTRL .* EN_PC0=1  EN_PC1=0 .* EN_FC0=1 '
has regs.uncore-status "$text" '^  UNCORE_PERF_GLOBAL_STATUS .* OVF_FC0=0  OVF_PMI=0  CHG=0$'
# the cores of both packages have the same numbers
"$ctl" stat -a --per-core -x, -e instructions -- true >/dev/null 2>"$out"
equal per-core.packages "$(grep -oE '^S[0-9]-C[0-9],' "$out" | sort | tr -d '\n')" 'S0-C0,S0-C1,S1-C0,S1-C1,'
"$ctl" top -b -n 1 -d 0.2 >"$out" 2>&1
equal top.packages "$(grep -oE 'S[0-9]-C[0-9]\.[0-9]' "$out" | sort -u | wc -l)" "$(nproc --all)"
has doctor "$("$ctl" doctor 2>&1)" '^cpu +ok +a host \(family 6 model 44\) with PMUs westmere and uncore$'
has list "$("$ctl" list L2_RQSTS.LD_MISS 2>&1)" '^L2_RQSTS.LD_MISS .* modelled '
has info.uncore "$("$ctl" info 2>&1)" '^PMU +uncore: 8 counters and 1 fixed ones, of each package'
has list.uncore "$("$ctl" list --pmu uncore QMC_NORMAL 2>&1)" '^QMC_NORMAL_READS.ANY .* package +modelled '
added stat.instructions INST_RETIRED.ANY_P:u INST_RETIRED.ANY_P:u 2000000
added stat.branches BR_INST_RETIRED.ALL_BRANCHES:u,instructions:u BR_INST_RETIRED.ALL_BRANCHES:u 1000000
added stat.papi PAPI_TOT_INS:u,PAPI_LD_INS:u,iTLB-loads:u PAPI_TOT_INS:u 2000000
added stat.perf PAPI_TOT_INS:u,PAPI_LD_INS:u,iTLB-loads:u iTLB-loads:u 2000000
"$ctl" stat -e PAPI_BR_INS -- "$loop" 1000 >/dev/null 2>"$out"
has stat.papi-executed "$(cat "$out")" 'not supported>: the emulated host never counts these'
has list.names "$("$ctl" list papi 2>&1)" '^MEM_INST_RETIRED.LOADS .* L1-dcache-loads, dTLB-loads, PAPI_LD_INS$'
for name in loads:MEM_INST_RETIRED.LOADS stores:MEM_INST_RETIRED.STORES dcm:L1D.REPL dtlbm:DTLB_MISSES.ANY \
	icm:L1I.MISSES itlbm:ITLB_MISSES.ANY l3m:MEM_LOAD_RETIRED.LLC_MISS l3m_spec:LLC_MISSES; do
	has "list.${name%:*}" "$("$ctl" list --collect 2>&1)" \
		"^    ${name%:*}\\[.*\\],<interval> \\(\`[^']*', alias for ${name#*:}; "
done
has list.collect "$("$ctl" list --collect 2>&1)" '^    PAPI_L3_TCM\[/\{0\|1\|2\|3\}\],<interval> \(PAPI, alias for LLC_MISSES; '
added stat.raw r01c0:u r01c0:u 2000000
# cores have turbo, so that only reference cycles take constant time
"$ctl" stat -e cycles:u,ref-cycles:u,bus-cycles:u,instructions:u -- "$loop" 3000000 >/dev/null 2>"$out"
has seconds.ref "$(cat "$out")" ' ref-cycles:u .*[0-9] s( |$)'
lacks seconds.others "$(cat "$out")" ' (cycles|bus-cycles|instructions):u .*[0-9] s( |$)' ' bus-cycles:u'
"$ctl" record -e cycles:u@100003,ref-cycles:u@100003 -o "$TMPDIR/data" -- "$loop" 3000000 >/dev/null 2>&1
text=$("$ctl" report -i "$TMPDIR/data")
has seconds.report "$text" ' samples of FIXED_REFERENCE_CYCLES:u, [0-9]+ cycles: [0-9.]+ s at '
has seconds.report-others "$text" ' samples of UNHALTED_CORE_CYCLES:u, [0-9]+ cycles$'
equal seconds.report-columns "$(grep -c ' seconds ' <<<"$text")" 1
# more events than counters: in turns
"$ctl" stat -e LLC_MISSES,LLC_REFERENCES,L2_RQSTS.MISS,L1I.MISSES,DTLB_MISSES.ANY,instructions \
	-- "$loop" 3000000 >/dev/null 2>"$out"
equal stat.turns "$(grep -cE '\([0-9.]+%\)' "$out")" 6
"$ctl" stat -e UOPS_ISSUED.ANY -- "$loop" 1000 >/dev/null 2>"$out"
has stat.not-emulated "$(cat "$out")" 'not supported>: the emulated host never counts these'
"$ctl" stat -e '{OFFCORE_RESPONSE.ANY_DATA.ANY_LLC_MISS,OFFCORE_RESPONSE.ANY_RFO.ANY_LLC_MISS}' \
	-- "$loop" 1000 >/dev/null 2>"$out"
has stat.second-words "$(cat "$out")" 'second words need the same register'
"$ctl" stat -e L1D.REPL/2 -- "$loop" 1000 >/dev/null 2>"$out"
has stat.counter "$(cat "$out")" "counter 2 can't count it"
"$ctl" stat -e instructions:x -- "$loop" 1000 >/dev/null 2>"$out"
has stat.no-word "$(cat "$out")" 'needs the event.s second word'
# the uncore: a row for each package
"$ctl" stat --per-cpu -e uncore/QMC_NORMAL_READS.ANY/,uncore/CLK_UNHALTED/ -- "$loop" 1000 >/dev/null 2>"$out"
equal uncore.rows "$(grep -cE '^CPU[04] +[1-9][0-9]* +CLK_UNHALTED' "$out")" 2
"$ctl" stat -e uncore/QMC_NORMAL_READS.ANY/,uncore/CLK_UNHALTED/ -- "$loop" 1000 >/dev/null 2>"$out"
has uncore.sum "$(cat "$out")" '^ +[1-9][0-9]* +CLK_UNHALTED'
"$ctl" stat -e uncore/QMC_OCCUPANCY.CH0/ -- "$loop" 1000 >/dev/null 2>"$out"
has uncore.not-emulated "$(cat "$out")" 'not supported>: the emulated host never counts these'
"$ctl" stat -e uncore/CLK_UNHALTED/:u -- "$loop" 1000 >/dev/null 2>"$out"
has uncore.ring "$(cat "$out")" 'the uncore counts in all rings'
"$ctl" stat -e uncore/CLK_UNHALTED/,instructions -- "$loop" 1000 >/dev/null 2>"$out"
has uncore.mixed "$(cat "$out")" 'all events are of one PMU'
"$ctl" stat -p 1 -e uncore/CLK_UNHALTED/ >/dev/null 2>"$out"
has uncore.task "$(cat "$out")" 'events of the uncore are of whole packages'
"$ctl" record -e uncore/CLK_UNHALTED/ -o "$TMPDIR/data" -- "$loop" 1000 >"$out" 2>&1
has uncore.record "$(cat "$out")" 'only stat counts its events'
# metrics: computed again from the counts beside them; as many events as counters
"$ctl" stat -M cpi,branch_mispredict_ratio,llc_miss_ratio -- "$KNC_TEST_BUILD/caches" 3 >/dev/null 2>"$out"
metric metric.cpi cpi a/b UNHALTED_CORE_CYCLES INSTRUCTION_RETIRED
metric metric.branches branch_mispredict_ratio '100*a/b' MISPREDICTED_BRANCH_RETIRED BRANCH_INSTRUCTIONS_RETIRED
metric metric.llc llc_miss_ratio '100*a/b' LLC_MISSES LLC_REFERENCES
"$ctl" stat -M l2_miss_rate,dtlb_miss_rate,itlb_miss_rate -- "$KNC_TEST_BUILD/caches" 3 >/dev/null 2>"$out"
metric metric.l2 l2_miss_rate a/b L2_RQSTS.MISS INSTRUCTION_RETIRED
metric metric.dtlb dtlb_miss_rate a/b DTLB_MISSES.ANY INSTRUCTION_RETIRED
metric metric.itlb itlb_miss_rate a/b ITLB_MISSES.ANY INSTRUCTION_RETIRED
"$ctl" stat -M l2_miss_ratio,cpi -- "$loop" 1000 >/dev/null 2>"$out"
has metric.lacks "$(cat "$out")" 'l2_miss_ratio: it needs L2_RQSTS.REFERENCES, which the emulated host lacks$'
# 40 times 2 MB are read by lines, and 64 KB written, with a cache of 512 KB; others read and write
# too
"$ctl" stat -M uncore/l3_miss_ratio/,uncore/bytes_read/,uncore/bytes_written/ --pin 0 \
	-- "$KNC_TEST_BUILD/caches" 40 >/dev/null 2>"$out"
metric uncore.miss-ratio l3_miss_ratio '100*a/(a+b)' LLC_MISS.ANY LLC_HITS.ANY
metric uncore.bytes-read bytes_read 'a*64/1e6' QMC_NORMAL_READS.ANY
metric uncore.bytes-written bytes_written 'a*64/1e6' QMC_WRITES.FULL_ANY
within uncore.caches.miss-ratio "$(value_of l3_miss_ratio)" 75 100
within uncore.caches.read "$(value_of bytes_read)" 83.8 420
within uncore.caches.written "$(value_of bytes_written)" 2.6 260
"$ctl" stat --per-cpu -G uncore/memory/ -- "$loop" 1000 >/dev/null 2>"$out"
equal uncore.group-rows "$(grep -cE '^CPU[04] +[0-9.e-]+ +memory_bandwidth +GB/s$' "$out")" 2
has uncore.metric-list "$("$ctl" list metrics --pmu uncore 2>&1)" '^l3_miss_ratio +1 % +part of'
"$ctl" stat -M l3_miss_ratio -- true 2>"$out"
has uncore.metric-elsewhere "$(cat "$out")" "unknown metric 'l3_miss_ratio': PMU uncore has one: .*uncore/l3_miss_ratio/"
has uncore.help-elsewhere "$("$ctl" help l3_miss_ratio 2>&1)" 'PMU uncore has one'
"$ctl" stat -e instructions -M uncore/l3_miss_ratio/ -- true 2>"$out"
has uncore.metric-mixed "$(cat "$out")" "of one PMU, and 'uncore/l3_miss_ratio/' is not of PMU westmere"
"$ctl" stat -e instructions -e uncore/CLK_UNHALTED/ -- true 2>"$out"
has uncore.event-mixed "$(cat "$out")" "of one PMU, and 'uncore/CLK_UNHALTED/' is not of PMU westmere"
"$ctl" stat -e uncore/CLK_UNHALTED/ -e arch/INSTRUCTION_RETIRED/ -- true 2>"$out"
has uncore.then-arch "$(cat "$out")" "of one PMU, and 'arch/INSTRUCTION_RETIRED/' is not of PMU uncore"
# another session has the uncore: its first interval shows that it is counting
"$ctl" stat -I 100 -a -e uncore/CLK_UNHALTED/ >/dev/null 2>"$TMPDIR/held" &
until_true grep -q CLK_UNHALTED "$TMPDIR/held"
"$ctl" stat -e uncore/CLK_UNHALTED/ -- true >/dev/null 2>"$out"
has uncore.busy "$(cat "$out")" 'uncore of the package of CPU 0 belongs to a session of pid'
kill $!
wait $! 2>/dev/null
"$ctl" record -o "$TMPDIR/data" -e INST_RETIRED.ANY_P:u@100003 -- "$loop" 20000000 >"$out" 2>&1
has record "$(cat "$out")" '399 samples of INST_RETIRED.ANY_P:u in loop'
# a recording of as many events as counters, shown by every command that reads recordings
five=(INST_RETIRED.ANY_P branches loads cycles instructions)
"$ctl" record -g -o "$TMPDIR/data" -e "$(printf '%s:u@100003,' "${five[@]}")LLC_REFERENCES:u@1000003" \
	-- "$loop" 20000000 >"$out" 2>&1
has record.six "$(cat "$out")" ' samples of INST_RETIRED.ANY_P:u, BRANCH_INSTRUCTIONS_RETIRED:u, .* in loop written'
text=$("$ctl" script -i "$TMPDIR/data")
equal record.six.script "$(grep -c ' 100003 INST_RETIRED.ANY_P:u: ' <<<"$text") $(grep -c ' 100003 BRANCH_INSTRUCTIONS_RETIRED:u: ' <<<"$text") $(grep -c ' 100003 INSTRUCTION_RETIRED:u: ' <<<"$text")" \
	'399 199 399'
text=$("$ctl" report --json -i "$TMPDIR/data")
equal record.six.report "$(grep -cE '^ *"event": ' <<<"$text")" 6
text=$("$ctl" report -i "$TMPDIR/data" --sort symbol | sed -nE 's/^ +[0-9.]+% .*\[\.\] ([^ ]+).*/\1/p' | head -n 1)
has record.six.annotate "$("$ctl" report --annotate "$text" -i "$TMPDIR/data" 2>&1)" ' INSTRUCTION_RETIRED:u'
"$ctl" report --html "$TMPDIR/page" -i "$TMPDIR/data" >/dev/null 2>&1
equal record.six.html "$? $(grep -c '</html>' "$TMPDIR/page")" '0 1'
"$ctl" diff "$TMPDIR/data" "$TMPDIR/data" >"$out" 2>&1
equal record.six.diff-status "$?" 0
has record.six.diff "$(cat "$out")" '^old +.*data: .*loop'
has record.too-many "$("$ctl" record -e "$(printf 'r%02x01:u,' {1..7})r0801:u" -- true 2>&1)" 'event list: .* 7'
"$ctl" record -a --tbs 1 -o "$TMPDIR/data" -e cycles,instructions,branches,loads -- "$loop" 2000000 >"$out" 2>&1
text=$("$ctl" timeline -i "$TMPDIR/data")
equal record.timeline "$(cut -d, -f4 <<<"$text" | sort -u | grep -vc event)" 4
"$ctl" timeline --svg "$TMPDIR/svg" -i "$TMPDIR/data" >/dev/null 2>&1
equal record.timeline-svg "$? $(grep -c '<text class="event"' "$TMPDIR/svg")" '0 4'

# shown COMMAND...: a test: a command of the documents succeeds; its output is in $out
shown()
{
	"$ctl" "$@" >"$out" 2>&1
	equal "shown.$*" $? 0
}

# A round of caches reads 32,768 lines that miss in the L3 of 512 KB; the kernel adds few. It stays
# on a core: where it has been, the last lines would remain, and hit.
caches=(taskset -c 2 "$KNC_TEST_BUILD/caches")
# misses NAME EVENT ROUNDS: a test of the count in $out; clearing the memory is another round
misses()
{
	within "$1" "$(count_of "$2")" $((32768 * $3)) $((32768 * ($3 + 4)))
}

cd "$TMPDIR" || exit 1
shown info
equal shown.pmus "$(grep -oE '^PMU +(westmere|uncore): ' "$out" | tr -d ' \n')" PMUwestmere:PMUuncore:
shown regs -C 0
shown stat -e r01c0:u:e:i:c=1 -- "$loop" 1000
# no cycle is without an instruction; every second instruction is a branch
equal shown.no-edge "$(count_of r01c0:u:e:i:c=1)" 0
added shown.edges r00c4:u:e:c=1,r01c0:u:c=1 r00c4:u:e:c=1 1000000
added shown.cmask r00c4:u:e:c=1,r01c0:u:c=1 r01c0:u:c=1 2000000
shown stat -e r01bb:x=0xf811 -- "$loop" 1000
has shown.offcore "$(cat "$out")" 'not supported>: the emulated host never counts these'
shown stat -e uncore/CLK_UNHALTED/ -- "$loop" 10000000
# twice the time stamp counter's 1.1 GHz, of two packages, less what runs outside of the session
has shown.clock "$(cat "$out")" '^ +[1-9][0-9]* +CLK_UNHALTED .*# 4\.(39|40)[0-9] G/sec$'
shown stat -e uncore/GC_OCCUPANCY.READ_TRACKER/ -- "$loop" 1000
has shown.occupancy "$(cat "$out")" 'not supported>: the emulated host never counts these'
shown stat -I 100 -a -e uncore/CLK_UNHALTED/ -- sleep 1
within shown.intervals "$(grep -cE '^ +[0-9.]+ +[1-9][0-9]* +CLK_UNHALTED .*# [0-9.]+ G/sec$' "$out")" 10 12
# an interval's own rate depends on what delays the tool between its clock and the counters
within shown.intervals-rate "$(awk '$3 == "CLK_UNHALTED" { sum += $2; time = $1 } END { print sum / time / 1e9 }' "$out")" 4.3 4.5
shown stat -I 1000 -e uncore/CLK_UNHALTED/,uncore/LLC_MISS.ANY/ -- "$loop" 1000
shown stat --per-cpu -a -I 1000 -e uncore/LLC_HITS.ANY/,uncore/LLC_MISS.ANY/ -- "$loop" 1000
equal shown.per-cpu "$(grep -cE '^ +[0-9.]+ +CPU[04] +[0-9]+ +LLC_(HITS|MISS)\.ANY ' "$out")" 4
shown stat -e uncore/LLC_HITS.ANY/,uncore/LLC_MISS.ANY/ -- "${caches[@]}" 40
misses shown.l3 LLC_MISS.ANY 40
shown stat -M uncore/l3_miss_ratio/,uncore/bytes_read/ -- "${caches[@]}" 40
metric shown.ratio l3_miss_ratio '100*a/(a+b)' LLC_MISS.ANY LLC_HITS.ANY
metric shown.bytes bytes_read 'a*64/1e6' QMC_NORMAL_READS.ANY
shown stat -G uncore/memory/ -- "${caches[@]}" 40
misses shown.memory QMC_NORMAL_READS.ANY 40
within shown.bandwidth "$(awk '$2 ~ /^QMC_/ { lines += $1 } $2 == "memory_bandwidth" { rate = $1 }
	/ seconds elapsed/ { print rate * $1 / (lines * 64 / 1e9) }' "$out")" 0.9 1.1
shown stat --per-cpu -a -I 1000 -G uncore/memory/ -- "$loop" 1000
shown stat -e uncore/QMC_NORMAL_READS.ANY/,uncore/QMC_WRITES.FULL_ANY/ -- "${caches[@]}" 40
misses shown.reads QMC_NORMAL_READS.ANY 40
shown stat -e LLC_REFERENCES,LLC_MISSES -- "${caches[@]}" 40
misses shown.references LLC_REFERENCES 40
misses shown.misses LLC_MISSES 40
shown stat -e arch/LLC_MISSES/ -- "${caches[@]}" 40
misses shown.arch LLC_MISSES 40
shown stat -M arch/cpi/ -- "$loop" 1000
metric shown.cpi cpi a/b UNHALTED_CORE_CYCLES INSTRUCTION_RETIRED
shown stat -r 3 -e LLC_MISSES -- "${caches[@]}" 40
misses shown.mean LLC_MISSES 40
has shown.runs "$(cat "$out")" ', mean \+- standard deviation of 3 runs'
shown record -e cycles:u@1000003 -- "$loop" 10000000
has shown.samples "$(cat "$out")" ' (19|20) samples of UNHALTED_CORE_CYCLES:u in loop written'
exit $failed
