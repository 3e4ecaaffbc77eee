#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# shellcheck disable=SC2016,SC2317 # text for other shells, functions by name
#
# knc-pmuctl --via on a card: counts, streams, signals and statuses are those of a direct run. The
# card's side is a shell in another directory with another environment, or what sshd starts.
cd "$(dirname "$0")" || exit 1
# shellcheck source=tests/card/guest/lib.sh
. ./lib.sh

loop=$KNC_TEST_BUILD/loop
work=$TMPDIR/via
mkdir -p "$work/there" "$work/here" "$work/tmp" && cd "$work/here" || exit 1

# The relay: a shell with another directory and environment, as on another machine
cat >"$work/far" <<END
#!/bin/sh
cd $work/there && exec env -i PATH=$PATH HOME=$work/there TMPDIR=$work/tmp "\$@"
END
chmod 755 "$work/far"

via()
{
	"$KNC_PMUCTL" --recorder "$KNC_PMUCTL" --via "$relay" "$@"
}

# Run in the background: $near is the tool itself, not a shell that waits for it
near()
{
	"$KNC_PMUCTL" --recorder "$KNC_PMUCTL" --via "$relay" "$@" &
	near=$!
}

# Check that the tool left nothing on the card's side
# shellcheck disable=SC2317
all_gone()
{
	! pgrep -f "via-far|$mark" >/dev/null
}

# all_of NAME: test everything that a relay must do
all_of()
{
	local name=$1 direct err near end
	local -a odd=('' 'two  words' "it's" '"$x"' '*' 'back\slash' $'line\nbreak' '--' -v)

	direct=$("$KNC_PMUCTL" stat -x, -e INSTRUCTIONS_EXECUTED:u,BRANCHES:u -- "$loop" 100000 2>&1 | cut -d, -f1,3)
	via stat -x, -e INSTRUCTIONS_EXECUTED:u,BRANCHES:u -o counts.csv -- "$loop" 100000 2>said
	equal "$name.status" $? 0
	equal "$name.counts" "$(cut -d, -f1,3 counts.csv)" "$direct"
	has "$name.counted" "$direct" '^[1-9][0-9]{4,},INSTRUCTIONS_EXECUTED'
	equal "$name.errors" "$(via stat -x, -e INSTRUCTIONS_EXECUTED:u,BRANCHES:u -- "$loop" 100000 2>&1 | cut -d, -f1,3)" "$direct"
	# the card's side stands still for a second, then gets all output of the command at once:
	# the file must be begun before its contents arrive
	via stat -x, -e BRANCHES:u -o late.csv -- sh -c '
		far=$(cut -d" " -f4 /proc/$PPID/stat)
		kill -STOP "$far"
		(sleep 1; kill -CONT "$far") >/dev/null 2>&1 &'
	has "$name.late" "$(<late.csv)" '^[0-9]+,,BRANCHES:u,'
	for status in 0 3; do
		via stat -o /dev/null -- sh -c "exit $status"
		equal "$name.exit-$status" $? $status
	done
	via stat -o /dev/null -- sh -c 'kill -9 $$'
	equal "$name.killed" $? $((128 + 9))
	via stat -o /dev/null -- nosuchcommand 2>said
	equal "$name.no-command" "$? $(grep -c "command not found: 'nosuchcommand'" said)" '127 1'

	equal "$name.arguments" "$(via stat -o /dev/null -- printf '<%s>' "${odd[@]}")" \
		"$(printf '<%s>' "${odd[@]}")"
	equal "$name.where" "$(via stat -o /dev/null -- pwd)" "$there"
	head -c 300000 /dev/urandom >random
	via stat -o /dev/null -- cat <random >copy
	equal "$name.input" "$(cmp random copy 2>&1)" ""
	equal "$name.closed" "$(via stat -o /dev/null -- yes | head -n 2 | paste -sd' ')" 'y y'
	err=$(via stat -o /dev/null -- sh -c 'echo out; echo err >&2' 2>&1 >/dev/null)
	equal "$name.streams" "$err" err

	via record -q -o mine.data -c 1009 -e INSTRUCTIONS_EXECUTED:u -- "$loop" 100000
	has "$name.record" "$("$KNC_PMUCTL" report -i mine.data)" '^[0-9]+ samples of INSTRUCTIONS_EXECUTED'
	via record -o mine.data -c 1009 -e INSTRUCTIONS_EXECUTED:u -- "$loop" 100000 2>said
	has "$name.record-says" "$(<said)" '^knc-pmuctl record: [0-9]+ samples .* written to mine.data'
	equal "$name.record-files" "$(echo mine.data*) $(ls "$there")" 'mine.data mine.data.old '
	via record -q -o mine.data -- nosuchcommand 2>/dev/null
	equal "$name.record-kept" "$? $(echo mine.data*)" '127 mine.data mine.data.old'
	rm -f mine.data*

	# Ctrl-C ends the program, its children, and the counting; the counts are shown
	mark=sleep.1234
	near stat -x, -e BRANCHES:u -o counts.csv -- sh -c 'echo runs; sleep 1234; exit 5' >runs
	until_true grep -q runs runs
	env kill -INT "$near"
	wait "$near"
	end=$?
	equal "$name.interrupt" "$end" $((128 + 2))
	has "$name.interrupt-counts" "$(<counts.csv)" '^[0-9]+,,BRANCHES:u,'
	until_true all_gone && ok "$name.interrupt-gone"
}

# a background job of a shell ignores SIGINT
set -m
there=$work/there
relay=$work/far
via list BRANCH >/dev/null 2>said
has copied "$(<said)" "^knc-pmuctl: copied the recorder to $work/tmp/knc-pmuctl-0 on the card"
all_of shell
has info "$(via info)" '^counters '
via grant --json -e BRANCHES:u -o grant.json -- "$loop" 1000
has grant "$? $(<grant.json)" '"schema"'
has top "$(via top -b -n 1)" ' [1-9][0-9]*$'
# the rank of the user's side, in the file's name and contents
OMPI_COMM_WORLD_RANK=2 OMPI_COMM_WORLD_SIZE=4 via stat --json -o 'r%r.json' -e BRANCHES:u -- true
has rank "$(<r2.json)" '"rank":2'

# If the connection is lost, counting and program end on the card
lost_ssh()
{
	: >runs
	near stat -o lost.csv -- sh -c 'echo runs; sleep 1234' >runs 2>said
	until_true grep -q runs runs
	pkill -KILL -f 'ssh -p 2222'
	wait "$near"
	equal "ssh.lost" $? 1
	has "ssh.lost-says" "$(<said)" 'the connection to the card was lost'
	equal "ssh.lost-file" "$(ls lost.csv 2>/dev/null)" ''
	until_true all_gone && ok "ssh.lost-gone"
}

# sshd joins a command's words by blanks, and passes them to the user's shell
if type -P dropbear >/dev/null && type -P ssh >/dev/null; then
	# root's home is moved, because nothing may be written below /root
	mkdir -p "$work/root/.ssh"
	sed "/^root:/s,:[^:]*:\([^:]*\)$,:$work/root:\1," /etc/passwd >"$work/passwd"
	mount --bind "$work/passwd" /etc/passwd || exit 1
	ssh-keygen -q -t ed25519 -N '' -f "$work/key" && cp "$work/key.pub" "$work/root/.ssh/authorized_keys"
	chmod -R go-rwx "$work/root"
	dropbearkey -t ed25519 -f "$work/host" >/dev/null 2>&1
	dropbear -F -E -p 127.0.0.1:2222 -r "$work/host" -P "$work/dropbear.pid" 2>"$work/dropbear.log" &
	server=$!
	cat >"$work/ssh" <<-END
		#!/bin/sh
		exec ssh -p 2222 -i $work/key -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null \
			-o LogLevel=ERROR -o BatchMode=yes root@127.0.0.1 "cd $work/there &&" "TMPDIR=$work/tmp" "\$@"
	END
	chmod 755 "$work/ssh"
	until_true "$work/ssh" true
	relay=$work/ssh
	all_of ssh
	lost_ssh
	kill $server
	wait $server 2>/dev/null
	via list >/dev/null 2>said
	has ssh.255 "$(<said)" 'ended with 255: if it is ssh, there is no connection'
else
	skip ssh 'there is no dropbear or no ssh: tests/card/build-deps has both'
fi
exit $failed
