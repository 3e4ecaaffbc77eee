#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# shellcheck disable=SC2016,SC2086,SC2317 # text for other shells, numbers, functions by name
#
# knc-pmuctl top on a card of two cores: what it counts, and its screen in a
# terminal of tmux
#
# Everything runs on CPU 0, what is counted on CPU 1.
cd "$(dirname "$0")" || exit 1
# shellcheck source=tests/system/guest/lib.sh
. ./lib.sh
taskset -pc 0 $$ >/dev/null

out=$TMPDIR/top
prog=$KNC_TEST_BUILD
cpu1=/sys/devices/system/cpu/cpu1
export LC_ALL=C.UTF-8

# column FILE ID N: the sum of that column over all rows of ID, without marks
column()
{
	awk -v id="$2" -v n="$3" '$1 == id { gsub("~", "", $n); sum += $n } END { print sum + 0 }' "$1"
}

# tables FILE N: so many are complete
tables()
{
	[ "$(grep -c '^ *all ' "$1")" -ge "$2" ]
}

# A process that waits until it is told, then executes loop $1
held()
{
	taskset -c 1 sh -c 'kill -STOP $$; exec "$1" "$2"' sh "$prog/loop" "$1" &
	held=$!
	until_true grep -q '^State:.T' /proc/$held/status
}

# The counts of a process until it has ended, added up over the refreshes
process_counts()
{
	held "$1"
	"$KNC_PMUCTL" top -b -d 0.2 -n 100 -p $held \
		-e INSTRUCTIONS_EXECUTED:u,BRANCHES:u >"$out" 2>&1 &
	local top=$!
	until_true tables "$out" 1
	kill -CONT $held
	wait $held
	wait $top
	echo "$(column "$out" $held 4) $(column "$out" $held 5)"
}

# The same of CPU 1, with a program that runs there
thread_counts()
{
	held "$1"
	"$KNC_PMUCTL" top -b -d 0.5 -n 8 -C 1 -e INSTRUCTIONS_EXECUTED:u,BRANCHES:u >"$out" 2>&1 &
	local top=$!
	until_true tables "$out" 1
	kill -CONT $held
	wait $held
	wait $top
	echo "$(column "$out" 1 4) $(column "$out" 1 5)"
}

# growth NAME FUNCTION: from N = 1,000,000 to 2,000,000
growth()
{
	local once twice
	once=$($2 1000000)
	twice=$($2 2000000)
	echo "# $1: $once; $twice"
	equal "$1" "$((${twice% *} - ${once% *})) $((${twice#* } - ${once#* }))" "2000000 1000000"
}

growth process process_counts
growth thread thread_counts

# More than two events: estimates, and marked so
taskset -c 1 "$prog/spin" 1 &
spin=$!
"$KNC_PMUCTL" top -b -d 1 -n 2 -C 1,4 \
	-e INSTRUCTIONS_EXECUTED,CPU_CLK_UNHALTED,BRANCHES >"$out" 2>&1
has sets.marked "$(tail -n +9 "$out")" '^ +1 +0\.1 +[0-9.]+ +[0-9.]+ +~[0-9]+ +~[0-9]+ +~[1-9][0-9]*$'
has sets.said "$(cat "$out")" '^~: an estimate'
has core-wide.marked "$(cat "$out")" ' CPU_CLK_UNHALTED\*'
has core.other "$(cat "$out")" '^ +4 +1\.0 '
# cycles of a core are in the sum once: CPUs 0 to 3 are one core
"$KNC_PMUCTL" top -b -d 1 -n 1 -C 0-3 -e CPU_CLK_UNHALTED >"$out" 2>&1
equal core-wide.once "$(column "$out" all 3)" "$(column "$out" 0 4)"

# What is busiest comes first, with its counts
"$KNC_PMUCTL" top -b -d 1 -n 2 --tasks=3 >"$out" 2>&1
has busiest "$(awk '$1 == "PID" { getline; print }' "$out" | tail -n 1)" \
	"^ +$spin spin +[0-9.]+ +[0-9.]+ +[1-9][0-9]+ "
equal busiest.three "$(grep -cE '^ *[0-9]+ [a-z]' "$out")" 6
kill $spin
wait $spin 2>/dev/null

# A child is counted with its parent until it is shown itself
# not where the tests write: fifos and sockets can't be there
fifo=/run/knc-test-fifo
mkfifo $fifo
sh -c 'read -r go <"$1"; (while :; do :; done) & echo $! >"$1.child"; while :; do :; done' sh $fifo &
parent=$!
"$KNC_PMUCTL" top -b -d 0.5 -n 6 --tasks >"$out" 2>&1 &
top=$!
until_true tables "$out" 1
echo >$fifo
until_true test -s $fifo.child
child=$(cat $fifo.child)
wait $top
for id in $parent $child; do
	rows=$(grep "^ *$id " "$out" | tail -n 1)
	has "family.$([ "$id" = "$child" ] && echo child || echo parent)" "$rows" \
		"^ +$id sh +[0-9.]+ +[0-9.]+ +[1-9][0-9]+ "
done
kill "$child" $parent
wait $parent 2>/dev/null

# Somebody else counts
taskset -c 1 "$prog/spin" 1 &
spin=$!
"$KNC_PMUCTL" stat -p $spin -o /dev/null >/dev/null 2>&1 &
holder=$!
until_true sh -c "'$KNC_PMUCTL' info | grep -q 'for the programs'"
has busy.process "$("$KNC_PMUCTL" top -b -d 0.2 -n 1 -p $spin 2>&1)" \
	"^ +$spin spin +0\.0  counted by pid $holder \(knc-pmuctl\)$"
text=$("$KNC_PMUCTL" top -b -d 0.2 -n 1 -C 1 2>&1)
equal busy.status $? 1
has busy.thread "$text" 'counter busy'
kill -INT $holder
wait $holder

# Without privileges: own processes, user mode
chmod 666 /dev/knc_pmu
text=$(setpriv --reuid 65534 --regid 65534 --clear-groups \
	"$KNC_PMUCTL" top -b -d 0.2 -n 1 2>&1)
has user.processes "$text" ': processes, '
equal user.not-others "$(grep -c spin <<<"$text")" 0
text=$(setpriv --reuid 65534 --regid 65534 --clear-groups sh -c "
	sleep 5 & '$KNC_PMUCTL' top -b -d 0.2 -n 1" 2>&1)
has user.only "$text" '^user mode only'
has user.own "$text" ' sleep '
chmod 660 /dev/knc_pmu

# Hardware threads come and go
last_rows()
{
	[ "$(awk '$1 == "CPU" { n = 0 } $1 ~ /^[0-9]+$/ { n++ } $1 == "all" { last = n }
		END { print last }' "$out")" = "$1" ]
}

"$KNC_PMUCTL" top -b -d 0.3 >"$out" 2>&1 &
top=$!
until_true last_rows 8
echo 0 >$cpu1/online
until_true last_rows 7
equal hotplug.gone $? 0
echo 1 >$cpu1/online
until_true last_rows 8
equal hotplug.back $? 0
kill -TERM $top
wait $top
equal hotplug.status $? 143

# The screen

socket=/run/knc-test-tmux

mux()
{
	tmux -S "$socket" -f /dev/null "$@"
}

screen()
{
	mux capture-pane -p -t top
}

shows()
{
	screen | grep -qE -e "$1"
}

# shown NAME REGEX: a test: in a while it is on the screen
shown()
{
	if until_true shows "$2"; then
		ok "$1"
	else
		not_ok "$1" "no '$2' in '$(screen)'"
	fi
}

keys()
{
	mux send-keys -t top "$@"
}

# start COMMAND: in the terminal's shell
start()
{
	keys "$1" Enter
}

# restored NAME: a test: the terminal is as it was
restored()
{
	until_true shows '^\$ *$'
	equal "$1.alternate" "$(mux display -p -t top '#{alternate_on} #{cursor_flag} #{keypad_cursor_flag}')" '0 1 0'
	keys "stty -a | md5sum | sed 's/^/now /'" Enter
	until_true shows '^now '
	equal "$1.modes" "$(screen | sed -n 's/^now \([0-9a-f]*\).*/\1/p' | tail -n 1)" "$modes"
	keys clear Enter
	until_true sh -c '! tmux -S "$1" capture-pane -p -t top | grep -q now' sh "$socket"
}

mux new-session -d -s top -x 80 -y 24 "PS1='$ ' KNC='$KNC_PMUCTL' sh -i"
until_true shows '^\$'
keys "stty -a | md5sum | sed 's/^/now /'" Enter
until_true shows '^now '
modes=$(screen | sed -n 's/^now \([0-9a-f]*\).*/\1/p')
keys clear Enter

top='$KNC top -d 0.5'
start "$top"
shown screen.title '^knc-pmuctl top: 8 hardware threads'
shown screen.heading 'CPU CORE.TH  %BUSY +CPI INSTRUCTIONS_EXECUTED +CPU_CLK_UNHALTED\*'
shown screen.rows '^ +7 +1\.3 '
shown screen.sum '^ +all '
screen | sed 's/^/# /'
keys t
shown screen.tasks '^ +PID COMMAND '
shown screen.task-row ' spin +[0-9.]+ +[0-9.]+ +[0-9.]+[KMG]'
keys e
shown screen.set 'set 2 of 6: branches; ordered by %CPU'
shown screen.estimates ' spin .* ~[0-9.]+[KMG]'
screen | sed 's/^/# /'
keys '>'
shown screen.order 'ordered by CPI'
keys r
shown screen.reverse 'ordered by CPI, the other way round'
keys E
keys DATA_READD Enter
shown screen.wrong-event "unknown event 'DATA_READD'"
keys E
keys DATA_READ:u BSpace u Enter
shown screen.chosen 'set 1 of 7: chosen'
shown screen.chosen-row ' spin .* 0$'
keys Space
shown screen.frozen 'frozen'
frozen=$(screen)
sleep 1.2
equal screen.frozen-same "$(screen)" "$frozen"
keys Space
shown screen.goes-on 'space freeze'
keys h
shown screen.help 'the next set of events'
keys h
shown screen.back 'set 1 of 7'
mux resize-window -t top -x 40 -y 10
shown screen.narrow '^knc-pmuctl top: [0-9]+ processes'
equal screen.narrow-lines "$(screen | wc -l)" 10
mux resize-window -t top -x 12 -y 3
shown screen.tiny '^make the win'
mux resize-window -t top -x 80 -y 24
shown screen.large 'h help'
keys q
restored quit

# top_pid: the one in the terminal
top_pid()
{
	pgrep -x knc-pmuctl
}

for signal in INT TERM HUP QUIT SEGV; do
	start "$top; echo status \$?"
	until_true shows '^knc-pmuctl top: 8'
	kill -$signal "$(top_pid)"
	shown "signal.$signal" "^status $((128 + $(kill -l $signal)))\$"
	keys clear Enter
	restored "signal.$signal"
done
start "$top"
until_true shows '^knc-pmuctl top: 8'
keys C-z
shown stopped 'Stopped'
keys clear Enter
restored stopped
start fg
shown continued '^knc-pmuctl top: 8'
keys q
restored continued
start "$top -n 2; echo status \$?"
shown count 'status 0'
keys clear Enter
restored count
start 'TERM= $KNC top; TERM=nonsense $KNC top; unset TERM; $KNC top'
shown term.unset 'TERM is not set: say which'
shown term.unknown "there is no terminal 'nonsense'"
kill $spin
mux kill-server
exit $failed
