#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# perf with mainline's own Knights Corner driver, on the same registers: a
# second opinion on counter 0, and a rival for the counters
cd "$(dirname "$0")" || exit 1
# shellcheck source=tests/system/guest/lib.sh
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
# perf begins at exec; the bare ioctls with a wake-up and the call of exec,
# knc-pmuctl with the dynamic linker's search for exec besides
close_to()
{
	local apart=$(($2 - theirs2))
	if [ $apart -ge 0 ] && [ $apart -le "$3" ]; then
		ok "$1"
	else
		not_ok "$1" "$2 is $apart more than perf's $theirs2"
	fi
}
"$KNC_TEST_BUILD/counts" counts.instructions >"$out"
bare=$(sed -n 's/.*on counter 0: .*, //p' "$out")
echo "# bare ioctls: $bare"
# from the release of the program to its execution, which perf does not count
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

# and the other way round
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
exit $failed
