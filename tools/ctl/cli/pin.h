/* SPDX-License-Identifier: GPL-2.0 */
/* --pin */
#ifndef KNC_CTL_PIN_H
#define KNC_CTL_PIN_H

#include <kncpmu.h>

#include "cli/command.h"

/*
 * Take the argument of --pin: CPUs, or "cores", "compact" or "scatter", with ":N" for
 * the first N hardware threads. For these keywords OMP_PLACES is set as well.
 */
int take_pin(const struct command *cmd, const char *arg, struct kncpmu_cpus *cpus);

/* Print the CPUs of a command to stderr, if --pin had a keyword */
void say_pin(const struct kncpmu_cpus *cpus);

#endif /* KNC_CTL_PIN_H */
