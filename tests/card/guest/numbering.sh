#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A card of two cores with knc-vm --card-numbering: CPUs 0, 5, 6 and 7 are core 1, CPUs 1 to 4 core
# 0. A tool that takes CPUs 4 N to 4 N + 3 for core N fails these tests.
cd "$(dirname "$0")" || exit 1
# shellcheck source=tests/card/guest/lib.sh
. ./lib.sh

cpus=/sys/devices/system/cpu
work=("$KNC_TEST_BUILD/loop" 20000000)	# 40,000,000 instructions, and a few

# as a card of the same size has it
text=$(cat $cpus/cpu{0,1,4,5}/topology/thread_siblings_list | tr '\n' ' ')
equal linux.cores "$text" '0,5-7 1-4 1-4 0,5-7 '
text=$(sed -n 's/^apicid.*: //p' /proc/cpuinfo | tr '\n' ' ')
equal linux.identifiers "$text" '4 0 1 2 3 5 6 7 '
text=$("$KNC_PMUCTL" info --topology)
has info.core-0 "$text" '^ +0 +1 +2 +3 +4$'
has info.core-1 "$text" '^ +1 +0 +5 +6 +7$'

# count_of EVENT CPUS AT: an event of these CPUs while the work runs on CPU AT
count_of()
{
	"$KNC_PMUCTL" stat -x, -e "$1" -C "$2" -- taskset -c "$3" "${work[@]}" 2>&1 | sed -n 's/,.*//p'
}

# worked NAME COUNT YES|NO: a test: has COUNT that work, or less than a tenth of it?
worked()
{
	local is=NO

	[ "$2" -lt 40000000 ] || is=YES
	[ $is = YES ] || [ "$2" -lt 4000000 ] || is="some of it: $2"
	equal "$1" "$is" "$3"
}

# thread mode: a counter of CPU 0 has the work of CPUs 5 to 7, one of CPU 1 that of CPU 4
while read -r at core_0 core_1; do
	worked "thread-mode.1-of-$at" "$(count_of INSTRUCTIONS_EXECUTED:ut 1 "$at")" "$core_0"
	worked "thread-mode.0-of-$at" "$(count_of INSTRUCTIONS_EXECUTED:ut 0 "$at")" "$core_1"
done <<-END
	4 YES NO
	5 NO YES
	7 NO YES
END

# per core
while read -r at core_0 core_1; do
	text=$("$KNC_PMUCTL" stat -x, --per-core -a -e INSTRUCTIONS_EXECUTED:u -- \
		taskset -c "$at" "${work[@]}" 2>&1)
	worked "per-core.0-of-$at" "$(sed -n 's/^core0,\([0-9]*\),.*/\1/p' <<<"$text")" "$core_0"
	worked "per-core.1-of-$at" "$(sed -n 's/^core1,\([0-9]*\),.*/\1/p' <<<"$text")" "$core_1"
done <<-END
	0 NO YES
	4 YES NO
	5 NO YES
END

# the core-wide clock, once for a core
text=$("$KNC_PMUCTL" stat -C 0,5 -e CPU_CLK_UNHALTED -- true 2>&1)
has clock.once "$text" 'CPU_CLK_UNHALTED .*once per core'

# places: a thread of each core is CPUs 1 and 0
allowed=(sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' /proc/self/status)
pinned()
{
	"$KNC_PMUCTL" stat --pin "$1" -e BRANCHES -o /dev/null -- "${allowed[@]}" 2>/dev/null
}
equal pin.cores "$(pinned cores)" 0-1
equal pin.compact "$(pinned compact:4)" 1-4
equal pin.scatter "$(pinned scatter:4)" 0-2,5

# top: the sum has the cycles of CPUs 0, 5, 6 and 7 once
"$KNC_PMUCTL" top -b -d 1 -n 1 -C 0,5-7 -e CPU_CLK_UNHALTED >"$TMPDIR/top" 2>&1
column()
{
	awk -v id="$1" -v n="$2" '$1 == id { print $n }' "$TMPDIR/top"
}
has top.counts "$(column 0 4)" '^[1-9]'
equal top.once "$(column all 3)" "$(column 0 4)"

has doctor.threads "$("$KNC_PMUCTL" doctor)" '^threads +ok '
exit $failed
