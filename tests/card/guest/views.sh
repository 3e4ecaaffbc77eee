#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# shellcheck disable=SC2016,SC2317 # text for other shells, functions by name
#
# A container changes /proc and /sys: each figure is right or missing, and a line says why
cd "$(dirname "$0")" || exit 1
# shellcheck source=tests/card/guest/lib.sh
. ./lib.sh

export PATH=$PATH:/usr/sbin:/sbin
data=$TMPDIR/views.data
tmp=$TMPDIR/views
cpus=/sys/devices/system/cpu
loop=("$KNC_TEST_BUILD/loop" 1000000)
foreign='another pid namespace: mount -t proc none /proc'
covered='a container has put something else in its place: run this outside of it'
mkdir -p "$tmp"

# view SETUP COMMAND...: run it in a mount namespace of its own, after SETUP
view()
{
	local setup=$1
	shift
	unshare -m sh -ec "$setup"'
exec "$@"' sh "$@" 2>&1
}

# inside COMMAND...: run it in a pid namespace with the outer namespace's /proc
inside()
{
	unshare -pf "$@" 2>&1
}

# verdict CHECK: print a verdict of doctor --json, read from stdin, and its command if it has one
verdict()
{
	local said

	said=$(</dev/stdin)
	printf '%s: %s; %s\n' "$(doctor_says "$1" verdict <<<"$said")" \
		"$(doctor_says "$1" found <<<"$said")" "$(doctor_says "$1" command <<<"$said")"
}

# has_not NAME TEXT REGEX: a test: no line of TEXT matches
has_not()
{
	if line_of "$2" "$3"; then
		not_ok "$1" "'$3' in '$2'"
	else
		ok "$1"
	fi
}

owner_is_seen()
{
	"$KNC_PMUCTL" info | grep -q '^owner.*pid'
}

# Pids of another namespace
text=$(inside "$KNC_PMUCTL" top --tasks -b -n 1 -d 0.1)
has views.pid.top "status $?: $text" "status 1: .*$foreign"
text=$(unshare -pf --mount-proc sh -c '"$1" top --tasks -b -n 1 -d 0.1; true' sh "$KNC_PMUCTL" 2>&1)
has views.pid.top-mounted "$text" '^ +1 sh '
# outside of the namespace, pid 2 is a kernel thread
text=$(inside sh -c '"$1" stat -e BRANCHES -C 1 -o /dev/null -- sleep 1000 &
	until "$1" info | grep -q "^owner .*pid"; do sleep 0.1; done
	"$1" info | grep "^owner"; kill $!; wait $!' sh "$KNC_PMUCTL")
has views.pid.owner "$text" '^owner +counter 0 of CPUs 1: pid 2'
has_not views.pid.owner-name "$text" '\('
text=$(inside sh -c '"$2" 1000000000 & "$1" record -p $! -o "$3" -e INSTRUCTIONS_EXECUTED:u -c 1000003 -- sleep 0.5
	kill $!' sh "$KNC_PMUCTL" "${loop[0]}" "$data")
has views.pid.record "$text" "warning: can't read /proc: .*$foreign"
has_not views.pid.record-names "$(strings "$data")" 'kthreadd'
text=$(inside "$KNC_PMUCTL" record -o "$data" -e INSTRUCTIONS_EXECUTED:u -c 10007 -- "${loop[@]}")
has_not views.pid.command "$text" 'warning'
has views.pid.command-names "$("$KNC_PMUCTL" script -i "$data" -F comm,dso | tr -s '\n\t ' ' ')" ' loop \(\S*/loop\)'

# perf outside has the counters
perf stat -a -e cycles,instructions -o /dev/null -- sh -c 'touch "$1"; exec sleep 1000' sh "$tmp/perf" &
perf=$!
# doctor takes the counters for a moment: wait until perf has released them
until_true test -e "$tmp/perf"
until_true sh -c '"$1" doctor --json | grep -A3 "\"name\": \"perf\"" | grep -q failed' sh "$KNC_PMUCTL"
has views.perf.outside "$("$KNC_PMUCTL" doctor --json | verdict perf)" "^failed: .*pid $perf \(perf\).* kill $perf"
has views.perf.foreign "$(inside "$KNC_PMUCTL" doctor --json | verdict perf)" "^not checked: .*$foreign; \$"
has views.perf.inside "$(unshare -pf --mount-proc "$KNC_PMUCTL" doctor --json | verdict perf)" \
	'^not checked: .*does not show all processes here'
kill $perf
wait $perf

# CPU numbers and loads as lxcfs shows them
echo 0-1 >"$tmp/online"
sed -n 's/^cpu3/cpu0/p' /proc/stat >"$tmp/stat"
online="mount --bind $tmp/online $cpus/online"
has views.cpus.info "$(view "$online" "$KNC_PMUCTL" info)" "^hardware threads +unknown \($covered\)"
text=$(view "$online" "$KNC_PMUCTL" stat -a -e BRANCHES -- true)
has views.cpus.all "status $?: $text" "status 1: .*which CPUs are online \($covered\): name them with -C"
text=$(view "$online" "$KNC_PMUCTL" stat -x, --per-cpu -C 0-3 -e BRANCHES -- true)
equal views.cpus.named "$(grep -c '^CPU[0-3],' <<<"$text")" 4
text=$(view "$online" "$KNC_PMUCTL" record -C 3 -o "$data" -e INSTRUCTIONS_EXECUTED:u -c 10007 -- taskset -c 3 "${loop[@]}")
has_not views.cpus.record "$text" 'warning'
has views.cpus.record-names "$("$KNC_PMUCTL" script -i "$data" -F comm,dso | tr -s '\n\t ' ' ')" ' loop \(\S*/loop\)'
has views.cpus.doctor "$(view "$online" "$KNC_PMUCTL" doctor --json | verdict threads)" "^not checked: .*$covered"
has views.cpus.frequency "$(view "$online" "$KNC_PMUCTL" doctor --json | verdict frequency)" "^not checked: "
text=$(view "mount --bind $tmp/stat /proc/stat" "$KNC_PMUCTL" top -b -n 1 -d 0.1)
has views.busy.left-out "$text" '^ +0 +[0-9]+\.0 +- '
has views.busy.why "$text" "^-: not known, because /proc/stat can't be read: $covered"

# /sys has no information about cores
cores="mount -t tmpfs none $cpus"
text=$(view "$cores" "$KNC_PMUCTL" stat -C 0,1 -e CPU_CLK_UNHALTED -- true)
has views.cores.wide "status $?: $text" "status 1: .*which CPUs make up a core \($covered\)"
text=$(view "$cores" "$KNC_PMUCTL" stat --per-core -C 0,1 -e BRANCHES -- true)
has views.cores.per-core "status $?: $text" "status 1: .*which CPUs make up a core"
text=$(view "$cores" "$KNC_PMUCTL" stat -C 0,1 -e BRANCHES -- true)
has views.cores.others "$text" '^ +[0-9]+ +BRANCHES'
text=$(view "$cores" "$KNC_PMUCTL" top -b -n 1 -d 0.1 -C 0,1 -e CPU_CLK_UNHALTED)
has views.cores.top "$text" "^-: not known, because $cpus can't be read: $covered"
has views.cores.sum "$text" '^ +all .* -$'
"$KNC_PMUCTL" stat -e BRANCHES -C 2 -o /dev/null -- sleep 1000 &
holder=$!
until_true owner_is_seen
has views.cores.owner "$(view "$cores" "$KNC_PMUCTL" info)" "^owner +counter 0 of CPUs 2: pid $holder"
has views.cores.sessions "$(view "$cores" "$KNC_PMUCTL" doctor --json | verdict sessions)" "^warning: counter 0 of CPU 2:"
kill $holder
wait $holder

# /proc hides other users' processes: the module knows them, but their names are unknown
hidden()
{
	view 'mount -t proc -o hidepid=2,gid=1 proc /proc' setpriv --reuid 65534 --regid "$(stat -c %g /dev/knc_pmu)" \
		--clear-groups "$@"
}
"$KNC_PMUCTL" stat -e BRANCHES -C 2 -o /dev/null -- sleep 1000 &
holder=$!
until_true owner_is_seen
text=$(hidden "$KNC_PMUCTL" info)
has views.hidepid.owner "$text" "^owner +counter 0 of CPUs 2: pid $holder"
has_not views.hidepid.owner-name "$text" '^owner.*\('
text=$(hidden "$KNC_PMUCTL" stat -p $holder -e BRANCHES -- true)
has views.hidepid.denied "status $?: $text" "status 1: .*permission denied: pid $holder is not yours to follow"
text=$(hidden "$KNC_PMUCTL" top --tasks -b -n 1 -d 0.1)
has views.hidepid.top "$text" 'no process was running that you may count'
has views.hidepid.own "$(hidden "$KNC_PMUCTL" stat -x, -e BRANCHES:u -- true)" '^[1-9][0-9]*,'
kill $holder
wait $holder

# /sys of systemd-nspawn, without /sys/module; and files that it and docker mask
part='mkdir -p /dev/shm/part && mount -t sysfs sys /dev/shm/part && mount -t tmpfs none /sys
for d in bus class dev devices kernel; do mkdir /sys/$d; mount --bind /dev/shm/part/$d /sys/$d; done'
text=$(view "$part" "$KNC_PMUCTL" doctor --json)
has views.part.module "$(verdict module <<<"$text")" '^not checked: .*/sys/module/knc_pmu'
has views.part.node "$(verdict node <<<"$text")" '^ok: '
has views.part.count "$(verdict count <<<"$text")" '^ok: '
has views.part.info "$(view "$part" "$KNC_PMUCTL" info)" '^module +knc_pmu, version unknown'
text=$(view 'mount -t tmpfs none /proc/sys; mount --bind /dev/null /proc/cpuinfo' "$KNC_PMUCTL" doctor --json)
has views.masked.paranoid "$(verdict paranoid <<<"$text")" "^not checked: .*$covered"
has views.masked.watchdog "$(verdict watchdog <<<"$text")" "^not checked: .*$covered"
has views.masked.cpu "$(verdict cpu <<<"$text")" '^ok: Knights Corner \(family 11 model 1\), emulated'

# The kernel's symbols are missing, or belong to another kernel
sed 's/ \([tTwW]\) / \1 wrong_/' /proc/kallsyms >"$tmp/kallsyms"
for file in /dev/null "$tmp/kallsyms"; do
	text=$(view "mount --bind $file /proc/kallsyms" "$KNC_PMUCTL" record -C 1 -o "$data" -e INSTRUCTIONS_EXECUTED:k \
		-c 1009 -- taskset -c 1 true)
	has "views.kallsyms.${file##*/}" "$text" 'warning: the kernel hides its symbols'
	has_not "views.kallsyms.${file##*/}-report" \
		"$(view "mount --bind $file /proc/kallsyms" "$KNC_PMUCTL" report -i "$data" --stdio)" 'wrong_'
done

# A cpuset: the kernel silently drops CPUs that are not in it
mkdir -p "$tmp/cgroup"
mount -t cgroup2 none "$tmp/cgroup"
echo +cpuset >"$tmp/cgroup/cgroup.subtree_control"
mkdir "$tmp/cgroup/part"
echo 0-1 >"$tmp/cgroup/part/cpuset.cpus"
# in_cpuset COMMAND...: run it in this cpuset
in_cpuset()
{
	sh -c 'echo $$ >"$1"; shift; exec "$@"' sh "$tmp/cgroup/part/cgroup.procs" "$@" 2>&1
}
for pin in 1,3 3; do
	text=$(in_cpuset "$KNC_PMUCTL" stat --pin $pin -e BRANCHES -- true)
	has "views.cpuset.$pin" "status $?: $text" "status 1: .*the cpuset of this cgroup .* lacks some of them: choose others"
done
text=$(in_cpuset "$KNC_PMUCTL" stat --pin 1 -e BRANCHES -- true)
has views.cpuset.1 "status $?: $text" 'status 0: '
text=$(in_cpuset "$KNC_PMUCTL" stat -x, --per-cpu -a -e BRANCHES -- true)
equal views.cpuset.all "$(grep -c '^CPU[0-3],' <<<"$text")" 4
rmdir "$tmp/cgroup/part"
umount "$tmp/cgroup"
rm -rf "$tmp" "$data"
exit $failed
