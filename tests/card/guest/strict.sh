#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A card with knc-vm --strict: instructions that a card lacks end a program for the card, and only
# such a program; what the card has is executed and counted as ever
#
#   strict.sh STATUS	what those instructions end with: 132, SIGILL, or 0
cd "$(dirname "$0")" || exit 1
# shellcheck source=tests/card/guest/lib.sh
. ./lib.sh

names=(has cmov pause prefetch mfence sse long-nop rdtscp cmpxchg16b clflush fcomi lfence sfence sse-convert)
# bash says of each what it ended with
status_of()
{
	"$@"
	echo $?
} 2>/dev/null

for i in "${!names[@]}"; do
	wanted=$((i ? $1 : 0))
	# the card's CPUID has none, and the emulated one never executes it
	[ "${names[i]}" != rdtscp ] || wanted=132
	equal "strict.${names[i]}" "$(status_of "$KNC_TEST_BUILD/lacking" "$i")" $wanted
done
# while its instructions are counted, one by one and in blocks
for event in INSTRUCTIONS_EXECUTED CODE_READ; do
	"$KNC_PMUCTL" stat -x, -o "$TMPDIR/stat" -e "$event:u" -- "$KNC_TEST_BUILD/lacking" 1 2>/dev/null
	equal "strict.counted.$event" $? "$1"
done
# what ring3.h emits, and counts that are as exact as ever
"$KNC_PMUCTL" stat -x, -o "$TMPDIR/stat" -e INSTRUCTIONS_EXECUTED:us -- "$KNC_TEST_BUILD/ring3" 100000
equal strict.ring3.status $? 0
has strict.ring3.counted "$(cat "$TMPDIR/stat")" '^20000[0-9],'
# linked to another address: not for the card
"$KNC_PMUCTL" --version >/dev/null 2>&1
equal strict.others $? 0
exit $failed
