#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# shellcheck disable=SC2016,SC2317 # text for other shells, functions by name
#
# Processes that end, are killed or are refused at the worst moment: nothing is lost, no process
# waits forever, and messages are true. slow.so forces the rare moments.
cd "$(dirname "$0")" || exit 1
# shellcheck source=tests/card/guest/lib.sh
. ./lib.sh

prog=$KNC_TEST_BUILD
cd "$TMPDIR" || exit 1

# slow WHAT ARGUMENT...: run knc-pmuctl with slow.so in place of a subshell
slow()
{
	local what=$1
	shift
	# a shell's background job ignores these signals
	LD_PRELOAD=$prog/slow.so SLOW=$what exec env --default-signal=INT,QUIT \
		"$KNC_PMUCTL_SHARED" "$@"
}

# Signals end stat
takes()
{
	grep -q '^SigBlk:.*[2367abef]$' "/proc/$1/status"
}

# Signals end stat even if reading takes longer than the interval
"$prog/spin" 1 &
spin=$!
slow read stat -p $spin -e BRANCHES -o late &
tool=$!
until_true test -e late
until_true takes $tool
kill -INT $tool
ended $tool
equal late.process "$end" 0
has late.process-counts "$(<late)" ' BRANCHES$'
kill $spin
wait $spin 2>/dev/null
rm late
slow read stat -C 1 -I 10 -e BRANCHES -x, -o late -- sleep 1000 &
tool=$!
until_true test -s late
kill -TERM $tool
ended $tool
equal late.command "$end" $((128 + 15))

# The command is killed before it is executed
text=$(slow early-kill stat -e BRANCHES -o early -- true 2>&1)
equal early.status $? $((128 + 9))
has early.says "$text" 'killed before it was executed \(Killed\)'
equal early.no-file "$(cat early 2>&1)" 'cat: early: No such file or directory'
text=$(slow early-kill record -o early -- true 2>&1)
equal early.record $? $((128 + 9))
text=$(slow late-kill stat -C 1 -x, -e BRANCHES -- true 2>&1)
equal early.let-go $? $((128 + 9))
has early.counts "$text" '^[0-9]+,,BRANCHES,'

# Ctrl-C before the command exists, and a terminal that hangs up
slow early-int stat -e BRANCHES -o /dev/null -- sleep 1000 2>/dev/null &
ended $!
equal signal.early "$end" $((128 + 2))
slow early-int record -q -o int.data -- sleep 1000 2>/dev/null &
ended $!
equal signal.early-record "$end" $((128 + 2))
slow hangup stat -I 50 -e BRANCHES -o /dev/null -- sleep 1000 2>/dev/null &
ended $!
equal signal.hangup "$end" $((128 + 1))

# Files keep their old contents until the new contents are complete
echo before >counts
for options in '' '--append' '-I 10' '--json'; do
	# shellcheck disable=SC2086 # words
	"$KNC_PMUCTL" stat $options -e BRANCHES -o counts -- nosuchcommand 2>/dev/null
	equal "file.kept${options:+.}${options//[- 0-9]/}" "$? $(<counts)" '127 before'
done
"$KNC_PMUCTL" stat -x, -I 10 -e BRANCHES -o counts -- sleep 0.1
has file.written "$(head -n 1 counts)" '^[0-9.]+,[0-9]+,,BRANCHES,'
echo before >counts
"$KNC_PMUCTL" stat -x, -e BRANCHES -o counts -- true
equal file.replaced "$(sed 's/^[0-9]*,,\([A-Z]*\),.*/\1/' counts)" BRANCHES
"$KNC_PMUCTL" stat -x, --append -e DATA_READ -o counts -- true
equal file.appended "$(sed 's/^[0-9]*,,\([A-Z_]*\),.*/\1/' counts | paste -sd' ')" 'BRANCHES DATA_READ'
"$KNC_PMUCTL" stat -e BRANCHES -o new -- nosuchcommand 2>/dev/null
equal file.not-made "$(ls new 2>/dev/null)" ''

# Two recordings from before keep their contents too
for old in two one; do
	"$KNC_PMUCTL" record -q -o kept.data -- true
	printf '\n%s\n' $old >>kept.data
done
"$KNC_PMUCTL" record -q -o kept.data -- nosuchcommand 2>/dev/null
equal profile.status $? 127
"$KNC_PMUCTL" record -q -o kept.data -p 4194304 2>/dev/null
equal profile.kept "$(tail -n 1 kept.data) $(tail -n 1 kept.data.old)" 'one two'
equal profile.files "$(echo kept.data*)" 'kept.data kept.data.old'
# a symbolic link stays, and its target is kept
mkdir elsewhere
ln -s elsewhere/far.data near.data
"$KNC_PMUCTL" record -q -o near.data -- nosuchcommand 2>/dev/null
equal profile.dangling "$? $(ls elsewhere)" '127 '
for old in two one; do
	"$KNC_PMUCTL" record -q -o near.data -- true
	printf '\n%s\n' $old >>near.data
done
"$KNC_PMUCTL" record -q -o near.data -- nosuchcommand 2>/dev/null
equal profile.link-kept "$? $(tail -n 1 near.data) $(tail -n 1 elsewhere/far.data.old)" '127 one two'
equal profile.link-files "$(readlink near.data) $(echo near.data*) $(echo elsewhere/*)" \
	'elsewhere/far.data near.data elsewhere/far.data elsewhere/far.data.old'
rm -r near.data elsewhere
# a file that a killed recorder with the same pid has left stays, and disturbs no other recording
echo mine >mine
sh -c 'cp mine "kept.data.$$"; echo "kept.data.$$" >name; exec "$1" record -q -o kept.data -- true' \
	sh "$KNC_PMUCTL" 2>/dev/null
equal profile.another "$? $(<"$(<name)")" '0 mine'
drafts=(kept.data*)
equal profile.drafts "${drafts[*]}" "kept.data $(<name) kept.data.old"
rm -f "$(<name)" name mine
equal profile.moved "$(tail -n 1 kept.data.old)" one
has profile.new "$("$KNC_PMUCTL" report -i kept.data)" '^command +true$'

# The disk becomes full at the end of the recording: its last 64 to 300 bytes have no room
rare=(-q -e BRANCHES:u@1000000000 -o full.data -- "$prog/loop" 1)
"$KNC_PMUCTL" record "${rare[@]}"
size=$(stat -c %s full.data)
for less in 64 100 200 300; do
	rm -f full.data*
	prlimit --fsize=$((size - less)) "$KNC_PMUCTL" record "${rare[@]}" 2>full.said &
	ended $!
	equal full.$less "$end" 1
	has full.$less-says "$(<full.said)" "can't write to 'full.data': File too large"
done

# Too many open files
text=$(prlimit --nofile=5 "$KNC_PMUCTL" stat -e BRANCHES -- true 2>&1)
equal files.status $? 1
has files.says "$text" "can't make a pipe: Too many open files; raise the limit of open files \(ulimit -n\)$"

# Threads that have ended make room: each present thread has its row
mkfifo /run/knc-test-turn
"$prog/churn" 400 4 </run/knc-test-turn >turns &
churn=$!
exec 5>/run/knc-test-turn
# there LINES: wait until the tool has seen all threads of this turn
there()
{
	[ "$(grep -c ',churn-[0-9]*,' shown)" -ge "$1" ]
}
"$KNC_PMUCTL" stat --per-thread -p $churn -I 50 -x, -e BRANCHES:u -o shown &
tool=$!
for turn in 1 2 3; do
	until_true grep -q "^$turn$" turns
	until_true there $(($(grep -c . shown) + 401))
	echo >&5
done
until_true grep -q '^4$' turns
shown_then=$(grep -c ',churn-' shown)
until_true there $((shown_then + 802))
kill -TERM $tool
ended $tool
equal churn.status "$end" 0
# the last complete interval
equal churn.rows "$(awk -F, '{ if ($1 != time) { last = rows; rows = 0; time = $1 }
	rows += $2 ~ /^churn-/ } END { print rows }' shown)" 401
exec 5>&-
kill $churn
wait $churn 2>/dev/null
rm -f /run/knc-test-turn

# The recorder stands still while many programs are executed, each of which is reported to it
held='kill -STOP $PPID
until read -r _ _ state _ </proc/$PPID/stat && [ "$state" = T ]; do :; done
for i in $(seq 300); do "$1" 1; done
kill -CONT $PPID'
"$KNC_PMUCTL" record --pin 1 -q -c 1000003 -o still.data -- sh -c "$held" sh "$prog/loop"
equal still.status $? 0
lacks still.missing "$("$KNC_PMUCTL" report -i still.data 2>&1)" 'records of tasks are missing' '^command '

# top: a hardware thread goes offline after it was listed and before it is counted
online=/sys/devices/system/cpu/cpu3/online
text=$(export SLOW_CPU=$online; slow offline top -b -d 0.2 -n 1 2>&1)
equal offline.status $? 0
equal offline.row "$(<$online) $(grep -c '^ *3 ' <<<"$text")" '0 0'
echo 1 >$online

# Before top gives a child a session of its own it closes the parent's session; slow.so delays that.
# The parent's events until then are not lost, even if the parent ends.
# family N: print BRANCHES:u of the parent, which executes loop N meanwhile
family()
{
	local parent tool fifo=/run/knc-test-family

	rm -f $fifo.* at go
	mkfifo $fifo.1 $fifo.2 $fifo.3
	# shellcheck disable=SC2094
	sh -c 'read -r x <"$1.1"; (read -r x <"$1.3") & read -r x <"$1.2"; exec "$2" "$3"' \
		sh $fifo "$prog/loop" "$1" &
	parent=$!
	SLOW_PARENT=$parent SLOW_AT=$PWD/at SLOW_GO=$PWD/go slow refused \
		top -b -d 0.2 --tasks=64 -e BRANCHES:u >family 2>&1 &
	tool=$!
	until_true grep -q "^ *$parent sh " family
	echo >$fifo.1
	until_true test -e at
	echo >$fifo.2
	until_true gone $parent
	: >go
	until_true family_shown $parent
	kill -TERM $tool
	wait $tool 2>/dev/null
	echo >$fifo.3
	wait $parent
	rm -f $fifo.*
	awk -v id=$parent '$1 == id { sum += $4 } END { print sum + 0 }' family
}
# The parent's row has ended: a table with the row is followed by one without it
family_shown()
{
	awk -v id="$1" '$1 == id { seen = 1; here = 1 } $1 == "all" { done = seen && !here; here = 0 }
		END { exit !done }' family
}
once=$(family 1000000)
twice=$(family 2000000)
echo "# top.family: $once; $twice"
equal top.family $((twice - once)) 1000000

exit $failed
