# shellcheck shell=bash
# shellcheck disable=SC2154 # here, me, log: the caller's
# SPDX-License-Identifier: GPL-2.0
#
# Recipe for tests/machine/kernel: a kernel built from Debian's linux-source
# package and the fragments vm.config + NAME.config, everything built in.
# Uses say, die, step and need of the caller.

# Options of $1 (a merged fragment) that did not make it into $2.
lost_options()
{
	local line option

	while IFS= read -r line; do
		option=${line%%=*}
		case $line in
		*=n) ! grep -q "^$option=" "$2" || echo "$line" ;;
		*) grep -qxF "$line" "$2" || echo "$line" ;;
		esac
	done <"$1"
}

provide()
{
	local name=$1 suite=$2 version=$3 work=$4
	local out=$work/out tree=$work/out/build pvh rcu patch lost minutes

	need gcc make flex bison bc patch xz dpkg strip
	minutes=6
	[ "$name" != bench ] || minutes=3
	say "fetching linux-source-6.1 $version (140 MB, once) ..."
	step "$here/apt-fetch" deb "$suite" "$work/debs" linux-source-6.1
	step dpkg -x "$work"/debs/linux-source-6.1_*.deb "$work/x"
	mkdir "$tree"
	step tar -C "$tree" --strip-components=1 -xJf "$work/x/usr/src/linux-source-6.1.tar.xz"

	# The PVH entry runs before the shadow memory exists and calls memcmp(),
	# which is instrumented, to see if it runs on Xen. It doesn't.
	pvh=$tree/arch/x86/platform/pvh
	sed -i 's/u32 msr = xen_cpuid_base();/u32 msr = 0;/' "$pvh/enlighten.c"
	grep -q 'u32 msr = 0;' "$pvh/enlighten.c" || die "the PVH entry of linux-source-6.1 $version looks different: adapt $here/kernels/source.sh"
	printf 'KASAN_SANITIZE := n\nKCSAN_SANITIZE := n\nUBSAN_SANITIZE := n\n' >>"$pvh/Makefile"

	# Linux before 6.7 with PROVE_RCU: one boot in twenty hung, because a caller of
	# synchronize_rcu_tasks() that does not see the new kthread yet waits for the
	# mutex with which that kthread sleeps ("rcu-tasks: Fix boot-time RCU tasks
	# debug-only deadlock"). Here the boot waits until the kthread runs.
	rcu=$tree/kernel/rcu/tasks.h
	sed -i '/smp_mb(); .* Ensure others see full kthread/a\
\
	while (!READ_ONCE(rtp->kthread_ptr))\
		schedule_timeout_uninterruptible(1);' "$rcu"
	grep -q 'while (!READ_ONCE(rtp->kthread_ptr))' "$rcu" ||
		die "RCU-tasks of linux-source-6.1 $version looks different: adapt $here/kernels/source.sh"

	# perf at its best: mainline's driver with its defects repaired. MSR accessors have
	# other names since Linux 6.16, for which the patches are.
	for patch in "$here"/../../Documentation/upstream/*.patch; do
		[ "$name" = bench ] || continue
		sed 's/\<\(rd\|wr\)msrq/\1msrl/g' "$patch" >"$work/patch"
		step patch -d "$tree" -p1 -i "$work/patch"
	done

	# The last fragment that names an option wins.
	cat "$here/kernels/vm.config" "$here/kernels/$name.config" | grep '^CONFIG_' | tac |
		awk -F= '!seen[$1]++' >"$work/all.config"
	echo "CONFIG_LOCALVERSION=\"-knc-$name\"" >>"$work/all.config"
	step make -C "$tree" ARCH=x86_64 KCONFIG_ALLCONFIG="$work/all.config" allnoconfig
	lost=$(lost_options "$work/all.config" "$tree/.config")
	[ -z "$lost" ] || die "the configuration of the $name kernel did not take: ${lost//$'\n'/ }"

	say "building the $name kernel (about $minutes minutes, once) ..."
	step make -C "$tree" ARCH=x86_64 -j"$(nproc)" KBUILD_BUILD_USER=knc KBUILD_BUILD_HOST=knc vmlinux modules
	strip -o "$out/vmlinuz" "$tree/vmlinux"
	cp "$tree/System.map" "$out/System.map"
	: >"$out/modules/load"
	step make -s -C "$tree" ARCH=x86_64 kernelrelease
	cp "$tree/include/config/kernel.release" "$out/release.new"

	# Of the tree only what module builds need stays.
	say "keeping what module builds need ..."
	(
		cd "$tree" || exit
		rm -rf Documentation LICENSES block certs crypto drivers fs init io_uring ipc \
			kernel lib mm net rust samples security sound usr virt vmlinux* .tmp* .vmlinux*
		find arch -mindepth 1 -maxdepth 1 ! -name x86 ! -name Kconfig -exec rm -rf {} +
		find arch include -type f \( -name '*.[coSsa]' -o -name '*.cmd' -o -name '*.order' \
			-o -name '*.symvers' -o -name '*.bin' -o -name '*.elf' -o -name '*.lds' \) -delete
		find arch/x86 -mindepth 1 -maxdepth 1 -type d ! -name include ! -name tools -exec rm -rf {} +
		find tools -mindepth 1 -maxdepth 1 ! -name objtool ! -name include ! -name build -exec rm -rf {} +
		find scripts tools \( -name '*.o' -o -name '*.a' -o -name '.*.cmd' \) -delete
	)
	mv "$out/release.new" "$out/release"
}
