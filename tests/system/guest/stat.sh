#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Exact counts as the user of knc-pmuctl stat sees them
cd "$(dirname "$0")" || exit 1
# shellcheck source=tests/system/guest/lib.sh
. ./lib.sh

out=$TMPDIR/stat

# counts EVENTS PROGRAM N: the counts, blanks between them; the tool itself runs
# on another hardware thread than the program
counts()
{
	rm -f "$out"
	taskset -c 0 "$KNC_PMUCTL" stat --pin 1 -x, -e "$1" -o "$out" -- \
		"$KNC_TEST_BUILD/$2" "$3" || return
	grep -v '^#' "$out" | cut -d, -f1 | paste -sd' '
}

# growth NAME EVENTS PROGRAM WANTED...: from N = 1,000,000 to 2,000,000
growth()
{
	local name=$1 got='' once twice i
	once=$(counts "$2" "$3" 1000000)
	twice=$(counts "$2" "$3" 2000000)
	echo "# $name: $once; $twice"
	shift 3
	read -ra once <<<"$once"
	read -ra twice <<<"$twice"
	for i in "${!twice[@]}"; do
		got="$got $((${twice[i]:-0} - ${once[i]:-0}))"
	done
	equal "$name" "${got# }" "$*"
}

growth stat.instructions INSTRUCTIONS_EXECUTED:u loop 2000000
growth stat.branches BRANCHES:u loop 1000000
growth stat.pair INSTRUCTIONS_EXECUTED:u,INSTRUCTIONS_EXECUTED:u loop 2000000 2000000
growth stat.copy DATA_READ:u,DATA_WRITE:u copy 1000000 1000000
growth stat.copy-instructions INSTRUCTIONS_EXECUTED:u,BRANCHES:u copy 4000000 1000000
growth stat.raw r0016:u,r0012:u call 4000000 3000000
exit $failed
