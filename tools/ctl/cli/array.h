/* SPDX-License-Identifier: GPL-2.0 */
/* The number of elements of an array */
#ifndef KNC_CTL_ARRAY_H
#define KNC_CTL_ARRAY_H

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

#endif /* KNC_CTL_ARRAY_H */
