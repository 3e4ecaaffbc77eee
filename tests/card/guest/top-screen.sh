#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# shellcheck disable=SC2016,SC2086,SC2317 # text for other shells, numbers, functions by name
#
# knc-pmuctl top on a card of one core: CPUs that go offline and come back, and its screen in a
# terminal of tmux
#
# Everything runs on other CPUs than CPU 1, which is counted.
cd "$(dirname "$0")" || exit 1
# shellcheck source=tests/card/guest/lib.sh
. ./lib.sh
# shellcheck source=tests/card/guest/tmux.sh
. ./tmux.sh
taskset -pc 0 $$ >/dev/null

out=$TMPDIR/top
prog=$KNC_TEST_BUILD
cpu1=/sys/devices/system/cpu/cpu1

taskset -c 1 "$prog/spin" 1 &
spin=$!
until_true runs $spin spin

# Hardware threads go offline and come back
last_rows()
{
	[ "$(awk '$1 == "CPU" { n = 0 } $1 ~ /^[0-9]+$/ { n++ } $1 == "all" { last = n }
		END { print last }' "$out")" = "$1" ]
}

"$KNC_PMUCTL" top -b -d 0.3 >"$out" 2>&1 &
top=$!
until_true last_rows 4
echo 0 >$cpu1/online
until_true last_rows 3
equal hotplug.gone $? 0
echo 1 >$cpu1/online
until_true last_rows 4
equal hotplug.back $? 0
kill -TERM $top
wait $top
equal hotplug.status $? 143

# The screen. Drawing is slow on the card: top draws rarely, and not for all CPUs
taskset -pc 0,2,3 $$ >/dev/null

# start COMMAND: type the command in the terminal's shell
start()
{
	keys "$1" Enter
}

cleared()
{
	[ "$(screen | grep -c .)" -eq 1 ] && shows '^\$ *$'
}

# Clear the screen, and wait for the bare prompt: what is typed earlier would be cleared too
clean()
{
	keys clear Enter
	until_true cleared
}

# The terminal's modes, as soon as they are complete
modes()
{
	screen | grep -oE '^now [0-9a-f]{32}' | tail -n 1
}
has_modes()
{
	[ "$(modes)" ]
}

# restored NAME: a test: the terminal is as it was
restored()
{
	until_true shows '^\$ *$'
	equal "$1.alternate" "$(mux display -p -t top '#{alternate_on} #{cursor_flag} #{keypad_cursor_flag}')" '0 1 0'
	keys "stty -a | md5sum | sed 's/^/now /'" Enter
	until_true has_modes
	equal "$1.modes" "$(modes)" "$modes"
	clean
}

mux new-session -d -s top -x 80 -y 24 "PS1='$ ' KNC='$KNC_PMUCTL' sh -i"
until_true shows '^\$'
keys "stty -a | md5sum | sed 's/^/now /'" Enter
until_true has_modes
modes=$(modes)
clean

top='$KNC top -d 0.7'
start "$top"
shown screen.title '^knc-pmuctl top: 4 hardware threads'
shown screen.heading 'CPU CORE.TH  %BUSY +CPI INSTRUCTIONS_EXECUTED +CPU_CLK_UNHALTED\*'
shown screen.rows '^ +3 +0\.3 '
shown screen.sum '^ +all '
screen | sed 's/^/# /'
keys t
shown screen.tasks '^ +PID COMMAND '
shown screen.task-row ' spin +[0-9.]+ +[0-9.]+ +[0-9.]+[KMG]'
keys '>'
shown screen.order 'ordered by CPI'
keys r
shown screen.reverse 'ordered by CPI, the other way round'
keys E
keys DATA_READD Enter
shown screen.wrong-event "unknown event 'DATA_READD'"
keys e
# top is slow here, because it also counts the CPUs on which it draws
shown screen.set 'set 2 of 6: branches; ordered by CPI, the other way round'
keys E
keys BRANCHES:u,DATA_WRITE:u,DATA_READ:u BSpace u Enter
shown screen.chosen 'set 1 of 7: chosen'
shown screen.estimates ' spin .* \?[0-9.]+[KMG]'
shown screen.chosen-row ' spin .* \?0$'
screen | sed 's/^/# /'
# stop the program: its counts are not needed any more, and it takes half of the machine's time
kill -STOP $spin
keys Space
shown screen.frozen 'frozen'
# the screen may not be complete yet
is_drawn()
{
	frozen=$(screen)
	sleep 0.3
	[ "$(screen)" = "$frozen" ]
}
until_true is_drawn
sleep 2
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
shown screen.narrow-left-out '^[1-9] too wide, left out: '
mux resize-window -t top -x 80 -y 5
shown screen.low '^make the window larger'
mux resize-window -t top -x 80 -y 6
shown screen.least-sum '^ +all '
shown screen.least-keys '^h help'
mux resize-window -t top -x 12 -y 3
shown screen.tiny '^make the win'
mux resize-window -t top -x 80 -y 24
shown screen.large 'h help'
keys q
restored quit

# top_pid: the process in the terminal
top_pid()
{
	pgrep -x knc-pmuctl
}

# From here on count only a CPU that does not draw: counting makes a CPU slow
top="$top -C 1 -e INSTRUCTIONS_EXECUTED"
for signal in INT TERM HUP QUIT SEGV; do
	start "$top; echo status \$?"
	until_true shows '^knc-pmuctl top: 1 '
	kill -$signal "$(top_pid)"
	shown "signal.$signal" "^status $((128 + $(kill -l $signal)))\$"
	clean
	restored "signal.$signal"
done
start "$top"
until_true shows '^knc-pmuctl top: 1 '
keys C-z
shown stopped 'Stopped'
clean
restored stopped
start fg
shown continued '^knc-pmuctl top: 1 '
keys q
restored continued
# signals while top draws, and the terminal accepts no output
start "$top"
until_true shows '^knc-pmuctl top: 1 '
keys C-s
writes()
{
	grep -q '^1 ' "/proc/$(top_pid)/syscall"
}
until_true writes
keys C-z
shown stopped-drawing 'Stopped'
clean
start fg
shown continued-drawing '^knc-pmuctl top: 1 '
keys q
restored continued-drawing
start "$top -n 2; echo status \$?"
shown count 'status 0'
clean
restored count
# The device is gone when sessions are opened: a message, and no crash
node=/dev/knc_pmu
number=$(tr : ' ' </sys/class/misc/knc_pmu/dev)
rights=$(stat -c '%a %g' $node)
start "$top; echo status \$?"
until_true shows '^knc-pmuctl top: 1 '
rm $node
keys e
shown lost.ends '^status 1'
shown lost.says 'knc-pmuctl: .*/dev/knc_pmu'
mknod -m "${rights% *}" $node c $number && chgrp "${rights#* }" $node
clean
restored lost
start 'TERM= $KNC top; TERM=nonsense $KNC top; unset TERM; $KNC top'
shown term.unset 'TERM is not set: set it'
shown term.unknown "unknown type of terminal 'nonsense'"
kill -CONT $spin
kill $spin
mux kill-server
exit $failed
