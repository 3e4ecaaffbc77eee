/* SPDX-License-Identifier: GPL-2.0 */
/* What info shows with --topology */
#ifndef KNC_CTL_TOPOLOGY_H
#define KNC_CTL_TOPOLOGY_H

/* Print the cores as a table or JSON; returns an exit status */
int show_topology(int json);

#endif /* KNC_CTL_TOPOLOGY_H */
