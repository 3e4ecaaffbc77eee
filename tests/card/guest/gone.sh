#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# shellcheck disable=SC2016,SC2046,SC2086,SC2317 # text for other shells, numbers, functions by name
#
# Kernel modules are loaded and removed at the same addresses during a recording: a sample has the
# name of the module that was loaded at that time, or no name
cd "$(dirname "$0")" || exit 1
# shellcheck source=tests/card/guest/lib.sh
. ./lib.sh

gone=$KNC_TEST_BUILD/gone
rounds=20000000
# an iteration is two instructions
wanted=$((2 * rounds / 400009))
most=$((wanted * 105 / 100 + 1))
event=INSTRUCTIONS_EXECUTED:k@400009
data=$TMPDIR/gone.data

# burn MODULE: run its function on CPU 1, where hardly anything else runs; print its address
burns='burn()
{
	echo $2 >/sys/module/knc_gone_$1/parameters/burn
	grep "^knc_gone_$1 " /proc/modules
}
'

# row NAME: print the number of samples of a function, from script's output
row()
{
	grep -c " $1+0x" <<<"$text"
}

# recorded NAME [ENV...]: record while modules a, b and c burn one after another; $text has the
# samples
recorded()
{
	local name=$1
	shift
	until record_once "$@"; do
		echo "# gone.$name: throttled, once more"
	done
	places=$(awk '/^knc_gone/ { print $6 }' <<<"$places")
	echo "# gone.$name: a, b and c are at" $places
	echo "# gone.$name: named" $(row knc_burn_a) $(row knc_burn_b) $(row knc_burn_c)
	equal "gone.$name.one-address" "$(sort -u <<<"$places" | grep -c .)" 1
}

# record_once: false if samples were throttled, because the machine is busy
record_once()
{
	insmod "$gone/knc_gone_a.ko"
	places=$(env "$@" "$KNC_RECORD" record -q -C 1 --ring-size 4M -o "$data" -e $event -- taskset -c 1 sh -c "$burns"'
		burn a $2; rmmod knc_gone_a
		insmod $1/knc_gone_b.ko; burn b $2; rmmod knc_gone_b
		insmod $1/knc_gone_c.ko; burn c $2' sh "$gone" $rounds 2>&1)
	rmmod knc_gone_c
	text=$("$KNC_PMUCTL" script -i "$data")
	! grep -q ': throttled$' <<<"$text"
}

# near NAME GOT: a test: GOT is about the number of a function's samples; interrupts at its end may
# cost a few
near()
{
	has "$1" "$(($2 >= wanted * 98 / 100 && $2 <= most)): $2" ^1
}

KNC_RECORD=$KNC_PMUCTL
recorded events
near gone.a "$(row knc_burn_a)"
# The recorder reads a module's names after it was loaded. On a busy machine it is late, and earlier
# samples have no name.
for name in b c; do
	has gone.$name "$(($(row knc_burn_$name) <= most)): $(row knc_burn_$name)" ^1
done
report=$("$KNC_PMUCTL" report -i "$data")
has gone.a-module "$report" '\[k\] knc_burn_a +\[knc_gone_a\]$'
# no sample has the name of a function that was not loaded at the time
for name in b c; do
	equal gone.others-$name "$(grep -cE " \[(k)\] [a-z].*\[knc_gone_$name\]" <<<"$report")" "$(($(row knc_burn_$name) > 0))"
done

# Without the kernel's events, as in a container, a and c may have been loaded at the same time
KNC_RECORD=$KNC_PMUCTL_SHARED
recorded deaf LD_PRELOAD="$KNC_TEST_BUILD/slow.so" SLOW=deaf
for name in a b c; do
	count=$(row knc_burn_$name)
	has "gone.deaf-$name" "$((count <= most)): $count" ^1
done

# A killed recorder has not written names: report takes those of the running kernel, which has none
# for a removed module
insmod "$gone/knc_gone_a.ko"
"$KNC_PMUCTL" record -q -C 1 -o "$data" -e $event &
pid=$!
until_true counting $pid
place=$(taskset -c 1 sh -c "$burns burn a $rounds" | awk '{ print substr($6, 3, 13) }')
rmmod knc_gone_a
# the samples in the function's first page
there()
{
	"$KNC_PMUCTL" script -i "$data" 2>/dev/null | grep "$place"
}
enough()
{
	[ "$(there | wc -l)" -ge $((wanted / 2)) ]
}
until_true enough
kill -9 $pid
wait $pid 2>/dev/null
there | head -n 1 | sed 's/^/# gone.killed: /'
enough || not_ok gone.killed-samples "$(there | wc -l) samples"
equal gone.killed "$(there | grep -vc '\[unknown\] (\[kernel.kallsyms\])$')" 0
rm -f "$data"
exit $failed
