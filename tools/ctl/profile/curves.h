/* SPDX-License-Identifier: GPL-2.0 */
/* Counts or levels over time, as a table or a picture: timeline-csv.c, timeline-svg.c */
#ifndef KNC_CTL_CURVES_H
#define KNC_CTL_CURVES_H

#include "profile/bins.h"

/* In both functions @p is NULL if @t has levels */
void timeline_csv(const struct timeline *t, const struct profile *p, FILE *f);
/* Write the picture; @in_page: title, style and script are those of the page (html.c) */
void timeline_svg(const struct timeline *t, const struct profile *p, FILE *f, int in_page);
void timeline_style(FILE *f);
void timeline_script(FILE *f);

#endif /* KNC_CTL_CURVES_H */
