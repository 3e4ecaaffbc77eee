#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Load and unload the module, idle and in use
cd "$(dirname "$0")" || exit 1
# shellcheck source=tests/card/guest/lib.sh
. ./lib.sh

unload()
{
	rmmod knc_pmu
}

load()
{
	insmod "$KNC_MODULE"
}

is_loaded()
{
	[ -d /sys/module/knc_pmu ] && [ -c /dev/knc_pmu ]
}

equal module.loaded "$(is_loaded; echo $?)" 0
before=$(stat -c '%a %g' /dev/knc_pmu)

# an open file keeps the module loaded, even without a session
exec 5<>/dev/knc_pmu
equal module.unload-open "$(unload >/dev/null 2>&1; echo $?)$(is_loaded; echo $?)" 10
exec 5>&-

# a session that counts keeps the module loaded, and goes on counting
"$KNC_PMUCTL" stat -C 2 -e BRANCHES -x, -o "$TMPDIR/held" -- sleep 1000 &
holder=$!
until_true counting $holder
has module.session "$("$KNC_PMUCTL" info)" 'counter 0 of CPUs 2:'
equal module.unload-session "$(unload >/dev/null 2>&1; echo $?)$(is_loaded; echo $?)" 10
kill $holder
wait $holder
count=$(grep -v '^#' "$TMPDIR/held" | cut -d, -f1)
equal module.session-counts "$((${count:-0} > 0))" 1

for round in 1 2 3; do
	text=$(unload 2>&1)
	equal module.unload-$round "$text$(is_loaded; echo $?)" 1
	text=$(load 2>&1)
	equal module.load-$round "$text$(is_loaded; echo $?)" 0
done

# Loading does not wait for a real-time program that occupies a CPU.
unload
limit=$(cat /proc/sys/kernel/sched_rt_runtime_us)
echo -1 >/proc/sys/kernel/sched_rt_runtime_us
timeout -s KILL 10 chrt -f 50 taskset -c 3 sh -c 'while :; do :; done' &
hog=$!
until_true pgrep -x sh -P $hog
text=$(load 2>&1)
equal module.load-beside "$text$(is_loaded; echo $?)$(kill -0 $hog; echo $?)" 00
pkill -KILL -P $hog
wait $hog 2>/dev/null
echo "$limit" >/proc/sys/kernel/sched_rt_runtime_us

# Only with a module parameter can any event be tried on any counter, and the output says so. The
# emulated card's counter 1 does not count events that are documented for counter 0 only.
tried=(stat -C 2 -e "L2_READ_MISS/1,DATA_READ/0" -- true)
has module.trial.refused "$("$KNC_PMUCTL" "${tried[@]}" 2>&1)" "'L2_READ_MISS/1': counter 1 can't count it"
lacks module.trial.not-in-info "$("$KNC_PMUCTL" info)" 'any counter' '^features '
unload
insmod "$KNC_MODULE" any_counter=1
text=$("$KNC_PMUCTL" "${tried[@]}" 2>&1)
has module.trial.counted "$text" '^ +0      L2_READ_MISS/1 +a trial( |$)'
has module.trial.beside "$text" '^ +[1-9][0-9]* +DATA_READ/0( |$)'
has module.trial.says "$text" '^ a trial: on a counter that is not known to count this event, '
has module.trial.info "$("$KNC_PMUCTL" info)" 'any counter'
has module.trial.csv "$("$KNC_PMUCTL" stat -x, "${tried[@]:1}" 2>&1)" '^0,trial,L2_READ_MISS/1,'
has module.trial.json "$("$KNC_PMUCTL" stat --json "${tried[@]:1}" 2>&1)" '"event":"L2_READ_MISS/1",.*"trial":true'
# without a requested counter the event gets one that is known to count it
has module.trial.without "$("$KNC_PMUCTL" stat -C 2 -e L2_READ_MISS,L2_WRITE_HIT -- true 2>&1)" \
	'only counter 0 can count either'
unload
load
equal module.node "$(stat -c '%a' /dev/knc_pmu)" "${before% *}"
chgrp "${before#* }" /dev/knc_pmu
# a file, not a pipe: the pipe's reader would run where the session counts
env -u KNC_TEST_ONLY "$KNC_TEST_BUILD/counts" counts.instructions >"$TMPDIR/counts" || failed=1
sed 's/counts.instructions/module.counts-again/' "$TMPDIR/counts"
exit $failed
