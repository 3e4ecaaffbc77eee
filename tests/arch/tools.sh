#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# knc-pmuctl on an emulated host with the architectural PMU: tools.sh VERSION
#
# N times {dec, jnz} are 2 N instructions and N branches (tests/card/prog/loop.S).
cd "$(dirname "$0")/../card/guest" || exit 1
# shellcheck source=tests/card/guest/lib.sh
. ./lib.sh
# shellcheck source=tests/arch/lib.sh
. ../../arch/lib.sh

if [ "$1" = 1 ]; then
	# the module refuses version 1, and says why
	has refused "$(insmod "$KNC_MODULE" 2>&1; dmesg)" \
		'knc_pmu: this CPU .* is no host whose PMU has global registers \(CPUID leaf 0xA: version 1'
	has doctor "$("$ctl" doctor 2>&1)" '^cpu +failed +family 6 model [0-9]+ is not a Knights Corner, and module knc_pmu refuses it'
	exit $failed
fi

has info "$("$ctl" info 2>&1)" '^ *counters +4 of 48 bits and 3 fixed ones of 48 bits on each of 2 threads'
has regs "$("$ctl" regs -C 0 2>&1)" 'IA32_FIXED_CTR_CTRL'
has list "$("$ctl" list 2>&1)" '^INSTRUCTION_RETIRED '
added stat.instructions instructions:u,branches:u instructions:u 2000000
added stat.branches instructions:u,branches:u branches:u 1000000
added stat.papi PAPI_TOT_INS:u,PAPI_BR_INS:u,PAPI_REF_CYC:u PAPI_TOT_INS:u 2000000
added stat.papi-branches PAPI_TOT_INS:u,PAPI_BR_INS:u,PAPI_REF_CYC:u PAPI_BR_INS:u 1000000
stat_loop 1000000 bus-cycles:u,PAPI_REF_CYC:u,insts:u
equal stat.names "$(grep -cE '^ +[1-9][0-9]+ +(bus-cycles|PAPI_REF_CYC|insts):u' "$out")" 3
has list.names "$("$ctl" list 2>&1)" '^BRANCH_INSTRUCTIONS_RETIRED .* branches, branch-instructions, PAPI_BR_INS$'
has list.collect "$("$ctl" list --collect 2>&1)" '^    PAPI_TOT_CYC\[/\{0\|1\|2\|3\}\],<interval> \(PAPI, alias for UNHALTED_CORE_CYCLES; '
added stat.default UNHALTED_CORE_CYCLES:u,INSTRUCTION_RETIRED:u INSTRUCTION_RETIRED:u 2000000
stat_loop 1000 instructions:u,branches:u,cycles:u,ref-cycles:u,branches:k,instructions:k,cycles:k
lacks stat.seven "$(cat "$out")" '\([0-9.]*%\)' ' cycles:k'
stat_loop 1000 cache-misses:u
has stat.missing "$(cat "$out")" 'event cache-misses:u|LLC_MISSES:u: this CPU does not have it'
"$ctl" stat -- "$loop" 1000 >/dev/null 2>"$out"
has stat.plain "$(cat "$out")" ' INSTRUCTION_RETIRED +# [0-9.]+ CPI$'

# metrics: computed again from the counts beside them
"$ctl" stat -M cpi,ipc,branch_mispredict_ratio,llc_miss_ratio -- "$loop" 1000000 >/dev/null 2>"$out"
metric metric.cpi cpi a/b UNHALTED_CORE_CYCLES INSTRUCTION_RETIRED
metric metric.ipc ipc a/b INSTRUCTION_RETIRED UNHALTED_CORE_CYCLES
metric metric.branches branch_mispredict_ratio '100*a/b' MISPREDICTED_BRANCH_RETIRED BRANCH_INSTRUCTIONS_RETIRED
has metric.lacks "$(cat "$out")" 'llc_miss_ratio: it needs LLC_MISSES and LLC_REFERENCES, which this CPU lacks$'
"$ctl" stat -M llc_miss_ratio -- touch "$TMPDIR/ran" 2>"$out"
equal metric.lacks-all $? 1
has metric.lacks-reason "$(cat "$out")" 'metric llc_miss_ratio needs LLC_MISSES and LLC_REFERENCES, which this CPU lacks'
equal metric.lacks-not-run "$(stat -c %n "$TMPDIR/ran" 2>/dev/null)" ""
has metric.lacks-list "$("$ctl" list metrics 2>&1)" '^llc_miss_ratio +1 % +not on this CPU: '
# metrics of known programs: a cycle is an instruction or a data access; 1 of 4 branches mispredicts
cat >"$TMPDIR/user.json" <<'METRICS'
{"version": 1, "pmu": "arch", "metrics": [
{"name": "user_cpi", "title": "cpi in user mode", "source": "none", "unit": "cycles/instruction",
 "formula": "UNHALTED_CORE_CYCLES:u / INSTRUCTION_RETIRED:u"},
{"name": "user_ratio", "title": "mispredicted in user mode", "source": "none", "unit": "%",
 "formula": "MISPREDICTED_BRANCH_RETIRED:u / BRANCH_INSTRUCTIONS_RETIRED:u"}]}
METRICS
user=(--metrics "$TMPDIR/user.json" -M user_cpi -M user_ratio)
"$ctl" stat "${user[@]}" -- "$loop" 10000000 >/dev/null 2>"$out"
within metric.loop.cpi "$(value_of user_cpi)" 1 1.0001
within metric.loop.branches "$(value_of user_ratio)" 0 0.001
"$ctl" stat "${user[@]}" -- "$KNC_TEST_BUILD/copy" 1000000 >/dev/null 2>"$out"
within metric.copy.cpi "$(value_of user_cpi)" 1.499 1.501
"$ctl" stat "${user[@]}" -- "$KNC_TEST_BUILD/alternate" 1000000 >/dev/null 2>"$out"
within metric.alternate.branches "$(value_of user_ratio)" 24.99 25.01
# groups whose metrics are "together": their five events are not multiplexed
"$ctl" stat -G cpi,branches,active -- "$loop" 1000000 >/dev/null 2>"$out"
equal metric.groups "$(grep -cE '\([0-9.]+%\)' "$out") $(value_of clock_ratio)" "0 1"
"$ctl" record -o "$TMPDIR/data" -e PAPI_TOT_INS:u,100003 -- "$loop" 20000000 >"$out" 2>&1
has record.papi "$(cat "$out")" '399 samples of INSTRUCTION_RETIRED:u in loop'
"$ctl" record -o "$TMPDIR/data" -e instructions:u@100003 -- "$loop" 200000000 >"$out" 2>&1
has record "$(cat "$out")" '3999 samples of INSTRUCTION_RETIRED:u in loop'
has record.pmu "$(head -c 4096 "$TMPDIR/data" | tr -d '\0')" '"pmu": *"arch"'
has report "$("$ctl" report -i "$TMPDIR/data" 2>&1)" '(99\.[0-9]+|100\.00)%.* work '
"$ctl" record -o "$TMPDIR/data" -e instructions:u@100003,cycles:u@100003 -- "$loop" 20000000 >"$out" 2>&1
"$ctl" report -i "$TMPDIR/data" --html "$TMPDIR/page.html" >"$out" 2>&1
has report.html "$(cat "$out" "$TMPDIR/page.html")" 'core cycles per instruction'
"$ctl" reset -a >"$out" 2>&1
equal reset "$?" 0

# LIKWID 5.2.2 has no table of this model's counters: init_maps of its perfmon.c, line 1162
has likwid.unsupported "$(likwid-perfctr -M 0 -C 0 -g INSTR_RETIRED_ANY:FIXC0 "$loop" 1 2>&1)" \
	'perfmon_init_maps:[0-9]+\] Unsupported Processor'

"$ctl" doctor >"$out" 2>&1
has doctor.cpu "$(cat "$out")" '^cpu +ok +a host \(family 6 model [0-9]+\) with PMU arch$'
has doctor.count "$(cat "$out")" '^count +ok +2[0-9]{4} instructions of this program were counted$'
has doctor.all "$(cat "$out")" '^[0-9]+ ok, .* 0 failed$'
rmmod knc_pmu
"$ctl" doctor >"$out" 2>&1
equal doctor.without $? 1
has doctor.host "$(cat "$out")" "^cpu +failed +family 6 .* architectural PMU of version $1: .* PMU=arch$"
has doctor.mend "$(cat "$out")" '^ +make module PMU=arch && insmod knc_pmu.ko$'
has doctor.module "$(cat "$out")" "^module +not checked +not loaded, and refuses to be if it is a card's: see cpu$"
insmod "$KNC_MODULE"
has doctor.again "$("$ctl" doctor 2>&1)" '^cpu +ok '
exit $failed
