#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Load and unload the module, idle and in use
cd "$(dirname "$0")" || exit 1
# shellcheck source=tests/card/guest/lib.sh
. ./lib.sh

unload()
{
	rmmod knc_pmu
}

load()
{
	insmod "$KNC_MODULE"
}

is_loaded()
{
	[ -d /sys/module/knc_pmu ] && [ -c /dev/knc_pmu ]
}

equal module.loaded "$(is_loaded; echo $?)" 0
before=$(stat -c '%a %g' /dev/knc_pmu)

# an open file is enough
exec 5<>/dev/knc_pmu
equal module.unload-open "$(unload >/dev/null 2>&1; echo $?)$(is_loaded; echo $?)" 10
exec 5>&-

# while a session counts; it goes on counting
"$KNC_PMUCTL" stat -C 2 -e BRANCHES -x, -o "$TMPDIR/held" -- sleep 1000 &
holder=$!
until_true counting $holder
has module.session "$("$KNC_PMUCTL" info)" 'counter 0 of CPUs 2:'
equal module.unload-session "$(unload >/dev/null 2>&1; echo $?)$(is_loaded; echo $?)" 10
kill $holder
wait $holder
count=$(grep -v '^#' "$TMPDIR/held" | cut -d, -f1)
equal module.session-counts "$((${count:-0} > 0))" 1

for round in 1 2 3; do
	text=$(unload 2>&1)
	equal module.unload-$round "$text$(is_loaded; echo $?)" 1
	text=$(load 2>&1)
	equal module.load-$round "$text$(is_loaded; echo $?)" 0
done
equal module.node "$(stat -c '%a' /dev/knc_pmu)" "${before% *}"
chgrp "${before#* }" /dev/knc_pmu
# not into a pipe: its reader would run where the session counts
"$KNC_TEST_BUILD/counts" counts.instructions >"$TMPDIR/counts" || failed=1
sed 's/counts.instructions/module.counts-again/' "$TMPDIR/counts"
exit $failed
