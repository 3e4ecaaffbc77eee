# shellcheck shell=bash
# shellcheck disable=SC2154 # here, me, log, package, series: the caller's
# SPDX-License-Identifier: GPL-2.0
#
# Recipe for tests/machine/kernel: a kernel of Debian's, its headers made to
# work where they are unpacked. Uses say, die, step and need of the caller.

# What is loaded before there is a root file system, and what tools expect.
boot_modules="virtio_pci virtio_console 9pnet_virtio 9p"
more_modules="msr cpuid"
# What is loaded with knc-vm --network only: modules/network names them in order.
network_modules="virtio_net"

# The kernel inside a bzImage ($1) to $2. The header of the boot protocol says
# where the payload is; the kernel's own decompressor would take seconds.
unpack_bzimage()
{
	local sects offset length tool

	sects=$(od -An -tu1 -j $((0x1f1)) -N1 "$1")
	offset=$(od -An -tu4 -j $((0x248)) -N4 "$1")
	length=$(od -An -tu4 -j $((0x24c)) -N4 "$1")
	offset=$(((sects + 1) * 512 + offset))
	case $(od -An -tx1 -j "$offset" -N4 "$1" | tr -d ' ') in
	fd377a58) tool=xz ;;
	28b52ffd) tool=zstd ;;
	1f8b*) tool=gzip ;;
	*) return 1 ;;
	esac
	need "$tool"
	# The payload ends in its unpacked size, which some tools complain of.
	tail -c +$((offset + 1)) "$1" | head -c $((length - 4)) | "$tool" -dcq >"$2" 2>/dev/null
	[ "$(head -c 4 "$2" | tr -d '\177')" = ELF ] || return 1
	case $(readelf -n "$2" 2>/dev/null) in
	*Xen*) ;;
	*) return 1 ;;
	esac
}

# modules/NAME.ko and modules/load: the modules "$@" and what they need,
# everything after what it rests upon.
pick_modules()
{
	local tree=$1 out=$2 m file deps
	shift 2

	for m; do
		[ ! -e "$out/$m.ko" ] || continue
		file=$(find "$tree/kernel" \( -name "$m.ko*" -o -name "${m//_/-}.ko*" \) -print -quit)
		if [ -z "$file" ]; then
			grep -q "/${m}.ko\$" "$tree/modules.builtin" && continue
			die "this kernel has no module $m"
		fi
		case $file in
		*.xz) xz -dc "$file" >"$out/$m.ko" ;;
		*.zst) zstd -dcq "$file" >"$out/$m.ko" ;;
		*) cp "$file" "$out/$m.ko" ;;
		esac
		deps=$(modinfo -F depends "$out/$m.ko")
		# shellcheck disable=SC2086 # one word per module
		pick_modules "$tree" "$out" ${deps//,/ }
		echo "$m" >>"$out/load"
	done
}

# Programs of the headers that need a newer C library than this system's get
# one beside them: Debian's libc6 of the same release, never installed.
give_libc()
{
	local suite=$1 work=$2 out=$3 final=$4 file programs=() libs=(libc6 libzstd1 zlib1g)

	while IFS= read -r file; do
		[ "$(head -c 4 "$file" | tr -d '\0\177')" = ELF ] || continue
		case $(ldd "$file" 2>&1) in
		*"not found"*) programs+=("$file") ;;
		esac
	done < <(find "$out/usr/lib" "$out/lib" -path '*linux-kbuild*' -type f -perm -100 \
		! -name sign-file ! -name extract-cert 2>/dev/null)
	[ ${#programs[@]} -gt 0 ] || return 0
	case $suite in
	bullseye | bookworm) libs+=(libelf1) ;;
	*) libs+=(libelf1t64) ;;
	esac
	say "its programs need $suite's C library: fetching that too"
	step "$here/apt-fetch" deb "$suite" "$work/libs" "${libs[@]}"
	mkdir -p "$work/libc" "$out/libc"
	for file in "$work"/libs/*.deb; do
		step dpkg -x "$file" "$work/libc"
	done
	find "$work/libc" -name '*.so*' -not -path '*/gconv/*' -not -path '*/audit/*' -not -path '*/lib64/*' \
		-exec cp -a -t "$out/libc" {} +
	[ -e "$out/libc/ld-linux-x86-64.so.2" ] || die "no dynamic loader in $suite's libc6"
	for file in "${programs[@]}"; do
		mv "$file" "$file.bin"
		cat >"$file" <<-WRAPPER
		#!/bin/sh
		exec "$final/libc/ld-linux-x86-64.so.2" --library-path "$final/libc" --argv0 "\$0" "$final/${file#"$out"/}.bin" "\$@"
		WRAPPER
		chmod 0755 "$file"
	done
}

# The headers were made for the release's own compiler. Take back what the one
# here doesn't know, in the flags (auto.conf) and in the code (autoconf.h).
suit_compiler()
{
	local hdr=$1 drop=(DEBUG_INFO_BTF DEBUG_INFO_BTF_MODULES GCC_PLUGINS) o

	has_attribute()
	{
		echo "#if !__has_attribute($1)
		#error
		#endif" | gcc -E -x c - >/dev/null 2>&1
	}

	has_flag()
	{
		gcc -Werror "$1" -x c -c -o /dev/null /dev/null 2>/dev/null
	}

	for o in CC_HAS_COUNTED_BY CC_HAS_COUNTED_BY_PTR CC_HAS_MULTIDIMENSIONAL_NONSTRING CC_HAS_ASSUME; do
		case $o in
		CC_HAS_COUNTED_BY*) has_attribute __counted_by__ && [ $o = CC_HAS_COUNTED_BY ] && continue ;;
		CC_HAS_MULTI*) has_flag -std=gnu2y && continue ;;
		CC_HAS_ASSUME) has_attribute __assume__ && continue ;;
		esac
		drop+=("$o")
		sed -i "/^#define CONFIG_$o 1\$/d" "$hdr/include/generated/autoconf.h"
	done
	has_flag -fmin-function-alignment=16 || drop+=(CC_HAS_MIN_FUNCTION_ALIGNMENT)
	for o in "${drop[@]}"; do
		sed -i "/^CONFIG_$o=/d" "$hdr/include/config/auto.conf"
	done
	# Only warned of, in every build.
	sed -i "s/^CONFIG_PAHOLE_VERSION=.*/CONFIG_PAHOLE_VERSION=$(pahole --numeric_version 2>/dev/null || echo 0)/" \
		"$hdr/include/config/auto.conf"
	has_flag -fmin-function-alignment=16 ||
		sed -i '/^#define CONFIG_CC_HAS_MIN_FUNCTION_ALIGNMENT 1$/d' "$hdr/include/generated/autoconf.h"
}

provide()
{
	local suite=$2 work=$4 final=$5
	local out=$work/out release image hdr common file packages=() p

	need gcc make xz modinfo dpkg readelf ldd
	image=$("$here/apt-fetch" depends "$suite" "$package" | sed -n '/^linux-image-[0-9].*-amd64$/p')
	[ -n "$image" ] || die "$package of $suite names no kernel"
	release=${image#linux-image-}
	case $release in
	"$series".*) ;;
	*) die "Debian's $suite has moved on to $release: there is no $series there any more; use another kernel ($me --list)" ;;
	esac
	say "fetching Debian's $release ($suite, about 100 MB, once) ..."
	packages=("linux-headers-$release")
	for p in $("$here/apt-fetch" depends "$suite" "linux-headers-$release"); do
		case $p in
		linux-headers-*-common | linux-headers-*-common-rt | linux-kbuild-*) packages+=("$p") ;;
		esac
	done
	# Newer packages split the image in two.
	p=$("$here/apt-fetch" depends "$suite" "$image" | grep -E '^linux-(base|binary|modules)-[0-9]') || p=$image
	# shellcheck disable=SC2206 # one word per package
	packages+=($p)
	step "$here/apt-fetch" deb "$suite" "$work/debs" "${packages[@]}"
	mkdir -p "$work/x"
	for file in "$work"/debs/*.deb; do
		step dpkg -x "$file" "$work/x"
	done

	file=$(find "$work/x" -type f \( -name "vmlinuz-$release" -o -name vmlinuz \) -print -quit)
	[ -n "$file" ] || die "no vmlinuz in ${packages[*]}"
	unpack_bzimage "$file" "$out/vmlinuz" || cp "$file" "$out/vmlinuz"

	p=$(find "$work/x" -type d -path "*/lib/modules/$release")
	: >"$out/modules/load"
	# shellcheck disable=SC2086 # one word per module
	pick_modules "$p" "$out/modules" $boot_modules
	cp "$out/modules/load" "$work/load"
	# shellcheck disable=SC2086
	pick_modules "$p" "$out/modules" $more_modules
	: >"$out/modules/load"
	# shellcheck disable=SC2086
	pick_modules "$p" "$out/modules" $network_modules
	mv "$out/modules/load" "$out/modules/network"
	mv "$work/load" "$out/modules/load"

	mkdir -p "$out/usr"
	mv "$work/x/usr/src" "$out/usr/src"
	mkdir -p "$out/usr/lib"
	mv "$work"/x/usr/lib/linux-kbuild-* "$out/usr/lib/"
	ln -s usr/lib "$out/lib"
	hdr=$out/usr/src/linux-headers-$release
	ln -s "usr/src/linux-headers-$release" "$out/build"
	common=$(cd "$out/usr/src" && echo linux-headers-*-common*)
	[ -d "$out/usr/src/$common" ] || die "no common headers in ${packages[*]}"
	cat >"$hdr/Makefile" <<-MAKE
	KBUILD_OUTPUT = $final/usr/src/linux-headers-$release
	include $final/usr/src/$common/Makefile
	MAKE
	# Any gcc: the one of the release needn't be here.
	sed -i 's/^CC = .*/CC = gcc/; s/^override CROSS_COMPILE = .*/override CROSS_COMPILE =/; /^DEB_BUILD_ARCH/d' \
		"$hdr/.kernelvariables"
	grep -q NO_CC_VERSION_CHECK "$hdr/.kernelvariables" ||
		echo "DEBIAN_KERNEL_NO_CC_VERSION_CHECK = y" >>"$hdr/.kernelvariables"
	# With BTF but without pahole module builds fail, and nobody needs it.
	rm -f "$hdr/vmlinux"
	give_libc "$suite" "$work" "$out" "$final"
	suit_compiler "$hdr"
	if [ -n "$(find "$out" -type l -lname '/*')" ]; then
		find "$out" -type l -lname '/*' -exec ls -l {} + >>"$log"
		die "absolute links are left in the headers of $release; see $log"
	fi
	echo "$release" >"$out/release"
}
