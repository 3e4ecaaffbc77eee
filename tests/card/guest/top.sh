#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# shellcheck disable=SC2016,SC2086,SC2317 # text for other shells, numbers, functions by name
#
# knc-pmuctl top on a card of two cores: its counts
#
# The counted programs run on CPU 1, everything else on CPU 0.
cd "$(dirname "$0")" || exit 1
# shellcheck source=tests/card/guest/lib.sh
. ./lib.sh
taskset -pc 0 $$ >/dev/null

out=$TMPDIR/top
prog=$KNC_TEST_BUILD

# column FILE ID N: the sum of that column over all rows of ID, without marks
column()
{
	awk -v id="$2" -v n="$3" '$1 == id { gsub("[~?]", "", $n); sum += $n } END { print sum + 0 }' "$1"
}

# tables FILE N: are N tables complete?
tables()
{
	[ "$(grep -c '^ *all ' "$1")" -ge "$2" ]
}

# held N: start $held, a process that stops itself, and executes loop N when it gets SIGCONT
held()
{
	taskset -c 1 sh -c 'kill -STOP $$; exec "$1" "$2"' sh "$prog/loop" "$1" &
	held=$!
	until_true grep -q '^State:.T' /proc/$held/status
}

# begin ARGUMENT...: start top as $top; a test calls end when it has seen its result
begin()
{
	# a reader must not find an older file
	: >"$out"
	"$KNC_PMUCTL" top -b "$@" >"$out" 2>&1 &
	top=$!
}

end()
{
	kill -TERM $top
	wait $top
}

says()
{
	grep -qE -e "$1" "$out"
}

# spinning: start $spin, a program that spins on CPU 1
spinning()
{
	taskset -c 1 "$prog/spin" 1 &
	spin=$!
	until_true runs $spin spin
}

# process_counts N TOOL: print the counts of a process until its end, summed over the refreshes
process_counts()
{
	held "$1"
	# a reader must not find an older file
	: >"$out"
	"$2" top -b -d 0.2 -p $held \
		-e INSTRUCTIONS_EXECUTED:u,BRANCHES:u >"$out" 2>&1 &
	local top=$!
	until_true tables "$out" 1
	kill -CONT $held
	wait $held
	wait $top
	echo "$(column "$out" $held 4) $(column "$out" $held 5)"
}

# thread_counts N TOOL: the same counts of CPU 1, while a program runs there
thread_counts()
{
	held "$1"
	begin -d 0.5 -C 1 -e INSTRUCTIONS_EXECUTED:u,BRANCHES:u
	until_true tables "$out" 1
	kill -CONT $held
	wait $held
	# the next table may have been counted before the program's end
	until_true tables "$out" $(($(grep -c '^ *all ' "$out") + 2))
	end
	echo "$(column "$out" 1 4) $(column "$out" 1 5)"
}

# growth NAME FUNCTION [ARGUMENT]: a test: the increase from N = 1,000,000 to 2,000,000 is exact
growth()
{
	local once twice
	once=$($2 1000000 "${3-}")
	twice=$($2 2000000 "${3-}")
	echo "# $1: $once; $twice"
	equal "$1" "$((${twice% *} - ${once% *})) $((${twice#* } - ${once#* }))" "2000000 1000000"
}

growth process process_counts "$KNC_PMUCTL"
# the same on a slow machine: the program ends while top scans for processes
(
	export LD_PRELOAD=$prog/late.so LATE_MS=1000
	growth ended process_counts "$KNC_PMUCTL_SHARED"
	exit $failed
) || failed=1
growth thread thread_counts

# More than two events: estimates; rough ones, because the card's speed depends on the events that
# are counted
spinning
estimates='^ +1 +0\.1 +[0-9.]+ +\?[0-9.]+ +\?[0-9]+ +\?[0-9]+ +\?[1-9][0-9]*$'
begin -d 1 -C 1,4 -e INSTRUCTIONS_EXECUTED,CPU_CLK_UNHALTED,BRANCHES
until_true says "$estimates"
end
has sets.marked "$(<"$out")" "$estimates"
has sets.said "$(<"$out")" '^~: an estimate'
has sets.rough "$(<"$out")" '^\?: a rough estimate: the speed of the emulated card'
has core-wide.marked "$(<"$out")" ' CPU_CLK_UNHALTED\*'
has core.other "$(<"$out")" '^ +4 +1\.0 '
# the sum has the cycles of CPUs 0 to 3 once, because these are one core
"$KNC_PMUCTL" top -b -d 1 -n 1 -C 0-3 -e CPU_CLK_UNHALTED >"$out" 2>&1
equal core-wide.once "$(column "$out" all 3)" "$(column "$out" 0 4)"

# The busiest tasks come first, with their counts
first_rows()
{
	awk '$1 == "PID" { getline; print }' "$out"
}
spin_is_first()
{
	first_rows | grep -qE "^ +$spin spin +[0-9.]+ +[0-9.]+ +[1-9][0-9]+ "
}
begin -d 1 --tasks=3
until_true spin_is_first
end
has busiest "$(first_rows)" "^ +$spin spin +[0-9.]+ +[0-9.]+ +[1-9][0-9]+ "
equal busiest.three "$(grep -cE '^ *[0-9]+ [a-z]' "$out")" $((3 * $(grep -c '^ *all ' "$out")))
kill $spin
wait $spin 2>/dev/null

# A row of a process that can't be counted shows the reason
"$KNC_PMUCTL" top -b -d 0.2 -n 1 -C 1 -e "BRANCHES,r1028" >"$out" 2>&1
has lacking.marked "$(<"$out")" '^ +1 +0\.1 +[0-9.]+ +[0-9]+ +-$'
has lacking.said "$(<"$out")" '^-: the emulated card never counts it$'
has kernel-thread "$("$KNC_PMUCTL" top -b -d 0.2 -n 1 -p 2 2>&1)" \
	"^ +2 kthreadd +[0-9.]+  a thread of the kernel can't be followed$"

# A child is counted with its parent until it has a row of its own. The fifo is below /run, because
# the directory for the tests' files can't have fifos
fifo=/run/knc-test-fifo
mkfifo $fifo
sh -c 'read -r go <"$1"; (while :; do :; done) & echo $! >"$1.child"; while :; do :; done' sh $fifo &
parent=$!
begin -d 0.5 --tasks
until_true tables "$out" 1
echo >$fifo
until_true test -s $fifo.child
child=$(<$fifo.child)
# with_counts ID: print its rows with counts, beginning with the first table that has the child's
with_counts()
{
	awk -v id="$1" -v child="$child" '$1 == "PID" { if (seen) print text; text = "" }
		$2 == "sh" && $4 ~ /^[0-9.]+$/ && $5 ~ /^[1-9][0-9]+$/ {
			if ($1 == child) seen = 1
			if ($1 == id) text = $0
		}
		END { if (seen) print text }' "$out" | grep .
}
until_true with_counts $parent
end
for who in parent child; do
	grep "^ *${!who} " "$out" | tail -n 1 | sed "s/^/# family.$who: /"
	has family.$who "$(with_counts "${!who}")" "^ +${!who} sh +[0-9.]+ +[0-9.]+ +[1-9][0-9]+ "
done
kill "$child" $parent
wait $parent 2>/dev/null

# Another session counts
spinning
"$KNC_PMUCTL" stat -p $spin -o /dev/null >/dev/null 2>&1 &
holder=$!
until_true counting $holder
has busy.process "$("$KNC_PMUCTL" top -b -d 0.2 -n 1 -p $spin 2>&1)" \
	"^ +$spin spin +0\.0  counted by pid $holder \(knc-pmuctl\)$"
text=$("$KNC_PMUCTL" top -b -d 0.2 -n 1 -C 1 2>&1)
equal busy.status $? 1
has busy.thread "$text" 'counter busy'
kill -TERM $holder
wait $holder

# Without privileges: own processes, user mode
chmod 666 /dev/knc_pmu
text=$(setpriv --reuid 65534 --regid 65534 --clear-groups \
	"$KNC_PMUCTL" top -b -d 0.2 -n 1 2>&1)
equal user.nothing.status $? 1
has user.processes "$text" ': processes, '
has user.nothing "$text" 'permission denied: hardware threads need CAP_PERFMON .*, and no process of yours was running'
lacks user.not-others "$text" spin ': processes, '
text=$(setpriv --reuid 65534 --regid 65534 --clear-groups sh -c "
	sleep 1000 &
	until grep -qx sleep /proc/\$!/comm; do :; done
	'$KNC_PMUCTL' top -b -d 0.2 -n 1
	kill \$!" 2>&1)
has user.only "$text" '^user mode only'
has user.own "$text" ' sleep '
chmod 660 /dev/knc_pmu
kill $spin

exit $failed
