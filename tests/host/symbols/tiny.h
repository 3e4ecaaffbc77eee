/* SPDX-License-Identifier: GPL-2.0 */
/* What the programs of check-symbols call */
#ifndef TINY_H
#define TINY_H

long tiny(long n);
void leaf(void);

#endif /* TINY_H */
