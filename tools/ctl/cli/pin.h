/* SPDX-License-Identifier: GPL-2.0 */
/* --pin */
#ifndef KNC_CTL_PIN_H
#define KNC_CTL_PIN_H

#include <kncpmu.h>

#include "cli/options.h"

/*
 * Take the argument of --pin: CPUs, or "cores", "compact" or "scatter", with ":N" for
 * the first N hardware threads. For these keywords OMP_PLACES is set as well.
 */
take_fn take_pin;

#define PIN_OPTION(to, given)						\
	{ 0, "pin", "CPUS", CALL_AND_FLAG(take_pin, to, given),		\
	  "run COMMAND on these CPUs only; or cores (one hardware thread of each core), "	\
	  "compact[:N] (N threads, core after core), scatter[:N] (N threads, spread over all "	\
	  "cores)" }

/* Print the CPUs of the command to stderr if --pin was given a keyword */
void say_pin(const struct kncpmu_cpus *cpus);

#endif /* KNC_CTL_PIN_H */
