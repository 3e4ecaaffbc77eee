#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Run test commands on the card, as root: card.sh COMMANDLINE...
#
# Output is shown when a command has ended: its transport would execute instructions
# on a CPU on which a test counts exactly.
#
# KNC_TEST_BUILD: the directory of the test programs; KNC_PMUCTL, KNC_MODULE: the
# paths of knc-pmuctl and of the module
cd "$(dirname "$0")" || exit 1
# shellcheck source=tests/system/guest/lib.sh
. ./lib.sh

export PATH=$PATH:/usr/sbin:/sbin
# the tests write to registers: without a warning of the kernel
echo on >/sys/module/msr/parameters/allow_writes
kernel_log_begins
for command; do
	began=$SECONDS
	# shellcheck disable=SC2086 # its words
	$command >"$TMPDIR/output" 2>&1
	status=$?
	cat "$TMPDIR/output"
	echo "# ${command##*/}: $((SECONDS - began)) s"
	[ $status -eq 0 ] || failed=1
	if [ $status -ne 0 ] && ! grep -q '^not ok' "$TMPDIR/output"; then
		not_ok "${command##*/}" "'$command' ended with $status"
	fi
done
exit $failed
