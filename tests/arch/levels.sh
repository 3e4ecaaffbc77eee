#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# shellcheck disable=SC2016,SC2317 # text for awk and other shells, functions by name
#
# knc-pmuctl and levels on an emulated Haswell-EP with two packages of two hardware threads
cd "$(dirname "$0")/../card/guest" || exit 1
# shellcheck source=tests/card/guest/lib.sh
. ./lib.sh
# shellcheck source=tests/card/guest/tmux.sh
. ./tmux.sh

ctl=$KNC_PMUCTL
loop=$KNC_TEST_BUILD/loop
out=$TMPDIR/out
level=cmt/llc_occupancy/

# A command that brings in about 300 KB and then runs for half a second
program=(sh -c 'text=$(head -c 200000 /dev/zero | tr "\0" x); sleep 0.5; : "$text"')

# row CPU: print least, mean, most and percent of the CPU's L3
row()
{
	awk -v cpu="$1" 'NF > 2 && $(NF - 1) == "CPU" && $NF == cpu && /%/ { gsub(",", ""); print $1, $2, $3, $4 }' "$out"
}

# figures NAME CPU: a test: least <= mean <= most, multiples of 4096, and the share of 2 MB is right
figures()
{
	equal "$1" "$(row "$2" | awk '{
		share = 100 * $2 / (2 * 1024 * 1024)
		print ($1 <= $2 && $2 <= $3 && $1 % 4096 == 0 && $3 % 4096 == 0 && $3 >= 200000 &&
		       $4 - share < 0.01 && share - $4 < 0.01) ? "right" : $0
	}')" right
}

# inject BYTE: set the highest byte, in hex, that IA32_QM_CTR of the first package returns
inject()
{
	printf '%b' "\\0\\0\\0\\0\\0\\0\\0\\x$1" |
		dd of=/dev/cpu/0/msr bs=8 seek=1263420161 oflag=seek_bytes conv=notrunc 2>/dev/null
}
export -f inject

# rmid BYTE: write this RMID, in hex, to CPU 0, as another program might
rmid()
{
	printf '%b' "\\x$1\\0\\0\\0\\0\\0\\0\\0" |
		dd of=/dev/cpu/0/msr bs=8 seek=$((0xc8f)) oflag=seek_bytes conv=notrunc 2>/dev/null
}
export -f rmid

# LIKWID 5.2.2 needs the uncore, which is on PCI, to count on a Haswell-EP. It takes ten seconds to
# say that.
[ -z "${KNC_TEST_LONG-}" ] ||
	has likwid.no-pci "$(likwid-perfctr -M 0 -C 0 -g INSTR_RETIRED_ANY:FIXC0 "$loop" 1 2>&1)" \
		'perfmon_init:[0-9]+\] Cannot get access to performance counters'
has info "$("$ctl" info 2>&1)" '^cache monitoring  cmt: 31 RMIDs; L3 of 2097152 bytes, in steps of 4096$'
has info.json "$("$ctl" info --json | tr -d ' \n')" '"cmt":\{"rmids":31,"l3_bytes":2097152,"unit":4096\}'
has regs "$("$ctl" regs -C 0 2>&1)" '^  IA32_PQR_ASSOC +0xc8f 0x[0-9a-f]{16}  RMID=0x00  COS=0x00$'
has doctor "$("$ctl" doctor 2>&1)" '^cpu +ok +a host .* with PMUs arch and cmt$'
has list "$("$ctl" list --pmu cmt 2>&1)" '^cmt/llc_occupancy/  bytes of an L3'
has list.json "$("$ctl" list --pmu cmt --json | tr -d ' \n')" '"levels":\[\{"name":"cmt/llc_occupancy/"'

"$ctl" stat -e $level --pin 0 -- "${program[@]}" 2>"$out"
equal command.status "$?" 0
has command.head "$(<"$out")" "^ Level of 'sh -c"
figures command 0
"$ctl" stat -e $level -- sh -c 'exit 3' 2>"$out"
equal command.fails "$?" 3

"$ctl" stat -e $level -C 2,3 -I 100 -o "$out" -- taskset 8 "${program[@]}"
figures cpus 2
has cpus.intervals "$(<"$out")" '^ +[0-9]+\.[0-9]{9} +[0-9,]+  cmt/llc_occupancy/ of CPU 2$'
has cpus.readings "$(<"$out")" '^ bytes, in steps of 4,?096; [0-9]+ readings$'
equal cpus.others "$(row 0)" ''

"$ctl" stat -e $level -C 2 --json -I 100 -o "$out" -- taskset 4 "${program[@]}"
has json.interval "$(<"$out")" '^\{"schema":"knc-pmuctl-level/1","type":"interval","level":"cmt/llc_occupancy/","time":[0-9.]+,"l3":\[\{"cpu":2,"bytes":[0-9]+\}\]\}$'
has json.total "$(<"$out")" '"type":"total",.*"unit":4096,"l3_bytes":2097152,"partial":false,"l3":\[\{"cpu":2,"readings":[1-9][0-9]*,"missing":0,"least":[0-9]+,"mean":[0-9.]+,"most":[0-9]{6,},"share":0\.[0-9]+\}\],"exit_status":0\}$'

# csv COLUMN...: print these columns, without the time, of the first line for CPU 2
csv()
{
	awk -F, -v columns="$*" '{ sub(/^[0-9]+\.[0-9]+,/, "") }
		$1 == "CPU2" {
			n = split(columns, column, " ")
			for (i = 1; i <= n; i++)
				printf "%s%s", $column[i], i < n ? "," : "\n"
			exit
		}' "$out"
}

# right_csv NAME FIELDS WHERE: a test: each line has so many FIELDS, "level" at its end, and fulfils
# awk's condition WHERE. w, s: bytes, and the error of the share
right_csv()
{
	equal "$1" "$(awk -F, -v fields="$2" '
		{ w = $(fields == 8 ? 3 : 2); s = $(fields == 8 ? 6 : 5) - 100 * w / 2097152 }
		NF != fields || $NF != "level" || s > 0.01 || s < -0.01 || !('"$3"') { wrong = $0 }
		END { print wrong ? wrong : NR ? "right" : "nothing" }' "$out")" right
}

"$ctl" stat -x, -e $level -C 0,2 -o "$out" -- taskset 4 "${program[@]}"
right_csv csv 11 '$6 <= w && w <= $7 && $6 % 4096 == 0 && $7 % 4096 == 0 && $8 >= 1'
equal csv.l3s "$(cut -d, -f1 "$out" | paste -sd,)" CPU0,CPU2
equal csv.names "$(csv 3 4 9 10 11)" "bytes,$level,0,,level"
equal csv.most "$(($(csv 7) >= 200000))" 1
"$ctl" stat -x, -I 50 -e $level -C 2 -o "$out" -- taskset 4 "${program[@]}"
right_csv csv.intervals 8 '$1 > time && w % 4096 == 0 && (time = $1)'
equal csv.intervals.names "$(csv 1 3 4 6 7)" "CPU2,bytes,$level,,level"
equal csv.intervals.most "$(awk -F, '$3 >= 200000 { n = 1 } END { print n }' "$out")" 1
"$ctl" stat -x/ -e $level -C 2 -o "$out" -- true
has csv.separator "$(<"$out")" '^CPU2/[0-9]+/bytes/"cmt/llc_occupancy/"/[0-9.]+/[0-9]+/[0-9]+/[0-9]+/0//level$'

"$ctl" stat -e $level -a -I 100 --json -o "$TMPDIR/levels.json" -- taskset 4 "${program[@]}"
"$KNC_PMUCTL_SHARED" timeline -i "$TMPDIR/levels.json" --bin 1000000 >"$out"
equal timeline.lines "$(cut -d, -f1,3 "$out" | paste -sd' ')" 'start_s,cpu 0.000000000,0 0.000000000,2'
has timeline "$(<"$out")" "^0\\.0+,[0-9.]+,2,$level,[0-9]+,[0-9]+,[0-9]{6,},[1-9][0-9]*,0\$"

"${program[@]}" &
"$ctl" stat -e $level -p $! 2>"$out"
equal process.status "$?" 0
has process.head "$(<"$out")" '^ Level of pid '

# Several programs are a group: one RMID, one figure. Each brings in some 200 KB when it is told to
mkfifo "$TMPDIR/go1" "$TMPDIR/go2"
for i in 1 2; do
	taskset 1 sh -c 'read -r go <"$1"; text=$(head -c 200000 /dev/zero | tr "\0" x); read -r go <"$1"; : "$text"' - "$TMPDIR/go$i" &
	member[i]=$!
done
# a reader must not find an older file
: >"$out"
"$ctl" stat -e $level -p "${member[1]},${member[2]}" -x, -I 50 -o "$out" &
stat=$!
until_true grep -q ^ "$out"
# most BYTES: was there a reading of the first L3 of so many bytes or more?
most()
{
	awk -F, -v want="$1" '$2 == "CPU0" && $3 >= want { n = 1 } END { exit !n }' "$out"
}
echo >"$TMPDIR/go1"
until_true most 200000
echo >"$TMPDIR/go2"
until_true most 400000
echo >"$TMPDIR/go1"
ended "${member[1]}"
were=$(wc -l <"$out")
# The first program has ended, and the session goes on with the second. Its level has the lines of
# both programs, of which others may have replaced some: require half of one program's 200 KB.
more()
{
	[ "$(wc -l <"$out")" -gt $((were + 2)) ]
}
until_true more
equal group.goes-on "$(awk -F, -v from="$were" 'NR > from && $2 == "CPU0" && $3 < 100000' "$out")" ''
echo >"$TMPDIR/go2"
ended $stat
equal group.status "$end" 0
right_csv group.csv 8 '$1 >= time && w % 4096 == 0 && (time = $1 - 0.001)'
sleep 1000 &
member[1]=$!
sleep 1000 &
member[2]=$!
# the programs' names are in the head
until_true runs "${member[1]}" sleep
until_true runs "${member[2]}" sleep
"$ctl" stat -e $level -p "${member[1]},${member[2]}" -o "$out" -- true
has group.head "$(<"$out")" "^ Level of pids ${member[1]} \\(sleep\\), ${member[2]} \\(sleep\\) while 'true' ran:\$"
"$ctl" stat -e $level -t "${member[1]},99999" -- true 2>"$out"
equal group.gone.status "$?" 1
has group.gone "$(<"$out")" '^knc-pmuctl: no thread 99999 to follow'
"$ctl" stat -e $level -p "${member[2]}" -o /dev/null &
stat=$!
until_true counting $stat
"$ctl" stat -e $level -p "${member[1]},${member[2]}" -- true 2>"$out"
has group.busy "$(<"$out")" "^knc-pmuctl: pid ${member[2]} \\(sleep\\) has an RMID already, by a session of pid $stat"
kill -TERM $stat
ended $stat
setpriv --reuid 65534 --regid 4242 --clear-groups "$ctl" stat -e $level -p "${member[1]},${member[2]}" -- true 2>"$out"
equal group.unprivileged.status "$?" 1
has group.unprivileged "$(<"$out")" '^knc-pmuctl: permission denied: .* CAP_PERFMON'
kill "${member[1]}" "${member[2]}"

# no figure is shown while the hardware has no value: bit 62 of IA32_QM_CTR
"$ctl" stat -e $level -C 0 -I 50 -o "$out" -- bash -c 'sleep 0.3; inject 40; sleep 0.3'
has no-value "$(<"$out")" '^ +[0-9]+\.[0-9]{9} +no value  cmt/llc_occupancy/ of CPU 0$'
has no-value.counted "$(<"$out")" '^ [1-9][0-9]* readings of an L3 had no value'
"$ctl" stat -e $level -C 1 -- true 2>"$out"
has unknown "$(<"$out")" 'no RMID is clean'
inject 00
"$ctl" stat -e $level -C 0 -x, -I 50 -o "$out" -- bash -c 'sleep 0.3; inject 40; sleep 0.3'
inject 00
has no-value.csv.intervals "$(<"$out")" "^[0-9.]+,CPU0,<not available>,bytes,$level,,,level\$"
"$ctl" stat -e $level -C 0 -x, -o "$out" -- bash -c 'sleep 0.3; inject 40; sleep 0.3'
inject 00
has no-value.csv "$(<"$out")" "^CPU0,[0-9]+,bytes,$level,[0-9.]+,[0-9]+,[0-9]+,[1-9][0-9]*,[1-9][0-9]*,,level\$"

# another program has changed the RMID: the module notices when the followed program sleeps
"$ctl" stat -e $level --pin 0 -x, -o "$out" -- bash -c 'rmid 1e; sleep 0.1'
rmid 00
has partial.csv "$(<"$out")" "^CPU0,[0-9]+,bytes,$level,[0-9.]+,[0-9]+,[0-9]+,[1-9][0-9]*,0,partial,level\$"
"$ctl" stat -e $level --pin 0 -x, -I 50 -o "$out" -- timeout 100 bash -c '
	until [ -s "$1" ]; do sleep 0.1; done
	rmid 1e
	until grep -q partial "$1"; do sleep 0.1; done' - "$out"
rmid 00
has partial.csv.intervals "$(<"$out")" "^[0-9.]+,CPU0,[0-9]+,bytes,$level,[0-9.]+,partial,level\$"
has partial.csv.before "$(<"$out")" "^[0-9.]+,CPU0,[0-9]+,bytes,$level,[0-9.]+,,level\$"
"$ctl" stat -e $level --pin 0 -- bash -c 'rmid 1e; sleep 0.1' 2>"$out"
rmid 00
has partial "$(<"$out")" 'another program has changed'
# the RMID of a session on a hardware thread is never loaded again: READ notices the change
"$ctl" stat -e $level -C 0 -x, -o "$out" -- bash -c 'rmid 1e; sleep 0.1'
rmid 00
has partial.thread.csv "$(<"$out")" "^CPU0,[0-9]+,bytes,$level,[0-9.]+,[0-9]+,[0-9]+,[1-9][0-9]*,0,partial,level\$"
"$ctl" stat -e $level -a -x, -I 50 -o "$out" -- timeout 100 bash -c '
	until [ -s "$1" ]; do sleep 0.1; done
	rmid 1e
	until grep -q partial "$1"; do sleep 0.1; done' - "$out"
rmid 00
has partial.thread.csv.intervals "$(<"$out")" "^[0-9.]+,CPU0,[0-9]+,bytes,$level,[0-9.]+,partial,level\$"
has partial.thread.csv.before "$(<"$out")" "^[0-9.]+,CPU0,[0-9]+,bytes,$level,[0-9.]+,,level\$"
"$ctl" stat -e $level -C 0 --json -o "$out" -- bash -c 'rmid 1e; sleep 0.1'
rmid 00
has partial.thread.json "$(<"$out")" '"partial": ?true'

# top. This script and all programs that it starts run on CPUs 0 and 1.
taskset -pc 0,1 $$ >/dev/null

# run_top OPTION...: start top in the background, until end_top; wait for its first table
run_top()
{
	# do not find the table of an earlier top
	: >"$out"
	"$ctl" top -b -d 0.3 -e $level "$@" >"$out" 2>&1 &
	top=$!
	until_true grep -q '^ *all ' "$out"
}

end_top()
{
	kill "$top"
	ended "$top"
	equal "$1.status" "$end" 143
	last=$(awk '/^knc-pmuctl:/ { table = "" } { table = table $0 "\n" } /^ *all / { last = table }
		END { printf "%s", last }' "$out")
}

# top_row ID: print its row of the last table: %BUSY, BYTES, %L3, LEAST, MEAN, MOST, the L3s
top_row()
{
	awk -v id="$1" '$1 == id { $1 = $2 = ""; sub(/^ +/, ""); print }' <<<"$last"
}

# right_row NAME ID L3S CONDITION: a test: the row has right levels, and fulfils awk's CONDITION
right_row()
{
	equal "$1" "$(top_row "$2" | awk -v l3s="$3" '{
		most = l3s ? 0 : $2
		for (i = 7; i <= NF; i++) {
			sum += $i
			if ($i > most)
				most = $i
		}
		share = $3 - 100 * most / (2 * 1024 * 1024)
		print (NF == 6 + l3s && $2 % 4096 == 0 && $4 % 4096 == 0 && $6 % 4096 == 0 &&
		       (!l3s || sum == $2) && share <= 0.01 && share >= -0.01 &&
		       $4 <= $2 && $2 <= $6 && $4 <= $5 && $5 <= $6 && ('"$4"')) ? "right" : $0
	}')" right
}

# has_most ID: was MOST of its row 200000 or more?
has_most()
{
	awk -v id="$1" '$1 == id && $8 >= 200000 { n = 1 } END { exit !n }' "$out"
}

run_top -C 2,3
taskset 4 "${program[@]}"
until_true has_most 2
end_top top.threads
has top.threads.head "$last" '^knc-pmuctl: hardware threads, set cmt/llc_occupancy/, levels after [0-9.]+ s$'
has top.threads.columns "$last" '^ +CPU CORE.TH  %BUSY +BYTES +%L3 +LEAST +MEAN +MOST$'
right_row top.threads.program 2 0 '$6 >= 200000'
# an idle CPU has at most what the kernel brings in there, also to free a program's memory
right_row top.threads.idle 3 0 '$6 < 196608'
equal top.threads.sum "$(awk '$1 == "all" { print $3, $5, $6, $7 }' <<<"$last")" \
	"$(awk '$1 == 2 || $1 == 3 { sum += $4 } END { print sum, "- - -" }' <<<"$last")"
equal top.threads.order "$(awk '$1 ~ /^[0-9]+$/ { print $1 }' <<<"$last" | head -n 1)" 2

mkfifo "$TMPDIR/go"
taskset 4 sh -c 'read -r go <"$TMPDIR/go"; text=$(head -c 200000 /dev/zero | tr "\0" x); sleep 1000; : "$text"' &
busy=$!
sleep 1000 &
idle=$!
run_top -p $busy,$idle
# top knows both L3s by now
echo >"$TMPDIR/go"
until_true has_most $busy
end_top top.tasks
has top.tasks.columns "$last" '^ +PID COMMAND +%CPU +BYTES +%L3 +LEAST +MEAN +MOST +L3:CPU0 +L3:CPU2$'
right_row top.tasks.program $busy 2 '$6 >= 200000 && $8 >= 200000'
right_row top.tasks.idle $idle 2 '$6 < 196608'
equal top.tasks.order "$(awk '$1 ~ /^[0-9]+$/ { print $1 }' <<<"$last" | head -n 1)" $busy
pkill -P $busy
kill $busy

# more programs than RMIDs: subshells of this script, because no program has to be loaded for them
pids=$idle
for ((i = 0; i < 39; i++)); do
	(pause 1000) &
	pids+=,$!
done
"$ctl" top -b -d 0.3 -n 1 -e $level -p $pids >"$out" 2>&1
none=$(grep -cE '^ *[0-9]+ (sleep|levels\.sh) +[0-9.]+  no RMID is (free|clean yet)$' "$out")
some=$(grep -cE '^ *[0-9]+ (sleep|levels\.sh) +[0-9.]+( +[0-9.]+){7}$' "$out")
equal top.rmids.rows $((none + some)) 40
equal top.rmids.few $((none >= 9 && some >= 15)) 1
# shellcheck disable=SC2086 # numbers
kill ${pids//,/ }
"$ctl" top -b -d 0.3 -n 2 -e $level --tasks=2 >"$out" 2>&1
equal top.tasks-option.status "$?" 0
has top.tasks-option "$(<"$out")" '^ +[0-9]+ [^ ]+ +[0-9.]+ +[0-9]+ +[0-9.]+( +[0-9]+){5}$'

# no value from the hardware: the row has "-", never a number
has_none()
{
	grep -qE '^ +0 +S0-C0\.0 +[0-9.]+ +- +- +[0-9]+ +[0-9]+ +[0-9]+$' "$out"
}

run_top -C 0,2
inject 40
until_true has_none
end_top top.none
equal top.none.row "$(top_row 0 | cut -d' ' -f 2-3)" '- -'
equal top.none.sum "$(awk '$1 == "all" { print $3, $4 }' <<<"$last")" '- -'
has top.none.other "$last" '^ +2 +S[0-9]+-C[0-9]+\.0 +[0-9.]+ +[0-9]+ '
has top.none.says "$(<"$out")" '^-: the hardware has no value for an L3$'
"$ctl" top -b -d 0.3 -n 1 -C 1 -e $level >"$out" 2>&1
has top.unclean "$(<"$out")" '^ +1 +S[0-9]+-C[0-9]+\.1 +[0-9.]+  no RMID is clean yet$'
has top.unclean.sum "$(<"$out")" '^ +all +[0-9.]+ +- +- +- +- +-$'
# CPU 1 tries again to get an RMID, and goes offline
row_1_is()
{
	grep -qE "^ +1 +.* $1\$" "$out"
}

run_top -C 1,3
until_true row_1_is 'no RMID is clean yet'
echo 0 >/sys/devices/system/cpu/cpu1/online
until_true row_1_is offline
end_top top.offline
has top.offline.row "$last" '^ +1 +.* offline$'
has top.offline.other "$last" '^ +3 +S[0-9]+-C[0-9]+\.1 +[0-9.]+  no RMID is clean yet$'
"$ctl" top -b -n 1 -C 1,3 -e $level >"$out" 2>&1
has top.offline.refused "$(<"$out")" '^knc-pmuctl: CPU 1 is offline'
echo 1 >/sys/devices/system/cpu/cpu1/online
inject 00
"$ctl" stat -e $level -C 1 -o /dev/null &
stat=$!
until_true counting $stat
"$ctl" top -b -d 0.3 -n 1 -C 1,3 -e $level >"$out" 2>&1
has top.other "$(<"$out")" '^ +1 +S[0-9]+-C[0-9]+\.1 +[0-9.]+  counted by pid [0-9]+ \(knc-pmuctl\)$'
has top.other.free "$(<"$out")" '^ +3 +S[0-9]+-C[0-9]+\.1 +[0-9.]+ +[0-9]+ '
kill -TERM $stat
ended $stat
# Without CAP_PERFMON top refuses levels, of hardware threads and of the user's own processes
setpriv --reuid 65534 --regid 4242 --clear-groups "$ctl" top -b -n 1 -e $level >"$out" 2>&1
equal top.unprivileged.status "$?" 1
has top.unprivileged "$(<"$out")" '^knc-pmuctl: permission denied: .* CAP_PERFMON'
setpriv --reuid 65534 sleep 1000 &
sleep=$!
until_true runs $sleep sleep
setpriv --reuid 65534 --regid 4242 --clear-groups "$ctl" top -b -n 1 -e $level -p $sleep >"$out" 2>&1
equal top.unprivileged.process.status "$?" 1
has top.unprivileged.process "$(<"$out")" '^knc-pmuctl: permission denied: .* CAP_PERFMON'
kill $sleep
mount -t resctrl resctrl /sys/fs/resctrl
"$ctl" top -b -n 1 -C 1 -e $level >"$out" 2>&1
equal top.resctrl.status "$?" 1
has top.resctrl "$(<"$out")" 'resctrl is mounted'
umount /sys/fs/resctrl

# The screen, and keys
mux new-session -d -s top -x 80 -y 24 "'$ctl' top -d 0.7 -C 2,3 -e $level"
shown top.screen '^knc-pmuctl top: 2 hardware threads, levels after [0-9.]+ s'
shown top.screen.columns '^  CPU CORE.TH  %BUSY +BYTES +%L3 +LEAST +MEAN +MOST'
shown top.screen.row '^ +2 +S[0-9]+-C[0-9]+\.0 +[0-9.]+ +[0-9.]+[KM]? +[0-9]+\.[0-9]{2} '
shown top.screen.order 'ordered by BYTES'
keys e
shown top.screen.counts 'set 2 of 3: cycles; ordered by CPU'
keys E
keys "$level" Enter
shown top.screen.typed 'set 1 of 3: cmt/llc_occupancy/; ordered by BYTES'
keys t
shown top.screen.tasks '^ +PID COMMAND +%CPU +BYTES +%L3 +LEAST +MEAN +MOST'
shown top.screen.left-out '2 too wide, left out: L3:CPU0, L3:CPU2'
keys q
no_tool()
{
	! pgrep -x knc-pmuctl
}
until_true no_tool

"$ctl" record -e $level -o "$TMPDIR/data" -- true 2>"$out"
has record "$(<"$out")" 'it is a level, which nothing can count or sample'
"$ctl" stat -e cmt/other/ -- true 2>"$out"
has other "$(<"$out")" "unknown level 'cmt/other/'"
"$ctl" stat -e $level -e instructions:u -- true 2>"$out"
has mixed "$(<"$out")" 'other events can.t be with cmt/llc_occupancy/'
"$ctl" grant -e $level -- true 2>"$out"
has grant "$(<"$out")" 'is a level, which no counter has'

# resctrl_refuses NAME: a test: stat refuses levels while resctrl is mounted
resctrl_refuses()
{
	"$ctl" stat -e $level -C 0 -- true 2>"$out"
	equal "$1.status" "$?" 1
	has "$1" "$(<"$out")" 'resctrl is mounted, and has the RMIDs: .*umount /sys/fs/resctrl$'
}

# pqos by resctrl: it mounts resctrl, and leaves it mounted, which refuses levels to stat
pqos=(pqos -I --disable-mon-ipc --disable-mon-llc_miss -m llc:1 -i 1 -u csv)
mkdir -p /run/lock
"${pqos[@]}" -t inf >"$TMPDIR/pqos" 2>&1 &
until_true grep -qE '^[^,]+,"1",[1-9][0-9]*\.[0-9]$' "$TMPDIR/pqos"
resctrl_refuses pqos.during
kill $!
wait $! 2>/dev/null
resctrl_refuses pqos.after
umount /sys/fs/resctrl
"$ctl" stat -e $level -C 0 -- true 2>"$out"
equal pqos.unmounted "$?" 0
# the other order: pqos takes the RMIDs from a session that has begun
"$ctl" stat -e $level -C 0 -I 50 -o "$out" -- "${pqos[@]}" -t 1 >"$TMPDIR/pqos" 2>"$out.error"
equal pqos.meanwhile.status "$?" 1
has pqos.meanwhile "$(cat "$out.error")" 'resctrl was mounted meanwhile'
umount /sys/fs/resctrl
# without its --disable options pqos asks perf for misses of the L3, too
has pqos.perf "$(pqos -I -m llc:1 -t 1 -i 1 -u csv 2>&1)" 'Failed to start perf counters for LLC Misses'
umount /sys/fs/resctrl

mount -t resctrl resctrl /sys/fs/resctrl
resctrl_refuses resctrl
umount /sys/fs/resctrl
"$ctl" stat -e $level -C 0 -I 50 -o "$out" -- sh -c '
	sleep 0.3
	mount -t resctrl resctrl /sys/fs/resctrl
	sleep 0.3' 2>"$out.error"
equal resctrl.meanwhile.status "$?" 1
has resctrl.meanwhile "$(cat "$out.error")" 'resctrl was mounted meanwhile'
umount /sys/fs/resctrl
# the module can be unloaded: no session is left
rmmod knc_pmu
equal unload "$?" 0
"$ctl" stat -e $level -C 0 -- "$loop" 10 2>"$out"
has unloaded "$(<"$out")" 'module knc_pmu is not loaded|no device'
exit $failed
