#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# shellcheck disable=SC2317 # functions by name
#
# Sessions that lose their counters to knc-pmuctl reset --force: the messages of both
# sides, and the counts that are still shown
cd "$(dirname "$0")" || exit 1
# shellcheck source=tests/card/guest/lib.sh
. ./lib.sh

cd "$TMPDIR" || exit 1

# Run as a user who may open the device, and nothing more
user=(setpriv --reuid 65534 --regid 4242 --clear-groups)
mkdir -p mine && chown 65534 mine

no_session()
{
	"$KNC_PMUCTL" info | grep -q 'no session has a counter'
}

# victim NAME COMMAND...: run it in the background as $pid; its messages go to NAME.said
victim()
{
	local name=$1
	shift
	"$@" >"$name.said" 2>&1 </dev/null &
	pid=$!
	until_true counting "$pid"
}

# reset NAME ARGUMENTS...: run knc-pmuctl reset; its messages go to NAME.reset
reset()
{
	local name=$1
	shift
	"$KNC_PMUCTL" reset "$@" >"$name.reset" 2>&1
}

# stat follows a user's program, and has the counters of all hardware threads
"${user[@]}" sleep 10000 &
sleeper=$!
until_true runs $sleeper sleep
victim stat "${user[@]}" "$KNC_PMUCTL" stat -p $sleeper -x, -e BRANCHES:u
reset left -C 1
equal evict.left-status $? 1
has evict.left-says "$(<left.reset)" "CPU 1 left alone: counter 0 belongs to pid $pid \(knc-pmuctl\);.*--force"
reset stat --force -C 1
equal evict.stat-status $? 0
has evict.stat-names "$(<stat.reset)" "^evicted from counter 0 of CPU 1: a session of pid $pid \(knc-pmuctl\)$"
has evict.stat-resets "$(<stat.reset)" '^PMU registers of CPU 1 are reset$'
# stat ends, although the program that it followed goes on: nothing is left to count
wait "$pid"
equal evict.stat-ends $? 0
has evict.stat-warns "$(<stat.said)" 'warning: evicted: .*reset --force.*; count again$'
has evict.stat-shows "$(<stat.said)" '^[0-9]+,,BRANCHES:u,'

# A command continues, and the tool waits for it
victim command "$KNC_PMUCTL" stat --json -C 1 -e BRANCHES:u -- \
	sh -c 'until [ -e go-on ]; do sleep 0.1; done; exit 7'
reset command --force -a
equal evict.command-reset $? 0
: >go-on
wait "$pid"
equal evict.command-status $? 7
has evict.command-json "$(<command.said)" '"flags":.*"evicted"'

# A recording keeps its samples, and ends
victim record "${user[@]}" "$KNC_PMUCTL" record -p $sleeper -e INSTRUCTIONS_EXECUTED:u@10007 \
	-o mine/data
reset record --force -a
equal evict.record-reset $? 0
wait "$pid"
equal evict.record-status $? 0
has evict.record-warns "$(<record.said)" 'warning: evicted: .*; record again$'
"$KNC_PMUCTL" script -i mine/data >/dev/null 2>script.said
equal evict.record-file $? 0

# top ends, because it has nothing more to show
top_counts()
{
	grep -q ' 1 ' top.said
}
"$KNC_PMUCTL" top -b -d 0.2 -C 1 -e BRANCHES:u >top.said 2>&1 </dev/null &
pid=$!
until_true top_counts
reset top --force -a
equal evict.top-reset $? 0
wait "$pid"
equal evict.top-status $? 1
has evict.top-says "$(<top.said)" 'evicted: .*; start again to go on$'

"${user[@]}" "$KNC_PMUCTL" reset --force -C 1 >user.reset 2>&1
equal evict.user-status $? 1
kill $sleeper
wait $sleeper 2>/dev/null
until_true no_session
equal evict.no-session $? 0
exit $failed
