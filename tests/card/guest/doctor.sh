#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# shellcheck disable=SC2317 # functions by name
#
# knc-pmuctl doctor: it finds what is broken, and the command that it prints fixes it. The last
# tests lock the kernel down, which lasts until the card is switched off.
#
#   doctor.sh [PART]...		run only these parts, the functions part_*
#
# KNC_TEST_MONITOR: the monitor of the card, see tests/card/run
cd "$(dirname "$0")" || exit 1
# shellcheck source=tests/card/guest/lib.sh
. ./lib.sh

export LC_ALL=C
unset COLUMNS
node=/dev/knc_pmu
group=4242
uid=4244
setpriv=/usr/bin/setpriv	# busybox's shell would use its own version, which has fewer options
said=$TMPDIR/doctor.json
tmp=$TMPDIR/doctor
mkdir -p "$tmp"
as=()				# a command prefix: the user that runs doctor
pmuctl=$KNC_PMUCTL

doctor()
{
	"${as[@]}" "$pmuctl" doctor --json >"$said" 2>&1 </dev/null
	status=$?
}

# field CHECK KEY: print a field of doctor's last output
field()
{
	doctor_says "$1" "$2" <"$said"
}

# pids CHECK: print the processes that the check names, one a line
pids()
{
	sed -n "/\"name\": \"$1\"/,/}/ s/^ *\\([0-9]*\\),\\{0,1\\}\$/\\1/p" "$said"
}

# says NAME CHECK VERDICT REGEX: a test: doctor gives this verdict
says()
{
	local verdict text

	doctor
	verdict=$(field "$2" verdict)
	text=$(field "$2" found)
	has "doctor.$1" "$verdict: $text" "^$3: .*$4"
	# doctor's exit status is that of the worst verdict
	if [ "$3" = failed ] && [ "$status" -ne 1 ]; then
		not_ok "doctor.$1-status" "$status, and a check has failed"
	fi
}

# mends NAME CHECK: a test: the command that doctor prints fixes the fault, executed by root
mends()
{
	local command

	command=$(field "$2" command)
	if [ -z "$command" ]; then
		not_ok "doctor.$1-mended" "no command: $(field "$2" found)"
		return
	fi
	echo "# $1: $command"
	sh -c "$command" >"$TMPDIR/mends" 2>&1 </dev/null || echo "# it ends with $?: $(head -n 3 "$TMPDIR/mends")"
	says "$1-mended" "$2" ok ''
}

# broken NAME CHECK VERDICT REGEX: two tests: doctor finds the fault, and its command fixes it
broken()
{
	says "$@"
	mends "$1" "$2"
}

fit_node()
{
	chgrp "$group" "$node" && chmod 660 "$node"
}

part_healthy()
{
	doctor
	[ "$(field lockdown verdict)" = ok ] ||
		broken securityfs lockdown 'not checked' 'securityfs is not mounted'
	doctor
	equal doctor.healthy "$status: $(grep -c '"verdict": "ok"' "$said") of $(grep -c '"verdict"' "$said")" "0: 21 of 21"
	[ "$(grep -c '"verdict": "ok"' "$said")" -eq 21 ] || sed 's/^/# /' "$said"
	has doctor.healthy-count "$(field count found)" '^[1-9][0-9]* instructions'
	has doctor.for-people "$("$pmuctl" doctor)" '^cpu +ok +Knights Corner \(family 11 model 1\), emulated$'
}

part_threads()
{
	echo 0 >/sys/devices/system/cpu/cpu3/online
	broken offline threads warning 'CPU 3 is offline'
	echo 0 >/sys/devices/system/cpu/cpu3/online
	echo 0 >/sys/devices/system/cpu/cpu1/online
	broken offline-two threads warning 'CPUs 1,3 are offline'
	mount -t tmpfs none /sys
	broken no-sysfs threads 'not checked' '/sys is not mounted'
	umount /sys
	umount /sys
}

part_module()
{
	# modules that are installed are tested by tests/card/run-busybox
	cd "${KNC_MODULE%/*}" || return
	rmmod knc_pmu
	says no-module module failed 'knc_pmu is not loaded'
	equal doctor.no-module-rest "$(grep -c '"verdict": "not checked"' "$said")" 8
	mends no-module module
	fit_node
	echo 0.0.9 >"$tmp/version"
	mount --bind "$tmp/version" /sys/module/knc_pmu/version
	broken old-module module warning 'knc_pmu is 0.0.9 and this tool [0-9]'
	cd "$OLDPWD" || return
	fit_node
}

part_node()
{
	rm "$node"
	says no-node node failed 'is missing'
	equal doctor.no-node-group "$(field group verdict)" 'not checked'
	mends no-node node
	rm "$node"
	mknod "$node" c 10 199
	broken wrong-node node failed 'is not the device of this module'
	fit_node
	chmod 666 "$node"
	broken open-node node warning 'mode 0666: every user can open it'
}

# Add a user, in writable copies of the files of users: the card's own are the host's
add_user()
{
	[ ! -e "$tmp/etc" ] || return
	mkdir "$tmp/etc"
	cp -a /etc/passwd /etc/group /etc/shadow /etc/gshadow /etc/login.defs /etc/nsswitch.conf \
		/etc/pam.d /etc/security /etc/ld.so.cache /etc/default "$tmp/etc" 2>/dev/null
	sed -i '/^kncpmu:/d' "$tmp/etc/group" "$tmp/etc/gshadow"
	mount --bind "$tmp/etc" /etc
	echo "knctester:x:$uid:$uid::/:/bin/sh" >>/etc/passwd
	echo "knctester:x:$uid:" >>/etc/group
	echo "knctester:!::" >>/etc/gshadow
	groupadd -g 4243 kncothers
}

# Run as that user with the groups at login
log_in()
{
	as=("$setpriv" --reuid "$uid" --regid "$uid" "$@")
}

part_group()
{
	add_user
	chgrp 0 "$node"
	log_in --clear-groups
	says group-root group failed 'only for root'
	sh -c "$(field group command)"
	log_in --clear-groups
	says group-late group failed 'logged in before'
	echo "$pmuctl doctor --json >$tmp/newgrp" >"$tmp/shell"
	chmod 777 "$tmp"
	"${as[@]}" sh -c "$(field group command) <$tmp/shell" >/dev/null
	cp "$tmp/newgrp" "$said"
	equal doctor.group-late-mended "$(field group verdict)" ok
	log_in --init-groups
	says group-root-mended group ok 'group kncpmu'
	chmod 600 "$node"
	says group-mode group failed "mode 0600: group kncpmu can't open it"
	as=()
	says group-mode-root group ok "others than root can't"
	log_in --init-groups
	doctor
	sh -c "$(field group command)"
	says group-mode-mended group ok 'group kncpmu'
	chgrp kncothers "$node"
	says group-wrong group failed 'is not in group kncothers'
	sh -c "$(field group command)"
	says group-wrong-mended group ok 'group kncothers'
	as=()
	fit_node
}

part_rights()
{
	as=("$setpriv" --reuid "$uid" --regid "$group" --clear-groups)
	cp "$KNC_PMUCTL" "$tmp/knc-pmuctl"
	chmod 755 "$tmp" "$tmp/knc-pmuctl"
	pmuctl=$tmp/knc-pmuctl
	says rights rights warning 'no CAP_PERFMON'
	equal doctor.rights-pce "$(field pce verdict)" 'not checked'
	mends rights rights
	pmuctl=$KNC_PMUCTL
	echo 3 >/proc/sys/kernel/perf_event_paranoid
	broken paranoid paranoid warning 'perf_event_paranoid is 3'
	echo thread >/sys/module/knc_pmu/parameters/unprivileged
	broken unprivileged-thread unprivileged warning 'events of one hardware thread only'
	echo self >/sys/module/knc_pmu/parameters/unprivileged
	broken unprivileged-self unprivileged warning 'only programs that count themselves'
	echo none >/sys/module/knc_pmu/parameters/unprivileged
	says unprivileged-none unprivileged failed 'nothing'
	equal doctor.unprivileged-none-count "$(field count verdict)" 'not checked'
	mends unprivileged-none unprivileged
	# old.so: the kernel does not report exec to modules
	pmuctl=$KNC_PMUCTL_SHARED
	# a copy, because the user may be unable to read the cache
	library=$(mktemp /dev/shm/old.XXXXXX)
	install -m 755 "$KNC_TEST_BUILD/old.so" "$library"
	as=(env LD_PRELOAD="$library")
	says rights-no-exec-root unprivileged ok 'without CAP_SYS_ADMIN may count nothing'
	as+=("$setpriv" --reuid "$uid" --regid "$group" --clear-groups)
	says rights-no-exec rights failed 'tells no module of exec'
	equal doctor.unprivileged-no-exec "$(field unprivileged verdict)" failed
	rm -f "$library"
	pmuctl=$KNC_PMUCTL
	as=()
}

part_rdpmc()
{
	local setting=/sys/bus/event_source/devices/cpu/rdpmc

	echo 0 >"$setting"
	broken rdpmc-0 rdpmc warning 'no program can execute RDPMC'
	echo 2 >"$setting"
	says rdpmc-2 rdpmc warning 'every program of every user'
	has doctor.rdpmc-2-pce "$(field pce verdict): $(field pce found)" 'warning: set on CPUs? [0-3,-]+:'
	mends rdpmc-2 rdpmc
	equal doctor.rdpmc-2-pce-mended "$(field pce verdict)" ok
	# a granted permission is no fault
	"$KNC_PMUCTL" grant --pin 2 -e BRANCHES:u -o /dev/null -- sh -c 'while :; do :; done' &
	holder=$!
	until_true granted_is_seen
	equal doctor.granted "$(field pce verdict)" ok
	pkill -P "$holder"
	wait "$holder"
}

# The program has the permission while it runs, and may be preempted
granted_is_seen()
{
	doctor
	field pce found | grep -q 'set on CPU 2, for programs that were granted RDPMC'
}

part_sessions()
{
	"$KNC_PMUCTL" stat -C 1 -e BRANCHES,DATA_READ -o /dev/null -- sleep 1000 2>/dev/null &
	holder=$!
	until_true counting "$holder"
	says sessions sessions warning "counters 0 and 1 of CPU 1: sessions of pid $holder \(knc-pmuctl\)"
	equal doctor.sessions-pids "$(pids sessions)" "$holder"
	has doctor.sessions-others "$(field count verdict), $(field perf verdict)" '^not checked, ok$'
	mends sessions sessions
	pkill -P "$holder"
	wait "$holder"
	# the process belongs to a user: end it
	as=("$setpriv" --reuid "$uid" --regid "$group" --clear-groups)
	"${as[@]}" "$KNC_PMUCTL" stat -e BRANCHES:u -o /dev/null -- sleep 1000 2>/dev/null &
	holder=$!
	until_true counting "$holder"
	says user-session sessions warning "counter 0 of CPUs 0-3: sessions of pid $holder"
	sh -c "$(field sessions command)"
	wait "$holder"
	says user-session-mended sessions ok ''
	as=()
}

has_events()
{
	find "/proc/$1/fd" -lname '*perf_event*' | grep -q .
}

part_perf()
{
	if ! perf stat -e r0016:u true >/dev/null 2>&1; then
		skip doctor.perf "perf does not count here, or is not installed: apt-get install linux-perf"
		return
	fi
	perf stat -a -e r0016 -o /dev/null -- sleep 1000 &
	holder=$!
	until_true has_events "$holder"
	as=("$setpriv" --reuid "$uid" --regid "$group" --clear-groups)
	says perf-unseen perf 'not checked' 'only root may see'
	as=()
	says perf perf failed "perf's events have the counters, .* end pid $holder \(perf\)"
	equal doctor.perf-pids "$(pids perf)" "$holder"
	sh -c "$(field perf command)"
	wait "$holder"
	says perf-mended perf ok 'leaves the counters to this module'
	# events that need no counter cause no fault
	perf stat -a -e cpu-clock -o /dev/null -- sleep 1000 &
	holder=$!
	until_true has_events "$holder"
	says perf-software perf ok ''
	pkill -P "$holder"
	wait "$holder"
}

part_watchdog()
{
	echo 1 >/proc/sys/kernel/nmi_watchdog
	broken watchdog watchdog failed 'no session can be had'
}

# fake_cpus WORDS...: make a directory of CPUs, each with "FILE=TEXT"
fake_cpus()
{
	local cpu word dir=$tmp/cpus

	mkdir -p "$dir"
	for word in present possible online; do
		echo 0-3 >"$dir/$word"
	done
	for cpu in 0 1 2 3; do
		for word; do
			mkdir -p "$dir/cpu$cpu/$(dirname "$word")"
			echo "${word#*=}" >"$dir/cpu$cpu/${word%%=*}"
		done
	done
	mount --bind "$dir" /sys/devices/system/cpu
	# otherwise the tool takes this directory for a container's fake, and ignores it
	export KNC_PMUCTL_SYSFS=/sys/devices/system/cpu
}

# Files that this card lacks: bind-mount a directory and files in their place
part_power()
{
	local source=/sys/devices/system/clocksource/clocksource0

	fake_cpus cpufreq/scaling_governor=ondemand cpufreq/scaling_min_freq=600000 \
		cpufreq/scaling_max_freq=1100000 cpuidle/state0/name=C1 cpuidle/state0/disable=0 \
		cpuidle/state2/name=C6 cpuidle/state2/disable=0
	echo tsc >"$tmp/clock"
	mount --bind "$tmp/clock" "$source/current_clocksource"
	says clock-tsc clock warning 'is tsc, .* their frequency changes'
	broken frequency frequency warning 'governor ondemand on CPU 0'
	broken idle idle warning 'switched off \(C6\)'
	equal doctor.idle-only "$(sort -u "$tmp"/cpus/cpu*/cpuidle/state0/disable)" 0
	echo jiffies >"$tmp/clock"
	broken clock clock warning 'is jiffies'
	umount "$source/current_clocksource" /sys/devices/system/cpu
	unset KNC_PMUCTL_SYSFS
}

# set_permille NUMBER: set the time stamp counter's rate, in thousandths of its normal one
nr_asked=0
set_permille()
{
	nr_asked=$((nr_asked + 1))
	echo "qom-set /machine tsc-permille $1" >"$KNC_TEST_MONITOR.new"
	mv "$KNC_TEST_MONITOR.new" "$KNC_TEST_MONITOR.$nr_asked"
	until_true test -e "$KNC_TEST_MONITOR.$nr_asked.done"
}

part_tsc()
{
	if [ -z "${KNC_TEST_MONITOR-}" ]; then
		skip doctor.tsc "no monitor to change the rate with: tests/card/run doctor has one"
		return
	fi
	set_permille 500
	broken tsc tsc warning 'on CPU [0-3] it goes at [0-9]+ kHz'
	set_permille 1000
	broken tsc-back tsc warning 'on CPU [0-3] it goes at [0-9]+ kHz'
}

part_lockdown()
{
	mount -t securityfs securityfs /sys/kernel/security 2>/dev/null
	if [ ! -e /sys/kernel/security/lockdown ]; then
		skip doctor.lockdown "this kernel has no lockdown"
		return
	fi
	# fake that such a kernel loads no module
	echo 'none [integrity] confidentiality' >"$tmp/lockdown"
	mount --bind "$tmp/lockdown" /sys/kernel/security/lockdown
	rmmod knc_pmu
	says integrity-unsigned lockdown warning \
		'integrity: .* not signed .* boot Linux without lockdown'
	insmod "$KNC_MODULE"
	umount /sys/kernel/security/lockdown
	echo integrity >/sys/kernel/security/lockdown
	says integrity lockdown ok 'integrity'
	echo confidentiality >/sys/kernel/security/lockdown
	says lockdown lockdown warning 'confidentiality: no samples show the kernel'
	equal doctor.lockdown-status "$status" 0
	# tests/card/run checks that the fault is gone on a card that was booted again
	equal doctor.lockdown-command "$(field lockdown command)" reboot
}

[ $# -gt 0 ] || set -- healthy threads module node group rights rdpmc sessions perf watchdog \
	power tsc healthy lockdown
for part; do
	"part_$part"
done
exit $failed
