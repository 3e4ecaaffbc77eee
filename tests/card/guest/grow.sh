#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# shellcheck disable=SC2086 # numbers
#
# A program with many mappings, and one with many threads: names are right, and the cost of
# recording and report is linear in their number
cd "$(dirname "$0")" || exit 1
# shellcheck source=tests/card/guest/lib.sh
. ./lib.sh

# with KNC_TEST_LONG more mappings than the default limit allows
few=5000
[ -z "${KNC_TEST_LONG-}" ] || few=20000
many=$((4 * few))
echo $((2 * many)) >/proc/sys/vm/max_map_count
# copy files to the card: opening a file of the host costs instructions
cp "$KNC_TEST_BUILD"/{maps,sleepers,cost} "$KNC_PMUCTL" "$TMPDIR"
cd "$TMPDIR" || exit 1
event=INSTRUCTIONS_EXECUTED:u

# takes NAME NR COMMAND...: write what COMMAND costs to NAME-NR: instructions in user mode, in the
# kernel, and KB
takes()
{
	local name=$1 nr=$2
	shift 2
	./cost "$name-$nr" "$@" >"$name.out" 2>"$name.said"
	equal "$name-$nr" "$?" 0
	echo "# $name-$nr: $(<"$name-$nr") (user, kernel, KB)"
}

# linear NAME: a test: four times as many cost at most five times as much, or eight times in the
# kernel, where interrupts are counted too. Figures below a million are ignored.
linear()
{
	local i times=(5 8 5)
	local -a less more names=(user kernel memory) least=(1000000 1000000 1000)
	read -ra less <"$1-$few"
	read -ra more <"$1-$many"
	for i in 0 1 2; do
		has "$1.${names[i]}" "$((more[i] <= times[i] * (less[i] > least[i] ? less[i] : least[i]))): \
${less[i]}, ${more[i]}" ^1
	done
}

# named NAME: a test: the report has both functions, with nearly half of the samples each. On a busy
# machine samples may be throttled. If the clocks of samples and of mappings differ, samples soon
# after a mapping have no name.
named()
{
	local text
	text=$(<"$1.out")
	has "$1.even" "$text" '^ +~?4[5-9]\.[0-9]+% .*\[\.\] even_work +maps$'
	has "$1.odd" "$text" '^ +~?4[5-9]\.[0-9]+% .*\[\.\] odd_work +maps$'
	has "$1.unknown" "$(awk '/\[unknown\]$/ { sub("~", "", $1); sum += $1 } END { print sum < 1, sum "%" }' <<<"$text")" ^1
	equal "$1.said" "$(<"$1.said")" ''
}

for nr in $few $many; do
	takes maps.record $nr ./knc-pmuctl record -q -o data -e $event@1009 -- ./maps $nr
	takes maps.report $nr ./knc-pmuctl report -i data
	named maps.report
	./maps $nr stay >ready &
	pid=$!
	until_true grep -q mapped ready
	takes maps.record-pid $nr ./knc-pmuctl record -q -o data -e $event@20011 -p $pid -- sleep 2
	kill $pid
	wait $pid 2>/dev/null
	rm ready
	takes maps.report-pid $nr ./knc-pmuctl report -i data
	named maps.report-pid
done
for name in record report record-pid report-pid; do
	linear maps.$name
done

# For a process with many threads the tool needs more open files than a user may have. Without
# samples the kernel's symbols are not read, which would take longest.
few=1000
[ -z "${KNC_TEST_LONG-}" ] || few=7500
many=$((4 * few))
for name in threads-max pid_max; do
	echo 200000 >/proc/sys/kernel/$name
done
ulimit -u unlimited
ulimit -n 4000
for nr in $few $many; do
	./sleepers $nr >ready &
	pid=$!
	until_true grep -q asleep ready
	takes threads.stat $nr ./knc-pmuctl stat -e $event -p $pid -- sleep 0.1
	has threads.stat-$nr.counts "$(<threads.stat.said)" '^ +[1-9][0-9]{4,} +INSTRUCTIONS_EXECUTED:u'
	takes threads.record $nr ./knc-pmuctl record -q -o data -e $event@500000000003 -p $pid -- true
	equal threads.record-$nr.said "$(<threads.record.said)" ''
	has threads.refused-$nr "$(setpriv --bounding-set -sys_resource ./knc-pmuctl record -q -o data -p $pid -- true 2>&1)" \
		"; $((nr + 1)) threads on 8 CPUs take $((8 * nr + 8)) open files, and 4000 are the limit: raise it with ulimit -n$"
	./knc-pmuctl record -q -o data -e $event@100003 -p $pid -- sleep 0.1
	has threads.named-$nr "$(./knc-pmuctl report -i data)" '^ *~?(9[0-9]|100)\.[0-9]+% .*\[\.\] loop +sleepers$'
	kill $pid
	wait $pid 2>/dev/null
	rm ready
done
linear threads.stat
linear threads.record

# If the kernel does not report mappings, the tool reads them from /proc repeatedly, which takes at
# most a fifth of the time.
export SLOW_AT=$TMPDIR/user/looks
slow()
{
	LD_PRELOAD=$KNC_TEST_BUILD/slow.so SLOW=maps setpriv --reuid 65534 --regid 4242 --clear-groups \
		"$KNC_PMUCTL_SHARED" record "$@"
}
paranoid=$(</proc/sys/kernel/perf_event_paranoid)
echo 3 >/proc/sys/kernel/perf_event_paranoid
mkdir -m 777 user
setpriv --reuid 65534 --regid 4242 --clear-groups ./maps 10 stay >/dev/null &
pid=$!
began=${EPOCHREALTIME/./}
text=$(slow -q -o user/slow.data -e $event@20011 -p $pid -- sleep 4 2>&1)
took=$(((${EPOCHREALTIME/./} - began) / 1000))
kill $pid
if line_of "$text" 'does not tell'; then
	looks=$(wc -l <"$SLOW_AT")
	echo "# looks: $looks of 100 ms in $took ms"
	has looks.some "$looks" '^[1-9]'
	# besides one look before the recording, and one at its end
	has looks.few "$((looks <= 2 + took / 500)): $looks in $took ms" ^1
else
	echo "# looks: this kernel has no perf_event_paranoid of 3"
fi
echo "$paranoid" >/proc/sys/kernel/perf_event_paranoid
cd /
rm -rf "$TMPDIR"/{maps,sleepers,cost,knc-pmuctl,data,user,maps.*,threads.*}
exit $failed
