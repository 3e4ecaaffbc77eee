#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The overflow interrupt as a vector, if the kernel has one for modules: pmi.sh
# COMMANDLINE#COMMANDLINE... runs test commands with it, their names prefixed "irq.";
# then the module is loaded with pmi=nmi.
cd "$(dirname "$0")" || exit 1
# shellcheck source=tests/card/guest/lib.sh
. ./lib.sh

group=$(stat -c '%g' /dev/knc_pmu)

# load PARAMETER...: load the module; the kernel's messages about this are in $said
load()
{
	local status lines
	lines=$(dmesg | wc -l)
	insmod "$KNC_MODULE" "$@" >"$TMPDIR/insmod" 2>&1
	status=$?
	said=$(cat "$TMPDIR/insmod"; dmesg | tail -n +$((lines + 1)))
	[ ! -c /dev/knc_pmu ] || chgrp "$group" /dev/knc_pmu
	return $status
}

# without_prefix PREFIX: print KNC_TEST_ONLY for tests that get this prefix later; fails if it asks
# for none of them
without_prefix()
{
	local IFS='|' name only=

	[ -n "${KNC_TEST_ONLY-}" ] || return 0
	for name in $KNC_TEST_ONLY; do
		# a name that is a part of the prefix asks for all these tests
		[[ $1 != "$name."* ]] || return 0
		[[ $name != "$1"* ]] || only+=${only:+|}${name#"$1"}
	done
	echo "$only"
	[ -n "$only" ]
}

rmmod knc_pmu || not_ok pmi.unload "rmmod failed"
for mode in NMI fast ""; do
	equal "pmi.refused-${mode:-empty}" "$(load "pmi=$mode" >/dev/null; echo $?)" 1
done
load pmi=fast
has pmi.refused-errno "$said" 'Invalid (parameters|argument)'
has pmi.refused-why "$said" 'knc_pmu: pmi=fast: the overflow interrupt can be nmi, irq or auto'

if load pmi=irq; then
	ok pmi.irq
	equal pmi.parameter "$(</sys/module/knc_pmu/parameters/pmi)" irq
	export KNC_TEST_PMI=irq
	IFS='#' read -ra commands <<<"$*"
	only=$(without_prefix irq.) || commands=()
	for command in "${commands[@]}"; do
		# a file, not a pipe: the pipe's reader would run where programs are counted
		# shellcheck disable=SC2086 # its words
		KNC_TEST_ONLY=$only $command >"$TMPDIR/irq" 2>&1 || failed=1
		sed -E 's/^(ok|not ok|skip|#) /\1 irq./' "$TMPDIR/irq"
		grep -qE '^(ok|not ok) ' "$TMPDIR/irq" || [ -n "$only" ] || not_ok irq "'$command' ran no test"
	done
	rmmod knc_pmu || not_ok pmi.irq-unload "rmmod failed"
	# the module has left no vector
	equal pmi.vectors "$(grep -c knc_pmu /proc/interrupts)" 0
	for round in 1 2 3; do
		text=$(insmod "$KNC_MODULE" pmi=irq 2>&1 && rmmod knc_pmu 2>&1)
		equal pmi.irq-again-$round "$text" ''
	done
else
	has pmi.irq-errno "$said" 'Operation not supported'
	has pmi.irq-why "$said" 'knc_pmu: pmi=irq: this kernel gives modules no interrupt vectors; use pmi=nmi'
	case $(uname -r) in
	5.*) ok pmi.irq-refused ;;
	*) not_ok pmi.irq-refused "$said" ;;
	esac
fi
equal pmi.nmi "$(load pmi=nmi; echo $?)" 0
exit $failed
