# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034
#
# What the test scripts share, those on the card and those that start it

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

# asked_for NAME...: may such a test, or one whose name begins with NAME and a dot, be among those that
# tests/run was asked for? KNC_TEST_ONLY has NAME|NAME..., or nothing if it was asked for all.
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

# without_prefix PREFIX: KNC_TEST_ONLY for tests whose names get this prefix later; fails if none of
# them was asked for
without_prefix()
{
	local IFS='|' name only=

	[ -n "${KNC_TEST_ONLY-}" ] || return 0
	for name in $KNC_TEST_ONLY; do
		# all that begin with a part of it
		[[ $1 != "$name."* ]] || return 0
		[[ $name != "$1"* ]] || only+=${only:+|}${name#"$1"}
	done
	echo "$only"
	[ -n "$only" ]
}

# equal NAME GOT WANTED: a test
equal()
{
	if [ "$2" = "$3" ]; then
		ok "$1"
	else
		not_ok "$1" "'$2' instead of '$3'"
	fi
}

# in_lines REGEX: one of $lines matches. A loop in the shell: on a card a program takes longer to
# start than that.
in_lines()
{
	local line

	for line in "${lines[@]}"; do
		[[ ! $line =~ $1 ]] || return 0
	done
	return 1
}

# line_of TEXT REGEX: a line of it matches
line_of()
{
	local -a lines

	mapfile -t lines <<<"$1"
	in_lines "$2"
}

# has NAME TEXT REGEX: a test
has()
{
	if line_of "$2" "$3"; then
		ok "$1"
	else
		not_ok "$1" "no '$3' in '$2'"
	fi
}

# lacks NAME TEXT REGEX WITNESS: a test: no line matches REGEX, and one matches WITNESS, so that a
# command which printed nothing, or an error, does not pass
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

# pause SECONDS: on a card without a program, which takes longer to start than most pauses
pause()
{
	if [ -p "${TMPDIR-}/silent" ]; then
		read -rt "$1" <>"$TMPDIR/silent"
	else
		sleep "$1"
	fi
	return 0
}

# until_true COMMAND...: try for some minutes, a limit for hangs, not for slow machines. If it stays
# false, the test fails.
until_true()
{
	local began=$SECONDS

	until "$@" >/dev/null 2>&1; do
		if [ $((SECONDS - began)) -gt 300 ]; then
			# not into the text that a function's caller reads
			not_ok waited "'$*' has not come in 5 minutes" >&2
			return 1
		fi
		pause 0.2
	done
}

# counting PID: knc-pmuctl has started all its sessions, and waits: in rt_sigtimedwait(), ppoll()
# (until a time) or poll() (record). info might show a session that was a trial.
counting()
{
	grep -qE '^(128|271|7) ' "/proc/$1/syscall"
}

# runs PID NAME: it has become that program
runs()
{
	[ "$(<"/proc/$1/comm")" = "$2" ]
}

# doctor_says CHECK KEY: what doctor --json, on stdin, has there; nothing if that is null. Neither sed
# nor Python: on a card a program takes longer to start than this, Python seconds.
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

# From here on the kernel's log counts; messages of its boot do not.
kernel_log_begins()
{
	echo "knc-test: the tests begin" >/dev/kmsg
}

# kernel_log_test NAME FILE [REGEX]...: a test: FILE, as dmesg -r prints it, has nothing at warning
# level or above but what the REGEXes allow
kernel_log_test()
{
	local name=$1 file=$2 bad
	local -a allow=(-e '^$')
	shift 2

	for regex; do
		allow+=(-e "$regex")
	done
	# a card on which no test was asked for
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

# The tests' programs, built once per change; says where they are
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

# make_tools TARGET...: once in a run of tests/run, whose groups have KNC_TEST_TOOLS. To see that all is up
# to date takes seconds of CPU, because make asks the compiler for each library.
make_tools()
{
	[ -n "${KNC_TEST_TOOLS-}" ] || make -s "$@" >&2
}

# own_tools DIR: what make tools has built, in a directory where a test can make more of it: with O=DIR
# make finds all of it up to date
own_tools()
{
	make_tools tools && mkdir -p "$1" && cp -a tools/build/. "$1"
}

# A script that starts cards from the folder $repo needs this: $scratch, the tools, the programs.
# $KNC_PMUCTL is a static one, as on a card, and starts in a quarter of the time there;
# $KNC_PMUCTL_SHARED is for LD_PRELOAD.
prepare_cards()
{
	scratch=$(mktemp -d) || exit 1
	chmod 755 "$scratch"
	trap 'rm -rf "$scratch"' EXIT
	# tests/run ends what hangs: where it does is in here
	trap 'sed "s/^/# /" "$scratch/output"; exit 1' TERM
	make_tools tools static || exit 1
	KNC_PMUCTL=$repo/tools/build/static/knc-pmuctl
	KNC_PMUCTL_SHARED=$repo/tools/build/knc-pmuctl
	KNC_TEST_BUILD=$(build_programs "$repo") || exit 1
	export KNC_PMUCTL KNC_PMUCTL_SHARED KNC_TEST_BUILD
}

# may_have_asked_for COMMANDLINE: names of tests are in a program, or their first words in a script
# or its table
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

# choose_commands COMMANDLINE...: $commands with the tests of KNC_TEST_ONLY, and what is no test:
# insmod; fails if there is no test
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

# on_card PREFIX [--by-cycles] OPTION... -- "$card_sh" COMMANDLINE...: tests on a card that knc-vm
# starts with these options. Their names get the prefix; $scratch/dmesg is the kernel's log then.
# With KNC_TEST_ONLY only the commands that have such tests run.
# The card's threads run in parallel, as they meet in more ways then. With --by-cycles they take
# turns, and its clock goes by the model's cycles, whatever else runs here: for tests that count
# the units of several cores, which wait for each other otherwise.
on_card()
{
	local prefix=$1 status only
	local -a options=() commands=()
	shift

	rm -f "$scratch/dmesg"
	only=$(without_prefix "$prefix") || return 0
	# of each card
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
		# the output of the command that did not end
		sed 's/^/# /' "$scratch/output"
		not_ok "${prefix}card" "knc-vm ended with $status"
	fi
}
card_sh=${repo-}/tests/card/guest/card.sh

# Messages of a card on a busy machine, for kernel_log_test() of every group: what comes late, nothing
# else. Those of one group's own tests are in its script.
noise='hrtimer: interrupt took [0-9]+ ns|nmi_check_duration: [0-9]+ callbacks suppressed'
# since 6.12, of the deadline scheduler's server, for the same reason
noise+='|sched: DL replenish lagged too much'

# ask COMMAND: of QEMU's monitor, and wait until it is done (ask_monitor() of lib.c)
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
