// SPDX-License-Identifier: GPL-2.0
/* A plot of a timeline without its contents: name, position, time axis */
#include <math.h>

#include "profile/pictures.h"
#include "profile/plot.h"

double plot_step(double range, int parts)
{
	double least = 0.999 * range / parts, step = pow(10, floor(log10(least)));

	if (step >= least)
		return step;
	if (2 * step >= least)
		return 2 * step;
	return 5 * step >= least ? 5 * step : 10 * step;
}

void plot_time_axis(FILE *f, unsigned long long end, double bottom)
{
	double seconds = end / 1e9, step = plot_step(seconds, 8), at;

	for (at = 0; at <= seconds * 1.0001; at += step) {
		fprintf(f,
			"<line class=\"grid\" x1=\"%.3f%%\" x2=\"%.3f%%\" y1=\"0\" y2=\"%.1f\"/>",
			at / seconds * 100, at / seconds * 100, bottom);
		fprintf(f,
			"<text class=\"middle tick\" x=\"%.3f%%\" y=\"%.1f\">%g</text>\n",
			at / seconds * 100, bottom + 17, at);
	}
	fprintf(f, "<text class=\"middle\" x=\"50%%\" y=\"%.1f\">time [s]</text>\n",
		bottom + 35);
}

void plot_name(FILE *f, const char *name, const char *unit, double top)
{
	fprintf(f, "<text class=\"event\" x=\"12\" y=\"%.1f\">", top + TITLE - 12);
	print_xml(f, name);
	fprintf(f, "%s</text>\n", unit);
}

void plot_begin(FILE *f, const char *name, const char *unit, double top, double height)
{
	plot_name(f, name, unit, top);
	fprintf(f,
		"<svg class=\"plot\" x=\"%d\" y=\"%.1f\" width=\"%d\" height=\"%.1f\" overflow=\"visible\">\n",
		LEFT, top + TITLE, COLUMNS, height + AXIS);
}
