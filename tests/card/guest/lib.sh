# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034
#
# Functions for the test scripts, both on the card and on the machine that starts it

failed=0

ok()
{
	echo "ok $1"
}

not_ok()
{
	failed=1
	echo "not ok $1: $2"
}

skip()
{
	echo "skip $1: $2"
}

# asked_for NAME...: did the user of tests/run ask for this test, or for one whose name begins with
# NAME and a dot? KNC_TEST_ONLY has NAME|NAME..., or is empty for all tests.
asked_for()
{
	local IFS='|' name of

	[ -n "${KNC_TEST_ONLY-}" ] || return 0
	for name in $KNC_TEST_ONLY; do
		for of; do
			[[ $name. != "$of."* && $of. != "$name."* ]] || return 0
		done
	done
	return 1
}

# without_prefix PREFIX: print KNC_TEST_ONLY for tests that get this prefix later; fails if it asks
# for none of them
without_prefix()
{
	local IFS='|' name only=

	[ -n "${KNC_TEST_ONLY-}" ] || return 0
	for name in $KNC_TEST_ONLY; do
		# a name that is a part of the prefix asks for all these tests
		[[ $1 != "$name."* ]] || return 0
		[[ $name != "$1"* ]] || only+=${only:+|}${name#"$1"}
	done
	echo "$only"
	[ -n "$only" ]
}

# equal NAME GOT WANTED: a test: both are equal
equal()
{
	if [ "$2" = "$3" ]; then
		ok "$1"
	else
		not_ok "$1" "'$2' instead of '$3'"
	fi
}

# in_lines REGEX: does one of $lines match? A loop in the shell, because starting a program takes
# longer on a card.
in_lines()
{
	local line

	for line in "${lines[@]}"; do
		[[ ! $line =~ $1 ]] || return 0
	done
	return 1
}

# line_of TEXT REGEX: does a line of TEXT match?
line_of()
{
	local -a lines

	mapfile -t lines <<<"$1"
	in_lines "$2"
}

# has NAME TEXT REGEX: a test: a line of TEXT matches
has()
{
	if line_of "$2" "$3"; then
		ok "$1"
	else
		not_ok "$1" "no '$3' in '$2'"
	fi
}

# lacks NAME TEXT REGEX WITNESS: a test: no line matches REGEX, but one matches WITNESS, lest a
# command pass that printed nothing or an error
lacks()
{
	if ! line_of "$2" "$4"; then
		not_ok "$1" "no '$4', so it says nothing of '$3', in '$2'"
	elif line_of "$2" "$3"; then
		not_ok "$1" "'$3' in '$2'"
	else
		ok "$1"
	fi
}

# pause SECONDS: sleep without starting a program, which takes longer than most pauses on a card
pause()
{
	if [ -p "${TMPDIR-}/silent" ]; then
		read -rt "$1" <>"$TMPDIR/silent"
	else
		sleep "$1"
	fi
	return 0
}

# hangs SECONDS: has a wait of so many seconds taken too long? This is a limit for hangs, not for
# slow machines. A card whose clock follows its cycles has a lower limit: its seconds do not depend
# on the load of this machine, and each can take many of this machine's seconds.
hangs()
{
	[ "$1" -gt 300 ] || { [ "$1" -gt 100 ] && grep -qw knc_vm.icount=1 /proc/cmdline; }
}

# until_true COMMAND...: repeat COMMAND until it succeeds. If it never does, the test fails.
until_true()
{
	local began=$SECONDS

	until "$@" >/dev/null 2>&1; do
		if hangs $((SECONDS - began)); then
			# keep the message out of the text that the caller captures
			not_ok waited "'$*' has not come in $((SECONDS - began)) s" >&2
			return 1
		fi
		pause 0.2
	done
}

# counting PID: has knc-pmuctl started all its sessions? Then it waits in rt_sigtimedwait(), ppoll()
# (with a timeout) or poll() (record). info does not tell: it also shows sessions that are trials.
counting()
{
	grep -qE '^(128|271|7) ' "/proc/$1/syscall"
}

# runs PID NAME: has the process executed this program?
runs()
{
	[ "$(<"/proc/$1/comm")" = "$2" ]
}

# gone PID: has the process ended?
gone()
{
	! grep -q '^State:.[^Z]' "/proc/$1/status" 2>/dev/null
}

# ended PID: set $end to its exit status; if it is still running, say so, and kill it and its
# children
ended()
{
	if until_true gone "$1"; then
		wait "$1"
		end=$?
		return
	fi
	end='it goes on'
	pkill -KILL -P "$1"
	kill -KILL "$1"
	wait "$1" 2>/dev/null
}

# doctor_says CHECK KEY: print a field of doctor --json, read from stdin; nothing if it is null.
# Uses neither sed nor Python: starting a program takes longer on a card, Python takes seconds.
doctor_says()
{
	local line text check=
	local -a lines

	mapfile -t lines
	for line in "${lines[@]}"; do
		[[ $line != *'"name": '* ]] || check=$line
		[[ $check = *"\"name\": \"$1\""* && $line =~ ^\ *\"$2\":\ \"(.*)\",?$ ]] || continue
		# \" and \\
		text=${BASH_REMATCH[1]//\\\\/$'\x01'}
		text=${text//\\\"/\"}
		echo "${text//$'\x01'/\\}"
	done
}

# Check the kernel's log from here on, without the messages of its boot.
kernel_log_begins()
{
	echo "knc-test: the tests begin" >/dev/kmsg
}

# kernel_log_test NAME FILE [REGEX]...: a test: FILE, in the format of dmesg -r, has no message at
# warning level or above except those that a REGEX allows
kernel_log_test()
{
	local name=$1 file=$2 bad
	local -a allow=(-e '^$')
	shift 2

	for regex; do
		allow+=(-e "$regex")
	done
	# no card was started, because none of its tests was asked for
	[ -e "$file" ] || [ -z "${KNC_TEST_ONLY-}" ] || return 0
	if ! grep -q 'knc-test: the tests begin' "$file"; then
		not_ok "$name" "the kernel's log is not complete"
		return
	fi
	bad=$(sed '1,/knc-test: the tests begin/d' "$file" |
		awk '/^<[0-9]+>/ && substr($0, 2) % 8 <= 4' |
		grep -vE "${allow[@]}")
	if [ -z "$bad" ]; then
		ok "$name"
	else
		echo "$bad" | head -n 60
		not_ok "$name" "$(echo "$bad" | head -n 1)"
	fi
}

# Build the tests' programs, once for each change; prints their directory
build_programs()
{
	local repo=$1 key dir
	key=$(cd "$repo" && find tests/card/prog tests/card/preload tests/card/guest tests/card/released tests/card/Makefile \
		Documentation/examples uapi include -type f ! -name '*.sh' | LC_ALL=C sort | xargs cat /var/lib/dpkg/status | sha256sum)
	dir=${XDG_CACHE_HOME:-$HOME/.cache}/knc-pmu/build/tests-${key:0:16}
	if [ ! -e "$dir" ]; then
		(
			# shellcheck source=tests/lib/kept.sh
			. "$repo/tests/lib/kept.sh"
			kept_open programs "$(cat "$repo/tests/card/Makefile")" -- tests/card Documentation/examples uapi include
			[ ! -e "$dir" ] || exit 0
			make -s -j2 -C "$kept/tests/card" O="$kept/out" >&2 || exit 1
			rm -rf "$dir.new"
			cp -a "$kept/out" "$dir.new" && mv -T "$dir.new" "$dir" && kept_close keep
		) || return 1
	fi
	echo "$dir"
}

# make_tools TARGET...: make these targets, unless tests/run has made them (KNC_TEST_TOOLS). Even if
# nothing has changed, make takes seconds, because it tries each library.
make_tools()
{
	[ -n "${KNC_TEST_TOOLS-}" ] || make -s "$@" >&2
}

# own_tools DIR: copy the built tools to DIR, where make O=DIR then builds only what is missing
own_tools()
{
	make_tools tools && mkdir -p "$1" && cp -a tools/build/. "$1"
}

# A script that starts cards must call this from the folder $repo. Sets $scratch, the tools and the
# programs. $KNC_PMUCTL is static as on a card, and starts in a quarter of the time there;
# $KNC_PMUCTL_SHARED is for LD_PRELOAD.
prepare_cards()
{
	scratch=$(mktemp -d) || exit 1
	chmod 755 "$scratch"
	trap 'rm -rf "$scratch"' EXIT
	# if tests/run kills a group that hangs, this output shows where
	trap 'sed "s/^/# /" "$scratch/output"; exit 1' TERM
	make_tools tools static || exit 1
	KNC_PMUCTL=$repo/tools/build/static/knc-pmuctl
	KNC_PMUCTL_SHARED=$repo/tools/build/knc-pmuctl
	KNC_TEST_BUILD=$(build_programs "$repo") || exit 1
	export KNC_PMUCTL KNC_PMUCTL_SHARED KNC_TEST_BUILD
}

# may_have_asked_for COMMANDLINE: may it run a test of KNC_TEST_ONLY? A program contains the names
# of its tests; a script, or its table, their first words
may_have_asked_for()
{
	local IFS='|' name file

	file=$(cd "$repo/tests/card/guest" && realpath "${1%% *}")
	for name in $KNC_TEST_ONLY; do
		case $file in
		*.sh | */cli) ! cat "$file" "$file.table" 2>/dev/null | grep -qF "${name%%.*}" || return 0 ;;
		*) ! grep -qsaF "$name" "$file" || return 0 ;;
		esac
	done
	return 1
}

# choose_commands COMMANDLINE...: set $commands to those with tests of KNC_TEST_ONLY, and those that
# are no tests, such as insmod; fails if there is no test
choose_commands()
{
	local command tests=0

	for command; do
		if may_have_asked_for "$command"; then
			tests=1
		elif [[ $command == */* ]]; then
			continue
		fi
		commands+=("$command")
	done
	[ $tests -eq 1 ]
}

# on_card PREFIX [--by-cycles] OPTION... -- "$card_sh" COMMANDLINE...: run tests on a card that
# knc-vm starts with these options. Their names get the prefix; afterwards $scratch/dmesg has the
# kernel's log. With KNC_TEST_ONLY only commands with such tests run. The card's threads run in
# parallel, which finds more races. With --by-cycles they run in turns, and the card's clock follows
# the model's cycles, whatever else runs on this machine: for tests that count events of several
# cores, which otherwise wait for each other.
on_card()
{
	local prefix=$1 status only
	local -a options=() commands=()
	shift

	rm -f "$scratch/dmesg"
	only=$(without_prefix "$prefix") || return 0
	# every card has a test kernel-log
	[[ "|$only|" != *"|kernel-log|"* ]] || only=
	if [ -n "$only" ]; then
		while [ "$1" != "$card_sh" ]; do
			options+=("$1")
			shift
		done
		shift
		KNC_TEST_ONLY=$only choose_commands "$@" || return 0
		set -- "${options[@]}" "$card_sh" "${commands[@]}"
	fi
	if [ "$1" = --by-cycles ]; then
		shift
	elif [[ " $* " != *" --icount "* ]]; then
		set -- --realtime "$@"
	fi
	: >"$scratch/output"
	env -u KNC_TEST_ONLY ${only:+"KNC_TEST_ONLY=$only"} tools/knc-vm --group 4242 --timeout 7200 \
		--dmesg "$scratch/dmesg" --scratch "$scratch" "$@" |
		sed -u -E "s/^(ok|not ok|skip|#) /\1 $prefix/"
	status=${PIPESTATUS[0]}
	[ "$status" -eq 0 ] || failed=1
	if [ "$status" -gt 1 ]; then
		# show the output of the command that did not end
		sed 's/^/# /' "$scratch/output"
		not_ok "${prefix}card" "knc-vm ended with $status"
	fi
}
card_sh=${repo-}/tests/card/guest/card.sh

# Kernel messages of a card on a busy machine, allowed by kernel_log_test() in every group: only
# those about lateness. A group's own messages are in its script.
noise='hrtimer: interrupt took [0-9]+ ns|nmi_check_duration: [0-9]+ callbacks suppressed'
# a late server of the deadline scheduler, since 6.12
noise+='|sched: DL replenish lagged too much'

# ask COMMAND: send it to QEMU's monitor, and wait until it is done (ask_monitor() of lib.c)
ask()
{
	local nr=1

	while [ -e "$KNC_TEST_MONITOR.$nr.done" ]; do
		nr=$((nr + 1))
	done
	echo "$1" >"$KNC_TEST_MONITOR.$nr.new"
	mv "$KNC_TEST_MONITOR.$nr.new" "$KNC_TEST_MONITOR.$nr"
	until_true test -e "$KNC_TEST_MONITOR.$nr.done"
}
