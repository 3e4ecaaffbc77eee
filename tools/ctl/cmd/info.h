/* SPDX-License-Identifier: GPL-2.0 */
/* What info shows with --topology and --interrupts */
#ifndef KNC_CTL_INFO_H
#define KNC_CTL_INFO_H

/* Print the cores as a table or JSON; returns an exit status */
int show_topology(int json);
/* The same of overflow interrupts, on @threads of them. @all: also where there were none */
int show_interrupts(int fd, unsigned int threads, int all, int json);

#endif /* KNC_CTL_INFO_H */
