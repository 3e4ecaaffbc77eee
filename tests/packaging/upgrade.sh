# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154,SC2034,SC2016 # variables of the script that includes this; DKMS's ${MAKE}
#
# An upgrade in $root: what an administrator changes before it, and what must be the same after it.

# what an upgrade and a purge leave: lines of diff
administered='> ./etc/dkms/knc-pmu.conf
> ./etc/modprobe.d/knc_pmu.conf
> ./etc/modules-load.d
> ./etc/modules-load.d/knc_pmu.conf
> ./etc/systemd/system/knc-pmu-serve.service.d
> ./etc/systemd/system/knc-pmu-serve.service.d/port.conf
> ./etc/udev/rules.d/60-knc_pmu.rules'

# As far as packages see, systemd runs from here on, and stores what it is asked for
begin_systemd()
{
	mkdir -p "$root/run/systemd/system"
	rm -f "$root/usr/bin/systemctl"
	cat >"$root/usr/bin/systemctl" <<-'END'
		#!/bin/sh
		echo "$*" >>/tmp/systemctl
		case $* in
		*is-enabled*) [ ! -L /etc/systemd/system/multi-user.target.wants/knc-pmu-serve.service ] || echo enabled ;;
		esac
	END
	chmod 755 "$root/usr/bin/systemctl"
	: >"$root/tmp/systemctl"
}

# Change what an administrator may change: the group, the rule, the module's options, how DKMS
# builds it, when it is loaded, and the server
administer()
{
	local system=$root/etc/systemd/system

	in_root groupmod -g 4711 kncpmu
	in_root usermod -aG kncpmu tuner
	mkdir -p "$root"/etc/{udev/rules.d,modprobe.d,modules-load.d,dkms} "$system/knc-pmu-serve.service.d"
	sed 's/0660/0640/' tools/packaging/60-knc_pmu.rules >"$root/etc/udev/rules.d/60-knc_pmu.rules"
	echo 'options knc_pmu any_counter=1' >"$root/etc/modprobe.d/knc_pmu.conf"
	echo 'MAKE[0]="${MAKE[0]} PMU=arch"' >"$root/etc/dkms/knc-pmu.conf"
	ln -s /dev/null "$root/etc/modules-load.d/knc_pmu.conf"
	printf '[Service]\nExecStart=\nExecStart=/usr/bin/knc-pmuctl serve --listen 9999\n' >"$system/knc-pmu-serve.service.d/port.conf"
	# systemctl enable
	mkdir -p "$system/multi-user.target.wants"
	ln -s /lib/systemd/system/knc-pmu-serve.service "$system/multi-user.target.wants/"
}

# print a line for each file and link of /etc: the group's members and all configuration
configuration()
{
	(cd "$root/etc" && find . -name ld.so.cache -o -type f -exec sha256sum {} + -o -type l -printf '%p -> %l\n') | LC_ALL=C sort
}

# asked: print what systemd was asked to do with the server since the last time
asked()
{
	grep -v ' is-' "$root/tmp/systemctl" | sed -nE 's/^(--[a-z-]+ )*(.*) knc-pmu-serve\.service$/\2/p' | paste -sd' '
	: >"$root/tmp/systemctl"
}

# check_upgraded NAME ASKED: tests of what must be there after the upgrade from $older to $version, for the
# kernel $release; $scratch/configuration is configuration() before it; ASKED: of systemd
check_upgraded()
{
	local module

	equal "$1.configuration" "$(diff "$scratch/configuration" <(configuration))" ''
	equal "$1.group" "$(in_root getent group kncpmu)" 'kncpmu:x:4711:tuner'
	equal "$1.dkms" "$(in_root dkms status knc-pmu)" "knc-pmu/$version, $release, x86_64: installed"
	equal "$1.source" "$(cd "$root/usr/src" && echo knc-pmu-*)" "knc-pmu-$version"
	module=$(find "$root/lib/modules/$release" -name 'knc_pmu.ko*')
	equal "$1.module" "$(modinfo -F version "$module")" "$version"
	# by the line in /etc/dkms/knc-pmu.conf
	equal "$1.module-of-host" "$(modinfo -F alias "$module")" ''
	has "$1.rule" "$(cat "$root/usr/lib/udev/rules.d/60-knc_pmu.rules")" 'MODE="0660"'
	equal "$1.server" "$(asked)" "$2"
}
