/* SPDX-License-Identifier: GPL-2.0 */
/* Measures of the picture of a timeline: timeline-svg.c, and timeline-lanes.c for its threads */
#ifndef KNC_CTL_PLOT_H
#define KNC_CTL_PLOT_H

#include <stdio.h>

#include "profile/lanes.h"

#define WIDTH		1200	/* width where timeline.js does not run */
#define LEFT		116
#define RIGHT		24
#define COLUMNS		(WIDTH - LEFT - RIGHT)
#define TITLE		34	/* height above the rows of an event */
#define AXIS		48	/* height below the rows of an event */
#define LEGEND		30	/* height above the rows of colours */
#define HEAT		640	/* greatest height of all rows of colours */
#define MAX_HEAT	18	/* greatest height of one row of colours */

/* The axis of a plot of @end ns, whose rows are @bottom high */
void plot_time_axis(FILE *f, unsigned long long end, double bottom);
/* Begin a plot with its title */
void plot_begin(FILE *f, const char *name, const char *unit, double top, double height);

/* The height of the part with the threads; 0: there are none */
double lanes_height(const struct lanes *l);
void lanes_svg(const struct lanes *l, unsigned long long end, double top, FILE *f);

#endif /* KNC_CTL_PLOT_H */
