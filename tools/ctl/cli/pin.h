/* SPDX-License-Identifier: GPL-2.0 */
/* Cores and their hardware threads */
#ifndef KNC_CTL_TOPOLOGY_H
#define KNC_CTL_TOPOLOGY_H

#include "cli/ctl.h"

/* All cores, for kncpmu_topology_free(); complains if they can't be found out */
int read_topology(struct kncpmu_topology *t);

/* info --topology: a table or JSON; an exit status */
int show_topology(int json);

/*
 * The argument of --pin: CPUs, or "cores", "compact" or "scatter", with ":N" for
 * the first N of them. With a word the order is told to OpenMP as well.
 */
int take_pin(const struct command *cmd, const char *arg, struct kncpmu_cpus *cpus);

/* One line to stderr about where a command runs, if --pin had a word */
void say_pin(const struct kncpmu_cpus *cpus);

#endif /* KNC_CTL_TOPOLOGY_H */
