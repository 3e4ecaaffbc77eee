#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Run test commands on the card, as root: card.sh COMMANDLINE...
#
# The output of a command is shown at its end: sending it earlier would execute instructions on a
# CPU whose exact count is tested.
#
# KNC_TEST_BUILD: the directory of the test programs; KNC_PMUCTL, KNC_MODULE: the
# paths of knc-pmuctl and of the module
cd "$(dirname "$0")" || exit 1
# shellcheck source=tests/card/guest/lib.sh
. ./lib.sh

export PATH=$PATH:/usr/sbin:/sbin
# Opening a file of the host takes a dozen messages: avoid it for locales, and for files that only
# the tests read.
export LC_ALL=C TMPDIR=/dev/shm/knc-test
mkdir -m 755 "$TMPDIR" || exit 1
mkfifo "$TMPDIR/silent"	# for pause()
output=$KNC_VM_SCRATCH/output
# the tests write to registers: silence the kernel's warning
echo on >/sys/module/msr/parameters/allow_writes
pmi=$(</sys/module/knc_pmu/parameters/pmi)
[ "$pmi" = nmi ] || export KNC_TEST_PMI=$pmi
kernel_log_begins
for command; do
	began=$SECONDS
	# shellcheck disable=SC2086 # its words
	$command >"$output" 2>&1
	status=$?
	cat "$output"
	echo "# ${command##*/}: $((SECONDS - began)) s"
	[ $status -eq 0 ] || failed=1
	if [ $status -ne 0 ] && ! grep -q '^not ok' "$output"; then
		not_ok "${command##*/}" "'$command' ended with $status"
	fi
done
exit $failed
