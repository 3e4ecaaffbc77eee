#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# shellcheck disable=SC2317 # functions by name
#
# knc-pmuctl stat -I while a core loses its counters: only the line of the interval with the loss is
# marked
cd "$(dirname "$0")" || exit 1
# shellcheck source=tests/card/guest/lib.sh
. ./lib.sh

# has_lines N: are there at least N intervals?
has_lines()
{
	[ "$(grep -c BRANCHES "$out")" -ge "$1" ]
}

# more N: wait for N more intervals
more()
{
	until_true has_lines $(($(grep -c BRANCHES "$out") + $1))
}

out=$TMPDIR/intervals
taskset 10 "$KNC_TEST_BUILD/spin" 4 &
spin=$!
for form in table csv; do
	options=()
	[ $form = table ] || options=("-x,")
	rm -f "$out"
	"$KNC_PMUCTL" stat -C 4 -I 200 "${options[@]}" -e BRANCHES -o "$out" 2>"$out.said" &
	tool=$!
	until_true has_lines 2
	ask 'qom-set /machine core-power reset 1'
	more 3
	ask 'qom-set /machine core-power reset 1'
	more 3
	kill -TERM $tool
	wait $tool 2>/dev/null
	found=$(grep BRANCHES "$out")
	# a loss is found within a tenth of a second, perhaps in the next interval
	gaps=$(grep -cE '(  |,)gap(,|$|  )' <<<"$found")
	equal power.$form.marked "$((gaps >= 2 && gaps <= 4))" 1
	lacks power.$form.first "$(head -n 1 <<<"$found")" gap BRANCHES
	lacks power.$form.last "$(tail -n 1 <<<"$found")" gap BRANCHES
	has power.$form.warned "$(cat "$out.said")" 'CPU 4 was offline, or lost its counters, for some of the time'
	echo "# power.$form: $gaps of $(wc -l <<<"$found") lines"
done
kill $spin
exit $failed
