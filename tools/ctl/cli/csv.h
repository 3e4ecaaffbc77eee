/* SPDX-License-Identifier: GPL-2.0 */
/* Texts as fields of CSV */
#ifndef KNC_CTL_CSV_H
#define KNC_CTL_CSV_H

#include <stdio.h>

/* Print a text as a CSV field (RFC 4180): quoted if it contains @sep, a quote or a newline */
void csv_text(FILE *f, const char *sep, const char *text);

#endif /* KNC_CTL_CSV_H */
