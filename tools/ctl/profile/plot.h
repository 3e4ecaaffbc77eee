/* SPDX-License-Identifier: GPL-2.0 */
/* Measures of the picture of a timeline, and what its plots have in common */
#ifndef KNC_CTL_PLOT_H
#define KNC_CTL_PLOT_H

#include <stdio.h>

#define WIDTH		1200	/* without timeline.js, which adapts the width */
#define LEFT		116
#define RIGHT		24
#define COLUMNS		(WIDTH - LEFT - RIGHT)
#define TITLE		34	/* height above the rows of an event */
#define AXIS		48	/* height below the rows of an event */
#define LEGEND		30	/* height above the rows of colours */
#define HEAT		640	/* greatest height of all rows of colours */
#define MAX_HEAT	18	/* greatest height of one row of colours */

/* The least step of 1, 2 or 5 times a power of ten that divides @range into at most @parts */
double plot_step(double range, int parts);
/* The name of a plot, and the unit of its values */
void plot_name(FILE *f, const char *name, const char *unit, double top);
/* Begin a plot with its name; its rows are @height high */
void plot_begin(FILE *f, const char *name, const char *unit, double top, double height);
/* Draw the time axis, @end ns long, below the rows, which end at @bottom */
void plot_time_axis(FILE *f, unsigned long long end, double bottom);

#endif /* KNC_CTL_PLOT_H */
