/* SPDX-License-Identifier: GPL-2.0 */
/* Texts as fields of CSV */
#ifndef KNC_CTL_CSV_H
#define KNC_CTL_CSV_H

#include <stdio.h>

/*
 * Print a text as a field between separators @sep: in quotes if it has a separator, a quote or a
 * newline, and its own quotes doubled (RFC 4180)
 */
void csv_text(FILE *f, const char *sep, const char *text);

#endif /* KNC_CTL_CSV_H */
