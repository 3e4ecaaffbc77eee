#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Recordings as a user makes them; tests/system/run-record looks at the files.
cd "$(dirname "$0")" || exit 1
# shellcheck source=tests/system/guest/lib.sh
. ./lib.sh

cd "$TMPDIR" || exit 1
phases=$KNC_TEST_BUILD/phases

# record NAME ARGUMENTS...: NAME.data; the recorder runs elsewhere
record()
{
	local name=$1 status
	shift
	taskset -c 0 "$KNC_PMUCTL" record -o "$name.data" "$@" >/dev/null 2>"$name.said"
	status=$?
	sed "s/^/# $name: /" "$name.said"
	equal "record.$name" $status 0
}

registers()
{
	"$KNC_PMUCTL" regs -C 1-7 | grep -vE 'TIME_STAMP|PerfCntr'
}

record share --pin 4 -g=user -e INSTRUCTIONS_EXECUTED:u@10007 -- "$phases"
record both --pin 4 -g=user -e INSTRUCTIONS_EXECUTED:u@7919,BRANCHES:u@7919 -- "$phases"
record all -a -e INSTRUCTIONS_EXECUTED@100003 -- "$phases"
record throttled --pin 4 -e INSTRUCTIONS_EXECUTED:u@10 -- "$phases"
record tree --pin 4 -e INSTRUCTIONS_EXECUTED:u@10007 -- sh -c "$phases & $phases & wait"
record time -C 4,5 --tbs 5 -e INSTRUCTIONS_EXECUTED:u -- taskset -c 4,5 "$phases"

# A reader that does not keep up is told what it missed.
taskset -c 0 "$KNC_PMUCTL" record --pin 4 -q --ring-size 4K -e INSTRUCTIONS_EXECUTED:u@10007 \
	-o stopped.data -- "$phases" >/dev/null &
pid=$!
until_true grep -qs . stopped.data
kill -STOP $pid
sleep 2
kill -CONT $pid
wait $pid
equal record.stopped $? 0

# Killed at any moment: nothing is left, what was written can be read.
before=$(registers)
readable=0
for _ in $(seq 200); do
	"$KNC_PMUCTL" record -a -q -c 20011 -o killed.data -- sleep 5 &
	pid=$!
	sleep "0.$((RANDOM % 4))$((RANDOM % 10))"
	kill -9 $pid
	wait $pid 2>/dev/null
	# a file without a header yet can't be
	"$KNC_PMUCTL" report -i killed.data >/dev/null 2>&1 && readable=$((readable + 1))
	rm -f killed.data killed.data.old
done
pkill -x sleep
echo "# killed: $readable of 200 files had samples to report"
has record.killed-readable $readable '^[1-9]'
has record.killed-owner "$("$KNC_PMUCTL" info)" 'no session has a counter'
equal record.killed-registers "$(registers)" "$before"
exit $failed
