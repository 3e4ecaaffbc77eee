# shellcheck shell=bash
# shellcheck disable=SC2154 # here, me, log: the caller's
# SPDX-License-Identifier: GPL-2.0
#
# Recipe for tests/machine/kernel: what an owner has of a kernel that others have built. Its
# configuration, Module.symvers and vmlinux are in sdk/, and build/ is the source as it was
# unpacked. Uses say, die, step and need of the caller.

provide()
{
	local name=$1 suite=$2 version=$3 work=$4
	local out=$work/out tree=$work/out/build

	need gcc make flex bison bc xz dpkg strip
	say "fetching linux-source-6.1 $version (140 MB, once) ..."
	step "$here/apt-fetch" deb "$suite" "$work/debs" linux-source-6.1
	step dpkg -x "$work"/debs/linux-source-6.1_*.deb "$work/x"
	mkdir "$tree" "$work/o" "$out/sdk"
	step tar -C "$tree" --strip-components=1 -xJf "$work/x/usr/src/linux-source-6.1.tar.xz"
	# The last fragment that names an option wins.
	cat "$here/kernels/vm.config" "$here/kernels/$name.config" | grep '^CONFIG_' | tac |
		awk -F= '!seen[$1]++' >"$work/all.config"
	echo "CONFIG_LOCALVERSION=\"-knc-$name\"" >>"$work/all.config"
	step make -C "$tree" O="$work/o" ARCH=x86_64 KCONFIG_ALLCONFIG="$work/all.config" allnoconfig
	grep -q '^CONFIG_DEBUG_INFO=y' "$work/o/.config" || die "the configuration of the $name kernel did not take"
	say "building the $name kernel (about 4 minutes, once) ..."
	step make -C "$tree" O="$work/o" ARCH=x86_64 -j"$(nproc)" KBUILD_BUILD_USER=knc KBUILD_BUILD_HOST=knc \
		vmlinux modules
	strip -o "$out/vmlinuz" "$work/o/vmlinux"
	: >"$out/modules/load"
	cp "$work/o/vmlinux" "$work/o/Module.symvers" "$out/sdk"
	cp "$work/o/.config" "$out/sdk/config"
	cp "$work/o/include/config/kernel.release" "$out/release"
}
