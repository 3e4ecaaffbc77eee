/* SPDX-License-Identifier: GPL-2.0 */
/* What info shows with --interrupts */
#ifndef KNC_CTL_INTERRUPTS_H
#define KNC_CTL_INTERRUPTS_H

/*
 * Print the overflow interrupts of @threads hardware threads as a table or JSON. Without @all
 * leaves out hardware threads that had none. Returns an exit status.
 */
int show_interrupts(int fd, unsigned int threads, int all, int json);

#endif /* KNC_CTL_INTERRUPTS_H */
