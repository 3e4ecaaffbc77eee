#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A card with knc-vm --strict: an instruction that a card lacks ends a program for the card, and no
# other program; all other instructions are executed and counted as usual. CPUID tells such programs
# what it tells them on a card, and MSRs that a card lacks can't be read.
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

# What CPUID tells a program for the card: bits of EDX, from 32 on of ECX, from 64 on of EAX, with
# --strict and without
[ "$1" = 0 ] && lax=1 || lax=0
while read -r name bit on_card here; do
	"$KNC_TEST_BUILD/features" "$bit"
	equal "strict.cpuid.$name" $? "$((lax ? here : on_card))"
done <<-END
	stepping-1 64 0 0
	stepping-2 65 1 1
	cx8 8 1 1
	pge 13 1 1
	cmov 15 0 1
	clfsh 19 0 1
	mmx 23 0 1
	fxsr 24 1 1
	sse 25 0 1
	sse2 26 0 1
	monitor 35 0 0
	cx16 45 0 1
END
equal strict.cpuid.brand "$(sed -n '/^model name/ { s/.*: //p; q; }' /proc/cpuinfo)" 0b/01

# The MSRs on the first and the last thread: those that exist can be read as ever
while read -r name msr on_card; do
	for cpu in 0 3; do
		dd if=/dev/cpu/$cpu/msr of=/dev/null bs=8 count=1 iflag=skip_bytes skip=$((msr)) 2>/dev/null
		equal "strict.msr.$name.$cpu" $? "$((lax ? 0 : on_card))"
	done
done <<-END
	tsc 0x10 0
	platform-id 0x17 1
	apic-base 0x1b 0
	global-ctrl 0x2f 0
	bios-sign-id 0x8b 1
	mtrrcap 0xfe 0
	misc-enable 0x1a0 1
	pat 0x277 0
	x2apic-id 0x802 1
	x2apic-lvtpc 0x834 1
END

# knc-pmuctl is linked to another address, and thus no program for the card
"$KNC_PMUCTL" --version >/dev/null 2>&1
equal strict.others $? 0
exit $failed
