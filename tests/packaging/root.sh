# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154 # scratch is of the script that includes this, and lib.sh
#
# A new Debian 12 in $root, a folder of $scratch. Root, for the chroot.

root=$scratch/root

# run a command in the chroot
in_root()
{
	chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 HOME=/root \
		DEBIAN_FRONTEND=noninteractive "$@"
}

# new_root NAME: make the chroot, or fail the test NAME.chroot; it is removed at the end
new_root()
{
	local archive

	archive=$(tests/packaging/fresh-chroot) || { not_ok "$1.chroot" "no new Debian 12"; exit 1; }
	mkdir "$root"
	tar -xf "$archive" -C "$root" || { not_ok "$1.chroot" "tar fails"; exit 1; }
	trap 'umount "$root/proc" "$root/dev/shm" 2>/dev/null; rm -rf "$scratch"' EXIT
	mount -t proc proc "$root/proc"
}
