#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# perf with mainline's own Knights Corner driver, on the same registers: a
# second opinion on counter 0, and a rival for the counters
#
#   perf.sh [ROUNDS]	how often perf is used before a count
cd "$(dirname "$0")" || exit 1
# shellcheck source=tests/card/guest/lib.sh
. ./lib.sh

if ! command -v perf >/dev/null; then
	skip perf "perf is not installed: apt-get install linux-perf"
	exit 0
fi
if ! perf stat -e r0016:u true >/dev/null 2>&1; then
	skip perf "this kernel's perf does not count"
	exit 0
fi
out=$TMPDIR/perf

perf_count()
{
	perf stat -x, -e r0016:u -o "$out" -- "$KNC_TEST_BUILD/loop" "$1" || return
	grep -v '^#' "$out" | grep . | cut -d, -f1
}

our_count()
{
	taskset -c 0 "$KNC_PMUCTL" stat --pin 1 -x, -e r0016:u -o "$out" -- \
		"$KNC_TEST_BUILD/loop" "$1" || return
	grep -v '^#' "$out" | cut -d, -f1
}

theirs1=$(perf_count 1000000)
theirs2=$(perf_count 2000000)
ours1=$(our_count 1000000)
ours2=$(our_count 2000000)
echo "# perf: $theirs1 $theirs2, knc-pmuctl: $ours1 $ours2"
equal perf.growth $((theirs2 - theirs1)) 2000000
equal perf.same-growth $((ours2 - ours1)) $((theirs2 - theirs1))
# perf counts from exec on; the bare ioctls also count a wake-up and the call of exec; knc-pmuctl
# also counts the search of the dynamic linker
close_to()
{
	local apart=$(($2 - theirs2))
	if [ $apart -ge 0 ] && [ $apart -le "$3" ]; then
		ok "$1"
	else
		not_ok "$1" "$2 is $apart more than perf's $theirs2"
	fi
}
# The session also counts other programs on that CPU, such as the reader of this output: take the
# minimum of several tries. They run even if other tests were asked for.
bare=
for try in 1 2 3; do
	env -u KNC_TEST_ONLY "$KNC_TEST_BUILD/counts" counts.instructions >"$out"
	text=$(sed -n 's/.*on counter 0: .*, //p' "$out")
	[ -n "$text" ] || sed "s/^/# try $try: /" "$out"
	[ -z "$text" ] || [ "${bare:-$text}" -lt "$text" ] || bare=$text
done
echo "# bare ioctls: $bare"
# the instructions from the program's release to its exec, which perf does not count
close_to perf.same-count-ioctl "$bare" 30
close_to perf.same-count-pmuctl "$ours2" 3000

# while a session has the counters, perf doesn't count
taskset -c 0 "$KNC_PMUCTL" stat -C 2 -e BRANCHES -o /dev/null -- sleep 1000 &
holder=$!
if until_true counting $holder; then
	text=$(perf stat -x, -e r0016:u -- "$KNC_TEST_BUILD/loop" 1000000 2>&1)
	if [[ $text =~ ^[0-9]+, ]]; then
		not_ok perf.refused "perf counted beside a session: $text"
	else
		ok perf.refused
	fi
else
	not_ok perf.refused "no session to be in the way"
fi
kill $holder
wait $holder

# the opposite order: perf counts first, and the session is refused
until=/dev/shm/knc-test-until
mkfifo $until
perf stat -a -e r0016:u -o /dev/null -- sh -c "touch $until.ready; cat $until" &
holder=$!
until_true test -e $until.ready
text=$("$KNC_PMUCTL" stat --pin 1 -e BRANCHES -o /dev/null -- true 2>&1)
has perf.refuses "status $?: $text" 'status 1: .*perf'
timeout 600 sh -c "echo >$until"
wait $holder
equal perf.over "$(our_count 2000000)" "$ours2"

# perf marks counters that it has used as dirty, on each CPU. At a switch to a program with
# permission for RDPMC the kernel sets dirty counters to 0, even if a session counts on them.

both=r0016,r0012

granted()
{
	taskset -c "$1" "$KNC_PMUCTL" grant -x, -e INSTRUCTIONS_EXECUTED:u,BRANCHES:u \
		-o "$out" -- "$KNC_TEST_BUILD/loop" 1000000 || return
	grep -v '^#' "$out" | cut -d, -f1 | tr '\n' ' '
}

# called by until_true
# shellcheck disable=SC2317
has_events()
{
	find "/proc/$1/fd" -lname '*perf_event*' | grep -q .
}

killed_perf()
{
	local pid

	perf stat -a -e $both -o /dev/null -- sleep 1000 &
	pid=$!
	until_true has_events $pid || return
	pkill -9 -P $pid
	kill -9 $pid
	wait $pid 2>/dev/null
}

watchdog()
{
	echo 1 >/proc/sys/kernel/nmi_watchdog
	echo 0 >/proc/sys/kernel/nmi_watchdog
} 2>/dev/null

use_perf()
{
	case $(($1 % 5)) in
	0) perf stat -a -e $both -o /dev/null -- true ;;
	1) perf stat -e $both -o /dev/null -- taskset -c 1 "$KNC_TEST_BUILD/loop" 1000 ;;
	2) perf record -q -a -e r0016 -c 1000003 -o "$TMPDIR/perf.data" -- true ;;
	3) watchdog ;;
	4) killed_perf ;;
	esac
}

# perf record leaves overflows in GLOBAL_STATUS, which only OVF_CONTROL (0x2e) can clear: the test
# must leave that register as it found it
clear_status()
{
	local msr

	for msr in /dev/cpu/[0-9]*/msr; do
		printf '\3\0\0\0\0\0\0\0' |
			dd of="$msr" bs=8 count=1 oflag=seek_bytes seek=46 conv=notrunc 2>/dev/null
	done
}

# rounds NUMBER: perf counts, then our session; the first rounds, one for each way of using perf,
# also read on all hardware threads by READ and by the page
rounds()
{
	local i wrong=0 text

	for ((i = 0; i < $1; i++)); do
		use_perf $i >/dev/null 2>&1
		text=$(granted 1)
		[ "$text" = "$before" ] || {
			echo "# round $i: $text"
			wrong=$((wrong + 1))
		}
		[ $i -lt 5 ] || continue
		use_perf $i >/dev/null 2>&1
		clear_status
		env -u KNC_TEST_ONLY "$KNC_TEST_BUILD/rdpmc" rdpmc.every-cpu rdpmc.beside-threads >"$out" || {
			grep -v '^ok' "$out" | sed "s/^/# round $i: /"
			wrong=$((wrong + 1))
		}
	done
	equal perf.then-grant "$wrong wrong of $1 rounds" "0 wrong of $1 rounds"
}

before=$(granted 1)
echo "# granted: $before"
has perf.granted "$before" '^20000[0-9]{2} 10000[0-9]{2} $'
rounds "${1-$((${KNC_TEST_LONG:+15} + 5))}"

# A CPU that is offline when the counters are taken from perf
cpu2=/sys/devices/system/cpu/cpu2/online
before=$(granted 2)
perf stat -a -e $both -o /dev/null -- true
echo 0 >$cpu2
# a session that leaves counters for others
"$KNC_PMUCTL" stat -e BRANCHES:u -o /dev/null -- sleep 1000 &
holder=$!
until_true counting $holder
echo 1 >$cpu2
equal perf.then-online "$(granted 2)" "$before"
kill $holder
wait $holder 2>/dev/null

# The kernel permits RDPMC to no program: CONFIG reports it at once, instead of a later SIGSEGV
rdpmc=/sys/bus/event_source/devices/cpu/rdpmc
echo 0 >$rdpmc
text=$("$KNC_PMUCTL" grant -e BRANCHES:u -- "$KNC_TEST_BUILD/readpmc" 10 2>&1)
has rdpmc-0.refused "status $?: $text" "status 1: .*$rdpmc is 0"
has rdpmc-0.info "$("$KNC_PMUCTL" info)" "no program can have it"
equal rdpmc-0.json "$("$KNC_PMUCTL" info --json | grep -o '"rdpmc_setting": [0-9]')" '"rdpmc_setting": 0'
# CONFIG also refuses RDPMC while a session exists that took the counters over under that setting
perf stat -a -e $both -o /dev/null -- true
taskset -c 0 "$KNC_PMUCTL" stat -C 1 -e BRANCHES -o /dev/null -- sleep 1000 &
holder=$!
until_true counting $holder
echo 1 >$rdpmc
text=$("$KNC_PMUCTL" grant -e INSTRUCTIONS_EXECUTED:u -- "$KNC_TEST_BUILD/readpmc" 10 2>&1)
text="status $?: $text"
case $(uname -r) in
5.10.*) has rdpmc-0.late-without-marks "$text" '^status 0: ' ;;
*) has rdpmc-0.late "$text" "^status 1: .*$rdpmc is 0" ;;
esac
kill $holder
wait $holder 2>/dev/null
equal rdpmc-0.over "$(granted 2)" "$before"
# the setting that permits RDPMC to all programs
echo 2 >$rdpmc
has rdpmc-2.info "$("$KNC_PMUCTL" info)" 'open to everybody'
equal rdpmc-2.json "$("$KNC_PMUCTL" info --json | grep -o '"rdpmc_setting": [0-9]')" '"rdpmc_setting": 2'
equal rdpmc-2.counts "$(granted 2)" "$before"
echo 1 >$rdpmc
lacks rdpmc-1.info "$("$KNC_PMUCTL" info)" "$rdpmc" '^features '
exit $failed
