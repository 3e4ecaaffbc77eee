#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# shellcheck disable=SC2016,SC2086,SC2317 # text for other shells, numbers, functions by name
#
# Recordings as a user makes them; tests/card/run-record looks at the files.
cd "$(dirname "$0")" || exit 1
# shellcheck source=tests/card/guest/lib.sh
. ./lib.sh

cd "$KNC_VM_SCRATCH" || exit 1
storm=
phases=$KNC_TEST_BUILD/phases

# run NAME FILE COMMAND...: COMMAND records FILE; messages go to NAME.said. On a busy host
# interrupts take long, and throttled samples do not show the program's shares. Then the recording
# is repeated, unless storm= asks for throttling.
run()
{
	local name=$1 file=$2 status
	shift 2
	while :; do
		"$@" >/dev/null 2>"$name.said"
		status=$?
		sed "s/^/# $name: /" "$name.said"
		[ $status -eq 0 ] && [ -z "$storm" ] || return $status
		"$KNC_PMUCTL" script -i "$file" | grep -q ': throttled$' || return 0
		echo "# $name: throttled, once more"
	done
}

# record NAME ARGUMENTS...: record NAME.data; the recorder runs on another CPU
record()
{
	local name=$1
	run "$name" "$name.data" taskset -c 0 "$KNC_PMUCTL" record -o "$name.data" "${@:2}"
	equal "record.$name" $? 0
}

# A prefix of a command: run as a user who may open the device, and nothing more
user=(setpriv --reuid 65534 --regid 4242 --clear-groups)

# follow NAME ARGUMENTS...: as record, by a user; the tool must print nothing else
follow()
{
	local name=$1
	run "$name" "user/$name.data" "${user[@]}" "$KNC_PMUCTL" record -o "user/$name.data" "${@:2}"
	equal "follow.$name" $? 0
}

no_session()
{
	"$KNC_PMUCTL" info | grep -q 'no session has a counter'
}

registers()
{
	"$KNC_PMUCTL" regs -C 1-7 | grep -vE 'TIME_STAMP|PerfCntr'
}

record share --pin 4 -C 4 -g=user -e INSTRUCTIONS_EXECUTED:u@35069 -- "$phases"
for bits in 32 64; do
	record frames$bits --pin 4 -C 4 -g=user -e INSTRUCTIONS_EXECUTED:u@50021 -- \
		"$KNC_TEST_BUILD/frames$bits" 3000
done
# Rings have room for all samples, because the reader may be late. A step is 100,000 instructions,
# plus a few of other tasks on that CPU. No small multiple of these periods is near a multiple of
# 100,000 to 100,400: otherwise all samples would hit a few places of the step.
record both --pin 4 -C 4 -g=user --ring-size 4M -e INSTRUCTIONS_EXECUTED:u@35069,BRANCHES:u@18133 -- "$phases"
record all -a -e INSTRUCTIONS_EXECUTED@100003 -- "$phases"
storm=1 record throttled --pin 4 -C 4 -e INSTRUCTIONS_EXECUTED:u@10 -- "$phases"
record tree --pin 4 -C 4 --ring-size 4M -e INSTRUCTIONS_EXECUTED:u@23607 -- sh -c "$phases & $phases & wait"
# At a frequency, and at a period that gives about as many samples: run-record compares both. Both
# record at the same time, because an idle card, unlike a program, does not repeat itself. With this
# many samples chance explains less than 3 points, 4.5 standard errors.
busy=$KNC_TEST_BUILD/busy
for freq in ${KNC_TEST_LONG:+500} 1000; do
	record freq-$freq --pin 4 -C 4 --ring-size 4M -F $freq -e INSTRUCTIONS_EXECUTED -- \
		"$busy" $((12000000 / freq))
	record idle-$freq -a --ring-size 1M \
		-e INSTRUCTIONS_EXECUTED@$freq/s,INSTRUCTIONS_EXECUTED@23607 -- sleep 10
	record all-$freq -a --ring-size 4M \
		-e INSTRUCTIONS_EXECUTED@$freq/s,INSTRUCTIONS_EXECUTED@200003 -- \
		sh -c "$busy $((6000000 / freq)) & $busy $((6000000 / freq)) & wait"
done
record freq-c --pin 4 -C 4 --ring-size 4M -c 200003 -e INSTRUCTIONS_EXECUTED -- "$busy" 12000
# wait until both have samples
sampled()
{
	[ "$("$KNC_PMUCTL" timeline -i time.data | tail -n +2 | cut -d, -f3 | sort -u | paste -sd' ')" = '4 5' ]
}
taskset -c 0 "$KNC_PMUCTL" record -C 4,5 --tbs 5 -e INSTRUCTIONS_EXECUTED:u -o time.data -- \
	taskset -c 4,5 sh -c 'until [ -e enough ]; do "$1"; done' sh "$phases" >/dev/null 2>time.said &
pid=$!
until_true sampled
: >enough
wait $pid
equal record.time $? 0

# A slow reader learns which samples it missed: the recorder is stopped while the program runs.
held='kill -STOP $PPID
until read -r _ _ state _ </proc/$PPID/stat && [ "$state" = T ]; do :; done
"$@"
kill -CONT $PPID'
taskset -c 0 "$KNC_PMUCTL" record --pin 4 -C 4 -q --ring-size 4K -e INSTRUCTIONS_EXECUTED:u@10007 \
	-o stopped.data -- sh -c "$held" sh "$phases" >/dev/null
equal record.stopped $? 0

# Kill the recorder at random moments, every third time as soon as its file has samples: no session
# remains, and the file is readable.
before=$(registers)
readable=0 late=0
kills=${KNC_TEST_LONG:+30}
kills=${kills:-3}
for i in $(seq "$kills"); do
	"$KNC_PMUCTL" record -a -q -c 20011 -o killed.data -- sleep 1000 &
	pid=$!
	if [ $((i % 3)) -eq 0 ]; then
		until_true "$KNC_PMUCTL" report -i killed.data
	else
		sleep "0.$((RANDOM % 4))$((RANDOM % 10))"
	fi
	kill -9 $pid
	wait $pid 2>/dev/null
	# a file without a complete header can't be read
	if "$KNC_PMUCTL" report -i killed.data >/dev/null 2>&1; then
		readable=$((readable + 1))
		[ $((i % 3)) -ne 0 ] || late=$((late + 1))
	fi
	rm -f killed.data killed.data.old
	pkill -x sleep
done
echo "# killed: $readable of $kills files had samples to report"
equal record.killed-readable $late $((kills / 3))
until_true no_session
has record.killed-owner "$("$KNC_PMUCTL" info)" 'no session has a counter'
equal record.killed-registers "$(registers)" "$before"

# Programs of a user are followed while others run on the same threads.
mkdir -m 777 user
tsample=$KNC_TEST_BUILD/tsample
cp "$tsample" rival
for _ in $(seq 4); do
	while :; do ./rival 50; done &
	rivals+=($!)
done
paranoid=$(</proc/sys/kernel/perf_event_paranoid)
echo 2 >/proc/sys/kernel/perf_event_paranoid
follow roam -g=user -e INSTRUCTIONS_EXECUTED:u@23607 -- "$tsample" 400
has follow.roam-said "$(<roam.said)" '^knc-pmuctl record: [0-9]+ samples of INSTRUCTIONS_EXECUTED:u in tsample written'
follow default -e INSTRUCTIONS_EXECUTED@23607 -- "$tsample" 40
has follow.default-said "$(<default.said)" 'INSTRUCTIONS_EXECUTED:u .*kernel mode is left out'
follow forks -e INSTRUCTIONS_EXECUTED:u@50021,BRANCHES:u@39607 -- "$tsample" 4 forks 100
follow threads -e INSTRUCTIONS_EXECUTED:u@50021,BRANCHES:u@39607 -- "$tsample" 40 threads 16
follow alone --no-inherit -e INSTRUCTIONS_EXECUTED:u@23607 -- "$tsample" 40 threads 4
storm=1 follow every -e INSTRUCTIONS_EXECUTED:u@1 -- "$tsample" 20
follow freq -F 100 -e INSTRUCTIONS_EXECUTED:u -- "$tsample" 400
# The program is followed from its first instruction. The rings have room for all samples.
threads_stopped()
{
	"${user[@]}" "$tsample" 600 threads 3 &
	pid=$!
	until_true grep -qE '^(Threads:	4|State:	Z)' /proc/$pid/status
	kill -STOP $pid
	until_true grep -qE '^State:	[TZ]' /proc/$pid/status
	grep -qx 'Threads:	4' /proc/$pid/status
}
until threads_stopped; do
	wait $pid
done
"${user[@]}" "$KNC_PMUCTL" record -o user/pid.data -e INSTRUCTIONS_EXECUTED:u@100003 -p $pid \
	>/dev/null 2>pid.said &
recorder=$!
until_true counting $recorder
kill -CONT $pid
wait $pid
wait $recorder
equal follow.pid $? 0
sed 's/^/# pid: /' pid.said
# a setting with which the kernel does not report users' programs
echo 3 >/proc/sys/kernel/perf_event_paranoid
if "${user[@]}" "$KNC_PMUCTL" record -q -o user/told.data -- true 2>&1 | grep -q 'does not tell'; then
	follow proc -g=user -e INSTRUCTIONS_EXECUTED:u@23607 -- "$tsample" 400
else
	echo "# proc: this kernel has no perf_event_paranoid of 3"
	cp user/roam.data user/proc.data
fi
# thread names are read again every second
follow late -e INSTRUCTIONS_EXECUTED:u@1000003 -- "$tsample" 4 late
echo "$paranoid" >/proc/sys/kernel/perf_event_paranoid

# A process whose first thread has ended is counted, followed and named by its other threads.
strange=$KNC_TEST_BUILD/strange
"$strange" leaderless &
pid=$!
until_true grep -qE '^State:	Z' /proc/$pid/status
has leaderless.stat "$("$KNC_PMUCTL" stat -e INSTRUCTIONS_EXECUTED:u -p $pid -- sleep 0.05 2>&1)" \
	'^ +[0-9]{5,} +INSTRUCTIONS_EXECUTED:u'
"$KNC_PMUCTL" record -o strange.data -e INSTRUCTIONS_EXECUTED:u@100003 -p $pid -- sleep 0.05 2>strange.said
equal leaderless.record $? 0
equal leaderless.warnings "$(grep -c warning strange.said)" 0
has leaderless.named "$("$KNC_PMUCTL" report -i strange.data)" '\[\.\] (loop|strange_work) +strange'
"$KNC_PMUCTL" record -q -o strange.data -e INSTRUCTIONS_EXECUTED:u@100003 -a -- sleep 0.05
has leaderless.everywhere "$("$KNC_PMUCTL" report -i strange.data)" '\[\.\] (loop|strange_work) +strange'
"$KNC_PMUCTL" top -b -n 2 -d 0.2 -p $pid >strange.said 2>&1
has leaderless.top "$(<strange.said)" "^ *$pid +strange .* [1-9][0-9.]* "
# more files than the limit: root may raise it
has listen.limit "$(setpriv --bounding-set -sys_resource bash -c 'ulimit -n 8; "$1" record -q -o strange.data -p "$2" -- true 2>&1' - "$KNC_PMUCTL" $pid)" \
	'threads on 8 CPUs take [0-9]+ open files, and 8 are the limit|Too many open files'
kill -9 $pid

# The vdso has no file, and the kernel reports no build id
"$strange" vdso &
pid=$!
"$KNC_PMUCTL" record -q -o strange.data -e INSTRUCTIONS_EXECUTED:u@10007 -p $pid -- sleep 0.05
has vdso.process "$("$KNC_PMUCTL" report -i strange.data)" '\[\.\] (__vdso_)?clock_gettime +\[vdso\]'
kill -9 $pid
"$KNC_PMUCTL" record -q -o strange.data -e INSTRUCTIONS_EXECUTED:u@100003 -- "$strange" vdso 300000
has vdso.command "$("$KNC_PMUCTL" report -i strange.data)" '\[\.\] (__vdso_)?clock_gettime +\[vdso\]'

# Code generated at run time: its map is in /tmp, where no other user can write here
cp "$KNC_PMUCTL" "$strange" "$TMPDIR"
# shellcheck disable=SC2016 # for that shell
text=$(unshare -m sh -c 'cd "$1" && mount -t tmpfs none /tmp &&
	./knc-pmuctl record -q -o made.data -e INSTRUCTIONS_EXECUTED:u@100003 -- ./strange made &&
	./knc-pmuctl report -i made.data' - "$TMPDIR" 2>&1)
has made.command "$text" '^ *(9[0-9]|100)\.[0-9]+% .*\[\.\] made_loop +\[JIT\] tid [0-9]+$'
rm -f "$TMPDIR"/{knc-pmuctl,strange,made.data}

"${user[@]}" "$KNC_PMUCTL" record -q --ring-size 4K -o user/held.data -e INSTRUCTIONS_EXECUTED:u@1009 \
	-- sh -c "$held" sh "$tsample" 400
equal follow.held $? 0
kill "${rivals[@]}"
wait "${rivals[@]}" 2>/dev/null

# Locked memory is given back: each recording needs nearly all that is allowed.
before=$(registers)
recorded=0
ulimit -S -l 64
for _ in $(seq "$kills"); do
	"${user[@]}" "$KNC_PMUCTL" record -q --ring-size 512K -o user/locked.data -- true 2>>locked.said &&
		recorded=$((recorded + 1))
done
sort locked.said | uniq -c | sed 's/^/# locked: /'
equal follow.locked $recorded "$kills"
has follow.locked-refused "$("${user[@]}" "$KNC_PMUCTL" record --ring-size 4M -o user/locked.data -- true 2>&1)" \
	'RLIMIT_MEMLOCK.*--ring-size'
# locked memory is given back also if the recorder or its command is killed
for i in $(seq "$kills"); do
	"${user[@]}" "$KNC_PMUCTL" record -q --ring-size 512K -c 20011 -o user/killed.data -- "$tsample" 4000 &
	pid=$!
	sleep "0.$((RANDOM % 4))$((RANDOM % 10))"
	child=$(pgrep -P $pid)
	case $((i % 3)) in
	0) kill -9 $pid ;;
	1) kill -9 "$child" ;;
	2) kill -9 "$child" $pid ;;
	esac
	pkill -9 -x tsample
	wait $pid
done 2>killed.said
until_true sh -c '! pgrep -x tsample'
until_true no_session
has follow.killed-owner "$("$KNC_PMUCTL" info)" 'no session has a counter'
equal follow.killed-registers "$(registers)" "$before"
"${user[@]}" "$KNC_PMUCTL" record -q --ring-size 512K -o user/locked.data -- true
equal follow.killed-locked $? 0
exit $failed
