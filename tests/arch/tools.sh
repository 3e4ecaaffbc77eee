#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# knc-pmuctl on an emulated host with the architectural PMU: tools.sh VERSION
#
# N times {dec, jnz} are 2 N instructions and N branches (tests/card/prog/loop.S).
cd "$(dirname "$0")/../card/guest" || exit 1
# shellcheck source=tests/card/guest/lib.sh
. ./lib.sh

ctl=$KNC_PMUCTL
loop=$KNC_TEST_BUILD/loop
out=$TMPDIR/out

# The count of event $1 in stat's output
count_of()
{
	awk -v event="$1" '$2 == event { print $1 }' "$out"
}

# stat_loop N EVENTS OPTION...
stat_loop()
{
	local n=$1 events=$2
	shift 2
	"$ctl" stat "$@" -e "$events" -- "$loop" "$n" >/dev/null 2>"$out"
}

# added NAME EVENTS EVENT WANTED: what a million times more add
added()
{
	local few

	# as many digits: the program reads its argument
	stat_loop 0001000 "$2"
	few=$(count_of "$3")
	stat_loop 1001000 "$2"
	equal "$1" $(($(count_of "$3") - few)) "$4"
}

if [ "$1" = 1 ]; then
	# the module refuses it, and says why
	has refused "$(insmod "$KNC_MODULE" 2>&1; dmesg)" \
		'knc_pmu: this CPU .* is no host whose PMU has global registers \(CPUID leaf 0xA: version 1'
	exit $failed
fi

has info "$("$ctl" info 2>&1)" '^ *counters +4 of 48 bits and 3 fixed ones of 48 bits on each of 2 threads'
has regs "$("$ctl" regs -C 0 2>&1)" 'IA32_FIXED_CTR_CTRL'
has list "$("$ctl" list 2>&1)" '^INSTRUCTION_RETIRED '
added stat.instructions instructions:u,branches:u instructions:u 2000000
added stat.branches instructions:u,branches:u branches:u 1000000
added stat.default UNHALTED_CORE_CYCLES:u,INSTRUCTION_RETIRED:u INSTRUCTION_RETIRED:u 2000000
stat_loop 1000 instructions:u,branches:u,cycles:u,ref-cycles:u,branches:k,instructions:k,cycles:k
equal stat.seven "$(grep -c '([0-9.]*%)' "$out")" 0
stat_loop 1000 cache-misses:u
has stat.missing "$(cat "$out")" 'event cache-misses:u|LLC_MISSES:u: this CPU does not have it'
"$ctl" stat -- "$loop" 1000 >/dev/null 2>"$out"
has stat.plain "$(cat "$out")" 'INSTRUCTION_RETIRED'
"$ctl" record -o "$TMPDIR/data" -e instructions:u@100003 -- "$loop" 200000000 >"$out" 2>&1
has record "$(cat "$out")" '3999 samples of INSTRUCTION_RETIRED:u in loop'
has report "$("$ctl" report -i "$TMPDIR/data" 2>&1)" '(99\.[0-9]+|100\.00)%.* work '
"$ctl" reset -a >"$out" 2>&1
equal reset "$?" 0
exit $failed
