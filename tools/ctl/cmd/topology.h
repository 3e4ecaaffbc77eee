/* SPDX-License-Identifier: GPL-2.0 */
/* info --topology */
#ifndef KNC_CTL_TOPOLOGY_H
#define KNC_CTL_TOPOLOGY_H

/* info --topology: a table or JSON; an exit status */
int show_topology(int json);

#endif /* KNC_CTL_TOPOLOGY_H */
