/* SPDX-License-Identifier: GPL-2.0 */
/* --pin */
#ifndef KNC_CTL_PIN_H
#define KNC_CTL_PIN_H

#include <kncpmu.h>

#include "cli/command.h"

/*
 * The argument of --pin: CPUs, or "cores", "compact" or "scatter", with ":N" for
 * the first N of them. With a word the order is told to OpenMP as well.
 */
int take_pin(const struct command *cmd, const char *arg, struct kncpmu_cpus *cpus);

/* One line to stderr about where a command runs, if --pin had a word */
void say_pin(const struct kncpmu_cpus *cpus);

#endif /* KNC_CTL_PIN_H */
