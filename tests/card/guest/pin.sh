#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# info --topology and --pin on a card of two cores
cd "$(dirname "$0")" || exit 1
# shellcheck source=tests/card/guest/lib.sh
. ./lib.sh

cpu=/sys/devices/system/cpu

# table: print the lines of info --topology with single blanks between numbers
table()
{
	"$KNC_PMUCTL" info --topology | tail -n +2 | head -n 2 | tr -s ' ' | paste -sd';'
}

# pinned NAME ARGUMENT CPUS PLACES: a test: the CPUs on which the command may run, and OpenMP's
# order
pinned()
{
	local command
	# shellcheck disable=SC2016 # the command's
	command='echo "$(sed -n "s/^Cpus_allowed_list:.//p" /proc/$$/status) $OMP_PLACES"'
	equal "$1.stat" "$("$KNC_PMUCTL" stat --pin "$2" -o /dev/null -- sh -c "$command" 2>"$TMPDIR/said")" "$3 $4"
	has "$1.says" "$(<"$TMPDIR/said")" "^knc-pmuctl: --pin $2: CPUs? $3, "
	equal "$1.grant" "$("$KNC_PMUCTL" grant --pin "$2" -o /dev/null -- sh -c "$command" 2>/dev/null)" "$3 $4"
	equal "$1.record" "$("$KNC_PMUCTL" record -q --pin "$2" -o "$TMPDIR/data" -- sh -c "$command")" "$3 $4"
}

# refused NAME ARGUMENT STATUS REGEX: a test: the command fails with one line that says why
refused()
{
	local text
	text=$("$KNC_PMUCTL" stat --pin "$2" -o /dev/null -- echo ran 2>&1)
	equal "$1.status" $? "$3"
	equal "$1.lines" "$(wc -l <<<"$text")" 1
	has "$1.says" "$text" "$4"
}

equal topology "$(table)" ' 0 0 1 2 3; 1 4 5 6 7'
pinned pin.cores cores 0,4 '{0},{4}'
pinned pin.compact compact:5 0-4 '{0},{1},{2},{3},{4}'
pinned pin.scatter scatter:3 0-1,4 '{0},{4},{1}'
pinned pin.all scatter 0-7 '{0},{4},{1},{5},{2},{6},{3},{7}'
# shellcheck disable=SC2016
equal pin.own-places "$(OMP_PLACES='{7}' "$KNC_PMUCTL" stat --pin cores -o /dev/null -- \
	sh -c 'echo "$OMP_PLACES"' 2>/dev/null)" '{7}'
# shellcheck disable=SC2016 # the command's
places='echo "$OMP_PLACES $OMP_PROC_BIND"'
equal pin.last-counts "$("$KNC_PMUCTL" stat --pin cores --pin 0-1 -o /dev/null -- \
	sh -c "$places" 2>/dev/null)" ' '
equal pin.last-order "$("$KNC_PMUCTL" stat --pin cores --pin compact:2 -o /dev/null -- \
	sh -c "$places" 2>/dev/null)" '{0},{1} true'
# shellcheck disable=SC2016
equal pin.bind "$("$KNC_PMUCTL" stat --pin cores -o /dev/null -- sh -c 'echo "$OMP_PROC_BIND"' 2>/dev/null)" true
# shellcheck disable=SC2016
equal pin.within "$(taskset -c 2,3,6 "$KNC_PMUCTL" stat --pin cores -o /dev/null -- \
	sh -c 'sed -n "s/^Cpus_allowed_list:.//p" /proc/$$/status' 2>/dev/null)" 2,6
lacks pin.csv "$("$KNC_PMUCTL" stat --pin cores -x, -e BRANCHES -- true 2>&1)" '--pin' ',BRANCHES,'
refused pin.too-many compact:9 1 'only 8 hardware threads'
refused pin.word nearby 2 'give cores, compact, scatter or a list'
refused pin.zero scatter:0 2 "after ':' a number of hardware threads was expected"
refused pin.empty '' 2 'the CPU list is empty'
refused pin.none 9000 2 'too large'
refused pin.no-cpu 77 1 'CPU 77'
echo 0 >$cpu/cpu5/online
refused pin.offline 5 1 'CPU 5 is offline'
pinned pin.around compact 0-4,6-7 '{0},{1},{2},{3},{4},{6},{7}'
equal topology.offline "$(table)" ' 0 0 1 2 3; 1 4 (5) 6 7'
echo 1 >$cpu/cpu5/online
exit $failed
