#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# On the card: all figures of one boot, a line for each as soon as it is measured.
#
#   guest.sh DIR PMU one|all|tools|bystanders|guard|guard-host|scale
#
# DIR has the programs, and PMU/knc_pmu.ko. Other tools are measured before the module is loaded:
# each NMI would call the module's handler too. A part that fails does not stop the others. On a
# host (PMU arch) "one" measures no other tool but perf.
dir=$1
pmu=$2
what=$3

# to a place from which an ordinary user can execute them
for f in "$dir"/*; do
	[ "$f" = "$dir/tools" ] || cp -r "$f" /run || exit 1
done
chmod 0755 /run
cd /run || exit 1
module=/run/$pmu/knc_pmu.ko
export HOME=/run/home PATH="/run/usr/bin:$PATH"
mkdir "$HOME"
failed=0

# part USER PROGRAM WHO PART: run the part of the program as user number USER
part()
{
	user=$1 program=$2
	shift 2
	setpriv --reuid="$user" --regid="$user" --clear-groups -- "/run/$program" "$@" || failed=1
}

# tool WHO NAME RUNS PROGRAM [ARGUMENT]...: the cost of a whole program, see tool.c
tool()
{
	/run/tool "$@" || failed=1
}

# tried WHO NAME PROGRAM [ARGUMENT]...: print whether a program works, or its error
tried()
{
	who=$1 name=$2
	shift 2
	if "$@" >tried.out 2>&1; then
		echo "$who $name works"
	else
		echo "$who $name refused $(grep -m 1 -i -E 'error|fail|cannot|not ' tried.out || echo "$?")"
	fi
}

load()
{
	insmod "$module" "$@" && chmod 0666 /dev/knc_pmu || failed=1
}

# Ordinary users have number 1000.
perf_alone()
{
	[ "$pmu" = arch ] || part 0 perf perf defects
	part 1000 perf perf task
	part 0 perf perf thread
	part 1000 perf perf samples-task
	part 0 perf perf samples-thread
	part 1000 perf perf switches
	part 1000 perf perf crowds
	part 1000 perf perf many
	# last, because these NMIs take so long that the kernel lowers perf_event_max_sample_rate
	part 1000 perf perf stacks-task
	part 0 perf perf stacks-thread
	echo "perf fields $(echo /sys/bus/event_source/devices/cpu/format/* | sed 's,[^ ]*/,,g; y/ /,/')"
}

# Runs after perf, because LIKWID and msr-tools write to registers that perf thinks are its own
peers()
{
	part 1000 papi papi task
	part 0 papi papi thread
	# otherwise the kernel logs each write to a register
	echo on >/sys/module/msr/parameters/allow_writes
	part 1000 msr msr task
	part 0 msr msr thread
	part 0 likwid likwid as-it-is
	part 0 likwid likwid thread
	part 0 load null ipi/knc_bench_ipi.ko
	part 0 load here "$module"
	part 0 load plain "/run/$pmu/plain/knc_pmu.ko"
}

# The rows that are measured with the module
main_rows()
{
	part 1000 cost here task
	part 0 cost here thread
	part 1000 cost here samples-task
	part 0 cost here samples-thread
	part 1000 cost here switches
}

here()
{
	insmod ipi/knc_bench_ipi.ko || failed=1
	part 0 cost here yardsticks
	load
	main_rows
	[ "$what" = guard ] || part 1000 cost here crowds
	[ "$what" = guard ] && part 1000 cost here bystanders-few
	part 1000 cost here many
	rmmod knc_pmu || failed=1
	for mode in nmi irq; do
		load "pmi=$mode"
		part 1000 cost "$mode" samples-task
		part 0 cost "$mode" samples-thread
		rmmod knc_pmu || failed=1
	done
}

# Print the registers without the time stamp counter
registers()
{
	knc-pmuctl regs | grep -v TIME_STAMP_COUNTER
}

# The minima by knc-pmuctl bench, and whether it restores the registers
same_by_tool()
{
	load
	before=$(registers)
	knc-pmuctl bench -C 0 -x ' ' | awk '{ print "tool", $1, $2 }'
	[ "$(registers)" = "$before" ] && echo "tool registers restored"
	rmmod knc_pmu || failed=1
}

# The events, and the measured programs: 20 and 200 million instructions in user mode
two=cycles,instructions
work="/run/work 20"
long="/run/work 200"

# profiles WHO PROGRAM: the cost of report and script for 5 and 50 copies of the samples in "data"
profiles()
{
	for copies in 5 50; do
		samples=$((copies * 20000))
		/run/times $copies $samples data more || failed=1
		tool "$1" "tool.report.$samples" 1 "$2" report --stdio -i more
		tool "$1" "tool.script.$samples" 1 "$2" script -i more
	done
	rm -f data more
}

# shellcheck disable=SC2086 # words
perf_tools()
{
	tool perf tool.stat 5 perf stat true
	tool perf tool.stat-two 5 perf stat -e $two true
	tool perf tool.stat-all 3 perf stat -a -e $two $work
	tool perf tool.record 3 perf record -q -e r0016 -c 20011 -o data $work
	# one sample every ten microseconds of the card's clock
	echo 200000 >/proc/sys/kernel/perf_event_max_sample_rate
	perf record -q -e r0016:u -c 10000 -o data $long || failed=1
	profiles perf perf
}

# shellcheck disable=SC2086 # words
here_tools()
{
	load
	tool here tool.stat 5 knc-pmuctl stat true
	tool here tool.stat-two 5 knc-pmuctl stat -e $two true
	tool here tool.stat-all 3 knc-pmuctl stat -a -e $two $work
	tool here tool.registers 5 knc-pmuctl regs
	tool here tool.record 3 knc-pmuctl record -q -e r0016 -c 20011 -o data $work
	knc-pmuctl record -q -e r0016:u -c 10000 -o data $long || failed=1
	profiles here knc-pmuctl
}

peer_tools()
{
	echo on >/sys/module/msr/parameters/allow_writes
	# shellcheck disable=SC2016 # for sh
	tool msr tool.registers 5 sh -c 'for r in 0x20 0x21 0x28 0x29 0x2c 0x2d 0x2f; do rdmsr -p 0 $r; done'
	group=CPU_CLK_UNHALTED:PMC0,INSTRUCTIONS_EXECUTED:PMC1
	tried likwid tool.direct likwid-perfctr -C 0 -M 0 -g $group true
	tried likwid tool.daemon likwid-perfctr -C 0 -M 1 -g $group true
}

# six_by WHO PROGRAM...: six events at once, of one busy task and of five; "work N" executes N
# million instructions, half of them branches
six_by()
{
	who=$1
	shift
	for tasks in 1 5; do
		# shellcheck disable=SC2016 # for sh
		"$@" -x, -o six.csv -e cycles:u,instructions:u,cache-references:u,cache-misses:u,branches:u,branch-misses:u -- \
			sh -c 'i=0; while [ $i -lt $0 ]; do ./work 100 & i=$((i + 1)); done; wait' $tasks || failed=1
		sed -nE "s/^([0-9]+),[^,]*,([a-z-]+):u,.*/$who six.$tasks.\\2 \\1/p" six.csv
	done
}

echo "machine kernel $(uname -r)"
case $what in
six)
	case $(uname -r) in
	*-bench)
		six_by perf perf stat
		load
		six_by turns knc-pmuctl stat
		six_by here knc-pmuctl stat --passes
		;;
	*) six_by mainline perf stat ;;
	esac
	;;
one)
	perf_alone
	[ "$pmu" = arch ] || peers
	here
	;;
guard)
	part 0 perf perf defects
	here
	same_by_tool
	;;
guard-host)
	load
	main_rows
	rmmod knc_pmu || failed=1
	;;
tools)
	tool here tool.true 5 true
	perf_tools
	peer_tools
	here_tools
	;;
all)
	part 0 perf perf all
	insmod ipi/knc_bench_ipi.ko || failed=1
	load
	part 0 cost here all
	;;
bystanders)
	# allow as many tasks as fit into memory
	echo 100000 >/proc/sys/kernel/threads-max
	# the largest value that this kernel accepts
	echo 32768 >/proc/sys/kernel/pid_max || failed=1
	prlimit --pid $$ --nproc=unlimited
	load
	part 1000 cost here bystanders
	;;
scale)
	insmod ipi/knc_bench_ipi.ko || failed=1
	load
	part 0 cost here scale
	;;
esac
exit $failed
