#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A card with knc-vm --strict: an instruction that a card lacks ends a program for the card, and no
# other program; all other instructions are executed and counted as usual
#
#   strict.sh STATUS	the exit status that those instructions cause: 132 (SIGILL), or 0
cd "$(dirname "$0")" || exit 1
# shellcheck source=tests/card/guest/lib.sh
. ./lib.sh

names=(has cmov pause prefetch mfence sse long-nop rdtscp cmpxchg16b clflush fcomi lfence sfence sse-convert)
# bash prints how each program ended
status_of()
{
	"$@"
	echo $?
} 2>/dev/null

for i in "${!names[@]}"; do
	wanted=$((i ? $1 : 0))
	# CPUID says that RDTSCP is missing, and the emulated card never executes it
	[ "${names[i]}" != rdtscp ] || wanted=132
	equal "strict.${names[i]}" "$(status_of "$KNC_TEST_BUILD/lacking" "$i")" $wanted
done
# the same while instructions are counted, singly and in blocks
for event in INSTRUCTIONS_EXECUTED CODE_READ; do
	"$KNC_PMUCTL" stat -x, -o "$TMPDIR/stat" -e "$event:u" -- "$KNC_TEST_BUILD/lacking" 1 2>/dev/null
	equal "strict.counted.$event" $? "$1"
done
# what ring3.h emits, with exact counts as usual
"$KNC_PMUCTL" stat -x, -o "$TMPDIR/stat" -e INSTRUCTIONS_EXECUTED:us -- "$KNC_TEST_BUILD/ring3" 100000
equal strict.ring3.status $? 0
has strict.ring3.counted "$(cat "$TMPDIR/stat")" '^20000[0-9],'
# knc-pmuctl is linked to another address, and thus no program for the card
"$KNC_PMUCTL" --version >/dev/null 2>&1
equal strict.others $? 0
exit $failed
