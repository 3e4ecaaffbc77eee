#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Documentation/examples/saxpy.c on the emulated card: what its three ways count in the vector unit, as
# derived from their instructions, and what the metric says of each. No option of the card is needed.
cd "$(dirname "$0")" || exit 1
# shellcheck source=tests/card/guest/lib.sh
. ./lib.sh

# Instructions, and their elements, of 10 calls with 4096 floats
declare -A wanted=(
	# one instruction before the loop, then three for each element; each has one element
	[naive]="$((10 * (1 + 3 * 4096))) $((10 * (1 + 3 * 4096)))"
	# one instruction before the loop, then three for 16 elements
	[vector]="$((10 * (1 + 3 * 256))) $((10 * 16 * (1 + 3 * 256)))"
	# a comparison and a load of 16, the sum and the store of four
	[masked]="$((10 * (2 + 4 * 256))) $((10 * (16 * 2 + 256 * (16 + 16 + 4 + 4))))"
)
# accesses to cache lines in 10 calls: reads, one of them in each call for the factor; writes
declare -A lines=(
	[naive]="$((10 * (1 + 2 * 4096))) $((10 * 4096))"
	[vector]="$((10 * (1 + 2 * 256))) $((10 * 256))"
	[masked]="$((10 * (1 + 3 * 256))) $((10 * 256))"
)
# the sums of the results: one in four is 10 * 2 * 1, the others are -1 or not computed
declare -A sums=([naive]=-40960 [vector]=-40960 [masked]=20480)
declare -A verdicts=([naive]='bad: vectors are not full' [vector]='good: full vectors of single'
	[masked]='good: full vectors if')

# counts EVENTS: print their counts in ten calls
counts()
{
	"$KNC_PMUCTL" stat -x, -o "$TMPDIR/counts" -e "$1" -- "$KNC_TEST_BUILD/saxpy" $way 10 >"$TMPDIR/sum"
	sed -nE 's/^([0-9]+),,VPU_.*/\1/p' "$TMPDIR/counts" | paste -sd' '
}

for way in naive vector masked; do
	equal $way.counts "$(counts VPU_INSTRUCTIONS_EXECUTED:u,VPU_ELEMENTS_ACTIVE:u)" "${wanted[$way]}"
	equal $way.lines "$(counts VPU_DATA_READ:u,VPU_DATA_WRITE:u)" "${lines[$way]}"
	equal $way.result "$(<"$TMPDIR/sum")" "${sums[$way]}"
	"$KNC_PMUCTL" stat --passes -G vector -- "$KNC_TEST_BUILD/saxpy" $way >"$TMPDIR/group" 2>&1
	lacks $way.no-stand-in "$(<"$TMPDIR/group")" 'stand-in|not (available|supported)' vectorization_intensity
	has $way.verdict "$(<"$TMPDIR/group")" " vectorization_intensity .* ${verdicts[$way]}"
done
exit $failed
