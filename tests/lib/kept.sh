# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh disable=SC2154 # repo is of the script that includes this
#
# Builds that are kept: a copy of sources in the cache, in which make finds the objects of an earlier
# run and compiles what has changed since. One copy serves all clones of this tree, in turns.
#
#	kept_open NAME INPUT... -- PATH...	$kept is the copy of these files and folders of $repo
#	...					build there, and take out what is needed
#	kept_close [keep]			for the next one; without "keep" that begins anew
#
# "keep" is for a build that succeeded and said nothing: make would not repeat a warning about a file
# that it does not compile again. A build that did not end leaves its mark, and begins anew as well.

kept_cache=${XDG_CACHE_HOME:-$HOME/.cache}/knc-pmu/build

# The checksums of what is copied; results of builds in the tree are left out.
kept_sums()
{
	(cd "$repo" && find "$@" -path tools/build -prune -o -type f ! -name '*.o' ! -name '*.cmd' \
		! -name '*.mod' ! -name '*.mod.c' ! -name '*.ko' ! -name '.*' -print0 |
		xargs -0 sha256sum) | LC_ALL=C sort
}

# The names in a list of checksums, in order
kept_names()
{
	cut -c 67- "$1" | LC_ALL=C sort
}

# Start a new copy after changes that make does not notice: another compiler or library, another
# option, a removed file, or a new header that an #include finds before the old one. INPUT is
# whatever else decides what make does.
kept_open()
{
	kept_name=$1
	kept_key=
	shift
	while [ "$1" != -- ]; do
		kept_key="$kept_key $1"
		shift
	done
	shift
	kept_key=$({ echo "$kept_key"; cat "$repo/tests/lib/kept.sh" /var/lib/dpkg/status; } | sha256sum | cut -c 1-16)
	kept=$kept_cache/kept-$kept_name-$kept_key
	mkdir -p "$kept_cache"
	# remove copies that were not used for two weeks
	find "$kept_cache" -maxdepth 1 -name 'kept-*' -mtime +14 -exec rm -rf {} +
	exec 9>"$kept.lock"
	flock 9
	kept_sums "$@" >"$kept.sums"
	kept_names "$kept.sums" >"$kept.names"
	if [ -e "$kept/unfinished" ] || [ ! -e "$kept/names" ] ||
		LC_ALL=C comm -13 "$kept.names" "$kept/names" | grep -q . ||
		LC_ALL=C comm -23 "$kept.names" "$kept/names" | grep -qE '\.(h|def|inc)$'; then
		rm -rf "$kept"
		mkdir "$kept"
	fi
	touch "$kept/unfinished" "$kept/sums" "$kept.lock"
	LC_ALL=C comm -23 "$kept.sums" "$kept/sums" | cut -c 67- |
		(cd "$repo" && xargs -r -d '\n' cp --parents -t "$kept")
	mv "$kept.sums" "$kept/sums"
	mv "$kept.names" "$kept/names"
}

kept_close()
{
	[ "${1-}" != keep ] || rm "$kept/unfinished"
	exec 9>&-
}
