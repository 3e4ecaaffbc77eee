#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# On the card: all figures of one boot, a line for each as soon as it is measured.
#
#   guest.sh DIR MODULE one|all|guard|scale
#
# DIR has the programs, MODULE is knc_pmu.ko. perf comes first, without the module: its handler
# would be one more of those that each NMI goes through. A part that fails does not stop the others.
dir=$1
module=$2
what=$3

# where an ordinary user can execute them
cp "$dir/cost" "$dir/perf" /run/ || exit 1
failed=0

# part USER PROGRAM WHO PART
part()
{
	user=$1 program=$2
	shift 2
	setpriv --reuid="$user" --regid="$user" --clear-groups -- "/run/$program" "$@" || failed=1
}

load()
{
	insmod "$module" "$@" && chmod 0666 /dev/knc_pmu || failed=1
}

# Ordinary users are 1000.
perf_alone()
{
	part 0 perf perf defects
	part 1000 perf perf task
	part 0 perf perf thread
	part 1000 perf perf samples-task
	part 0 perf perf samples-thread
	part 1000 perf perf switches
	part 1000 perf perf many
	echo "perf fields $(echo /sys/bus/event_source/devices/cpu/format/* | sed 's,[^ ]*/,,g; y/ /,/')"
}

here()
{
	insmod "$dir/ipi/knc_bench_ipi.ko" || failed=1
	part 0 cost here yardsticks
	load
	part 1000 cost here task
	part 0 cost here thread
	part 1000 cost here samples-task
	part 0 cost here samples-thread
	part 1000 cost here switches
	part 1000 cost here many
	rmmod knc_pmu || failed=1
	for mode in nmi irq; do
		load "pmi=$mode"
		part 1000 cost "$mode" samples-task
		part 0 cost "$mode" samples-thread
		rmmod knc_pmu || failed=1
	done
}

# but for the time
registers()
{
	"$dir/tools/knc-pmuctl" regs | grep -v TIME_STAMP_COUNTER
}

# the same by knc-pmuctl bench: its minima, and whether it puts the registers back
tool()
{
	load
	before=$(registers)
	"$dir/tools/knc-pmuctl" bench -C 0 -x ' ' | awk '{ print "tool", $1, $2 }'
	[ "$(registers)" = "$before" ] && echo "tool registers restored"
	rmmod knc_pmu || failed=1
}

echo "machine kernel $(uname -r)"
case $what in
one)
	perf_alone
	here
	;;
guard)
	part 0 perf perf defects
	here
	tool
	;;
all)
	part 0 perf perf all
	insmod "$dir/ipi/knc_bench_ipi.ko" || failed=1
	load
	part 0 cost here all
	;;
scale)
	insmod "$dir/ipi/knc_bench_ipi.ko" || failed=1
	load
	part 0 cost here scale
	;;
esac
exit $failed
