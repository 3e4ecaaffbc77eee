/* SPDX-License-Identifier: GPL-2.0 */
/* Long output, through the user's pager */
#ifndef KNC_CTL_PAGER_H
#define KNC_CTL_PAGER_H

/* If standard output is a terminal, show it with $PAGER until the program ends */
void pager_start(void);

#endif /* KNC_CTL_PAGER_H */
