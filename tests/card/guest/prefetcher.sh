#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The emulated card with the hardware prefetcher on. When a program reads a page line by line, two
# lines miss the L2, and 62 are prefetched. The program reads 512 pages, then 32 of them again.
cd "$(dirname "$0")" || exit 1
# shellcheck source=tests/card/guest/lib.sh
. ./lib.sh

# count EVENT: print its count
count()
{
	taskset -c 4 "$KNC_PMUCTL" stat -x, -e "$1:u" -o "$TMPDIR/count" -- "$KNC_TEST_BUILD/caches" 1
	grep -v '^#' "$TMPDIR/count" | grep . | cut -d, -f1
}

prefetched=$(count HWP_L2MISS)
missed=$(count L2_DATA_READ_MISS_MEM_FILL)
echo "# $prefetched lines prefetched, $missed missed"
pages=544
# Allow 10 % for the program's own pages and for an uneven distribution of pages in the L2; 25 %
# more misses, because each tick of a busy machine evicts some lines. Without the prefetcher there
# would be 32 times as many misses.
if [ "$prefetched" -gt $((pages * 62 * 90 / 100)) ] && [ "$prefetched" -lt $((pages * 62 * 110 / 100)) ]; then
	ok prefetched
else
	not_ok prefetched "$prefetched of $((pages * 62)) lines"
fi
if [ "$missed" -ge $((pages * 2 * 90 / 100)) ] && [ "$missed" -lt $((pages * 2 * 125 / 100)) ]; then
	ok missed
else
	not_ok missed "$missed of $((pages * 2)) lines"
fi
exit $failed
