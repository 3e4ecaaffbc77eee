#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# record --off-cpu: where the threads of a program (tests/card/callers/waits.c) wait, and for how long
cd "$(dirname "$0")" || exit 1
# shellcheck source=tests/card/guest/lib.sh
. ./lib.sh

cd "$KNC_VM_SCRATCH" || exit 1
waits=$KNC_TEST_BUILD/waits
user=(setpriv --reuid 65534 --regid 4242 --clear-groups)
export OMP_WAIT_POLICY=passive
mkdir -m 777 off

# record NAME ARGUMENTS...: record off/NAME.data, with chains of programs without frame pointers
record()
{
	local name=$1
	shift
	"${as[@]}" "$KNC_PMUCTL" record --off-cpu --call-graph dwarf -o "off/$name.data" "$@" \
		>"off/$name.out" 2>"off/$name.said"
	sed "s/^/# $name: /" "off/$name.said"
}

# ns NAME EVENT [REGEX]: print the ns of an event in stacks that match
ns()
{
	"$KNC_PMUCTL" report -i "off/$1.data" -e "$2" --folded 2>"off/warned" |
		awk -v like="${3:-.}" '$0 ~ like { sum += $NF } END { printf "%d\n", sum }'
}

# between NAME GOT LEAST MOST: a test: LEAST <= GOT <= MOST
between()
{
	echo "# $1: $2 of $3 to $4"
	equal "$1" "$(($2 >= $3 && $2 <= $4))" 1
}

# 100 sleeps of 10 ms: a second, minus a tick at most, and no more than the program measured
as=()
record sleep -- "$waits" sleep
between off-cpu.sleep "$(ns sleep off-cpu ';main;known_path;sleep_once;')" 990000000 "$(cat off/sleep.out)"
# preempted just before or after a sleep, on a busy machine
between off-cpu.sleep-runnable "$(ns sleep runnable ';sleep_once;')" 0 20000000
has off-cpu.report "$("$KNC_PMUCTL" report -i off/sleep.data)" '^[0-9]+ times off-cpu \(ns\), [0-9]+ ns: [1-9]\.[0-9]{6} s$'
has off-cpu.said "$(cat off/sleep.said)" '; [0-9]+ context switches$'
# on a busy machine a sleep may end before the thread was switched out
has off-cpu.script "$("$KNC_PMUCTL" script -i off/sleep.data -e off-cpu | grep -c 'sleep_once+')" '^(9[0-9]|100)$'
"$KNC_PMUCTL" report -i off/sleep.data -e off-cpu --flamegraph off/svg
has off-cpu.flamegraph "$(cat off/svg)" sleep_once
"$KNC_PMUCTL" report -i off/sleep.data --html off/html
has off-cpu.html "$(cat off/html)" 'off-cpu \(ns\)'

# The same by a user. Without perf_event_open() the tool learns a program's libraries late: the
# place of a wait may have no name, but its time is counted.
as=("${user[@]}")
record user -- "$waits" sleep
between off-cpu.user "$(ns user off-cpu)" 990000000 "$(($(cat off/user.out) + 1000000000))"
as=()

# two threads wait ten times for the third, in a function of OpenMP's library
record openmp -- "$waits" openmp
"$KNC_PMUCTL" report -i off/openmp.data -e off-cpu --folded | sed 's/^/# openmp: /' | head -n 12
between off-cpu.openmp "$(ns openmp off-cpu ';gomp_[a-z_]*barrier_wait')" 180000000 1000000000

# percent FUNCTION OPTION...: print the share of a function
percent()
{
	"$KNC_PMUCTL" report -i off/serial.data -e INSTRUCTIONS_EXECUTED:u --folded "${@:2}" |
		awk -v name=";$1 " '{ sum += $NF } index($0, name) { part += $NF } END { printf "%d\n", 100 * part / sum }'
}

# A quarter of the instructions is executed while no other thread runs, which is half of the time.
# On a card of two cores two of the three threads may share a core. Repeat it on a busy machine,
# where a hardware thread may stand still and prolong one of the two parts.
for ((try = 0; try < 5; try++)); do
	"$KNC_PMUCTL" record -q --off-cpu -e INSTRUCTIONS_EXECUTED:u@20011 -o off/serial.data -- "$waits" serial
	latency=$(percent serial_part --latency)
	((latency < 40 || latency > 52)) || break
done
between off-cpu.serial "$(percent serial_part)" 23 26
between off-cpu.latency "$latency" 40 52
"$KNC_PMUCTL" report -i off/serial.data -e INSTRUCTIONS_EXECUTED:u --sort symbol,parallelism >off/parallelism
equal off-cpu.alone "$(awk '/ serial_part / { print $NF }' off/parallelism)" 1
has off-cpu.together "$(<off/parallelism)" ' parallel_part +3$'

# with_clocks COMMAND...: off/clocks gets the clocks of each thread of waits; $most: the ms of the
# whole command
with_clocks()
{
	local began=${EPOCHREALTIME/./}

	"$@" -- "$waits" threads >off/clocks
	most=$(((${EPOCHREALTIME/./} - began) / 1000))
	sed "s/^/# $2: /" off/clocks
}

# its_time NAME THREAD FUNCTION: a test: all times together are at least that of the thread's own
# clock, and the time running at least 80 % of its CPU time. On a busy machine a thread begins late
its_time()
{
	between "off-cpu.$1.wall-$name" "$("$3" "$2" all)" $((there / 1000000)) "$most"
	between "off-cpu.$1.running-$name" "$("$3" "$2" running)" $((8 * ran / 10000000)) "$most"
	case $name in
	sleeper) between "off-cpu.$1.sleeps" "$("$3" "$2" sleeping)" 240 "$most" ;;
	waits) between "off-cpu.$1.vfork" "$("$3" "$2" uninterruptible)" 240 "$most" ;;
	busy-*) between "off-cpu.$1.runnable-$name" "$("$3" "$2" runnable)" 100 "$most" ;;
	esac
}

# stat_ms THREAD TIME: print one of its times in ms; "all": their sum
stat_ms()
{
	awk -F, -v thread="$1" -v time="$2" '$1 == thread && $8 == "time" && (time == "all" || $4 == time) {
		sum += $2 } END { printf "%d\n", 1000 * sum }' off/stat
}
with_clocks "$KNC_PMUCTL" stat --off-cpu --per-thread -x, -o off/stat
while read -r tid name there ran; do
	its_time stat "$name-$tid" stat_ms
	equal "off-cpu.stat.unknown-$name" "$(stat_ms "$name-$tid" unknown)" 0
done <off/clocks

# lane_ms TID STATE: print the time that timeline shows, in ms
# shellcheck disable=SC2317
lane_ms()
{
	awk -F, -v tid="$1" -v state="$2" '$4 == tid && (state == "all" || $6 == state) { sum += $2 - $1 }
		END { printf "%d\n", 1000 * sum }' off/threads
}
with_clocks "$KNC_PMUCTL" record -q --off-cpu -o off/threads.data
"$KNC_PMUCTL" timeline -i off/threads.data --threads >off/threads
while read -r tid name there ran; do
	its_time lane "$tid" lane_ms
done <off/clocks

# a thread that never stops waiting has no record of a context switch
sleep 100 &
until_true grep -q '(sleep) S' /proc/$!/stat
"$KNC_PMUCTL" stat --off-cpu --per-thread -x, -p $! -o off/stat -- sleep 0.3
kill $!
between off-cpu.stat.waits-on "$(stat_ms "sleep-$!" sleeping)" 300 2000
equal off-cpu.stat.waits-on-runs "$(stat_ms "sleep-$!" running)" 0
# the smallest rings, for a user with little lockable memory, fill up while stat is stopped
# shellcheck disable=SC2016
stopping='kill -STOP $PPID; for ((i = 0; i < 100; i++)); do sleep 0; done; kill -CONT $PPID'
(ulimit -l 128 && "${user[@]}" "$KNC_PMUCTL" stat --off-cpu -e BRANCHES:u -- bash -c "$stopping") 2>off/lost.said
sed -n 's/^knc-pmuctl: /# stat lost: /p' off/lost.said
has off-cpu.stat.lost "$(cat off/lost.said)" 'warning: [1-9][0-9]* of [0-9]+ context switches found no room in the ring: '
has off-cpu.stat.unknown "$(cat off/lost.said)" ' uninterruptible +unknown +thread$'

# two processes share a hardware thread: each is runnable while the other runs
record busy --pin 1 -- "$waits" busy
between off-cpu.busy "$(ns busy runnable ';main;compute')" 300000000 700000000
equal off-cpu.busy-waits "$(ns busy off-cpu ';compute')" 0

# the ring is too small while the recorder is stopped: both commands report the loss
"$KNC_PMUCTL" record --off-cpu --ring-size 4K -o off/lost.data -- bash -c "$stopping" 2>off/lost.said
sed 's/^/# lost: /' off/lost.said
has off-cpu.lost "$(cat off/lost.said)" '; [0-9]+ context switches, [1-9][0-9]* of them lost: use a bigger --ring-size'
has off-cpu.lost-report "$("$KNC_PMUCTL" report -i off/lost.data)" '^lost .*[0-9]+ context switch(es)? found no room'

exit "$failed"
