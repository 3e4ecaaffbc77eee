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

# with KNC_COVERAGE the one that keeps what the module's code has counted
knc_vm=tools/knc-vm
[ -z "${KNC_COVERAGE-}" ] || knc_vm=tests/coverage/knc-vm

# on_card PREFIX [--by-cycles] OPTION... -- COMMANDLINE...: run tests on a card that knc-vm starts with
# these options. Their names get the prefix; afterwards $scratch/dmesg has the kernel's log. See
# tests/lib/cards.py.
on_card()
{
	python3 -B tests/lib/cards.py start "$scratch" "$@" || failed=1
}

# kernel_log_test NAME [REGEX]...: a test: the kernel's log has no message at warning level or above
# except those that a REGEX allows
kernel_log_test()
{
	python3 -B tests/lib/cards.py kernel-log "$1" "$scratch/dmesg" "${@:2}" || failed=1
}

# may_have_asked_for COMMANDLINE...: may one of them run a test of KNC_TEST_ONLY?
may_have_asked_for()
{
	[ -n "${KNC_TEST_ONLY-}" ] && python3 -B tests/lib/cards.py asked "$@"
}

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
