#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The emulated card's caches against cachegrind's, of the same geometry: the same static program, in
# user mode. $1: the file with cachegrind's counts
cd "$(dirname "$0")" || exit 1
# shellcheck source=tests/card/guest/lib.sh
. ./lib.sh

program=("$KNC_TEST_BUILD/caches" 40)
events=DATA_READ_MISS:u,DATA_WRITE_MISS:u,L2_DATA_READ_MISS_MEM_FILL:u,DATA_READ:u,DATA_WRITE:u

# cachegrind's name of a count: the columns of its summary
declare -A theirs=([DATA_READ:u]=Dr [DATA_WRITE:u]=Dw [DATA_READ_MISS:u]=D1mr
	[DATA_WRITE_MISS:u]=D1mw [L2_DATA_READ_MISS_MEM_FILL:u]=DLmr)

summary()
{
	awk -v name="$2" '/^events:/ { for (i = 2; i <= NF; i++) if ($i == name) column = i }
		/^summary:/ { print $column }' "$1"
}

# where the program has been on another core, its lines would remain, and are no MEM_FILL
taskset -c 4 "$KNC_PMUCTL" stat --passes -x, -o "$TMPDIR/counts" -e $events -- "${program[@]}"
while IFS=, read -r value _ event _; do
	wanted=$(summary "$1" "${theirs[$event]}")
	echo "# $event: $value, cachegrind $wanted"
	within=2
	case $event in
	DATA_READ:u | DATA_WRITE:u) within=0 ;;
	esac
	if awk -v a="$value" -v b="$wanted" -v p=$within \
		'BEGIN { exit !(b > 0 && (a > b ? a - b : b - a) * 100 <= b * p) }'; then
		ok "units.cachegrind.$event"
	else
		not_ok "units.cachegrind.$event" "$value, cachegrind has $wanted"
	fi
done < <(grep -v '^#' "$TMPDIR/counts" | grep .)
exit $failed
