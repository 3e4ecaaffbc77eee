// SPDX-License-Identifier: GPL-2.0
/*
 * The threads of a timeline as a plot, and as CSV: a row for each thread, coloured by its states
 *
 * A column of the picture has the state in which the thread was longest there. Columns of one state
 * are one path, because a row may change a thousand times.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/csv.h"
#include "profile/lanes.h"
#include "profile/pictures.h"
#include "profile/plot.h"
#include "profile/profile.h"

#define MAX_LANES	((int)(HEAT / 2))	/* rows of two pixels */
#define LABEL		14	/* characters of "NAME-TID" beside a row */
#define NOTHING		NR_LANE_STATES

/**
 * struct rows - the threads that are shown
 * @all: the threads
 * @nr: number of @all
 * @of: number of all threads
 * @height: of a row
 */
struct rows {
	const struct thread_lane **all;
	size_t nr;
	size_t of;
	double height;
};

static int by_running(const void *a, const void *b)
{
	const struct thread_lane *x = *(const struct thread_lane * const *)a;
	const struct thread_lane *y = *(const struct thread_lane * const *)b;

	return (x->running < y->running) - (x->running > y->running);
}

static size_t rows_shown(size_t nr)
{
	return nr < MAX_LANES ? nr : MAX_LANES;
}

static double row_height(size_t nr)
{
	return fmin(MAX_HEAT, (double)HEAT / rows_shown(nr));
}

double lanes_height(const struct lanes *l)
{
	size_t nr;

	lanes_all(l, &nr);
	return nr ? TITLE + LEGEND + rows_shown(nr) * row_height(nr) + AXIS : 0;
}

/* If there are too many threads choose those that ran most; keep their order */
static void choose_rows(const struct lanes *l, struct rows *rows)
{
	const struct thread_lane *const *all = lanes_all(l, &rows->of);
	const struct thread_lane **most = xalloc(rows->of, sizeof(*most));
	unsigned long long least;
	size_t i;

	rows->height = row_height(rows->of);
	memcpy(most, all, rows->of * sizeof(*most));
	qsort(most, rows->of, sizeof(*most), by_running);
	least = most[rows_shown(rows->of) - 1]->running;
	for (i = 0, rows->nr = 0; i < rows->of && rows->nr < MAX_LANES; i++) {
		if (all[i]->running >= least)
			most[rows->nr++] = all[i];
	}
	rows->all = most;
}

static void spread_part(double (*ns)[NR_LANE_STATES], const struct lane_part *part, double width)
{
	int column = part->start / width, last = part->end / width;

	for (; column <= last && column < COLUMNS; column++)
		ns[column][part->state] += fmin(part->end, (column + 1) * width) -
					   fmax(part->start, column * width);
}

/* The state in which the thread was longest in each column; NOTHING if unknown */
static void find_states(const struct thread_lane *lane, double width, int *states)
{
	double ns[COLUMNS][NR_LANE_STATES];
	size_t i;
	int k;

	memset(ns, 0, sizeof(ns));
	for (i = 0; i < lane->nr; i++)
		spread_part(ns, &lane->parts[i], width);
	for (i = 0; i < COLUMNS; i++) {
		states[i] = NOTHING;
		for (k = 0; k < NR_LANE_STATES; k++) {
			if (ns[i][k] > (states[i] == NOTHING ? 0 : ns[i][states[i]]))
				states[i] = k;
		}
	}
}

static void print_state(FILE *f, const int *states, int state, double top, double height)
{
	int column, end, begun = 0;

	for (column = 0; column < COLUMNS; column = end) {
		for (end = column + 1; end < COLUMNS && states[end] == states[column]; end++)
			;
		if (states[column] != state)
			continue;
		if (!begun)
			fprintf(f, "<path class=\"lane%d\" d=\"", state);
		begun = 1;
		fprintf(f, "M%d %.2fH%dv%.2fH%dz", column, top, end, height, column);
	}
	if (begun)
		fputs("\"/>", f);
}

/* Print the tooltip: the thread and its shares */
static void print_shares(FILE *f, const struct thread_lane *lane)
{
	double ns[NR_LANE_STATES] = { 0 }, sum = 0;
	size_t i;
	int k;

	for (i = 0; i < lane->nr; i++) {
		ns[lane->parts[i].state] += lane->parts[i].end - lane->parts[i].start;
		sum += lane->parts[i].end - lane->parts[i].start;
	}
	fputs("<title>", f);
	print_xml(f, lane->rank < 0 ? intern_format("%s-%u:", lane->comm, lane->tid) :
		  intern_format("rank %lld %s-%u:", lane->rank, lane->comm, lane->tid));
	for (k = 0; k < NR_LANE_STATES; k++)
		fprintf(f, "%s %s %.1f %%", k ? "," : "", lane_states[k], 100 * ns[k] / sum);
	fputs("</title>", f);
}

static void print_row(FILE *f, const struct thread_lane *lane, double width, double top,
		      double height)
{
	int states[COLUMNS], k;

	find_states(lane, width, states);
	fputs("<g>", f);
	print_shares(f, lane);
	for (k = 0; k < NR_LANE_STATES; k++)
		print_state(f, states, k, top, height);
	fputs("</g>\n", f);
}

/* Print "NAME-TID", or "NAME RANK-TID"; cut NAME if it is too long */
static void print_label(FILE *f, const struct thread_lane *lane, double y)
{
	const char *number = lane->rank < 0 ? intern_format("-%u", lane->tid) :
			     intern_format(" %lld-%u", lane->rank, lane->tid);
	int room = fmax(1, LABEL - (int)strlen(number)), length = strlen(lane->comm);
	int cut = length > room;

	/* don't cut within a character of several bytes */
	for (length = cut ? room - 1 : length; cut && (lane->comm[length] & 0xc0) == 0x80; length--)
		;
	fprintf(f, "<text class=\"end\" x=\"-6\" y=\"%.1f\">", y);
	print_xml(f, intern_format("%.*s%s%s", length, lane->comm, cut ? "\342\200\246" : "",
				   number));
	fputs("</text>\n", f);
}

/*
 * Print the legend at the left edge of the picture, because a plot has no room in a narrow window
 */
static void print_states(FILE *f)
{
	static const int at[NR_LANE_STATES] = { 0, 76, 158, 238 };
	int k;

	for (k = 0; k < NR_LANE_STATES; k++) {
		fprintf(f, "<rect class=\"lane%d\" x=\"%d\" y=\"6\" width=\"14\" height=\"14\"/>",
			k, 12 - LEFT + at[k]);
		fprintf(f, "<text x=\"%d\" y=\"17\">%s</text>\n", 12 - LEFT + at[k] + 19,
			lane_states[k]);
	}
}

static void print_lanes(FILE *f, const struct rows *rows, double width)
{
	double height = rows->nr * rows->height, gap = rows->height > 8 ? 2 : 0;
	unsigned int each = ceil(14 / rows->height);
	size_t n;

	fprintf(f,
		"<svg y=\"%d\" width=\"100%%\" height=\"%.2f\" viewBox=\"0 0 %d %.2f\" preserveAspectRatio=\"none\">\n",
		LEGEND, height, COLUMNS, height);
	for (n = 0; n < rows->nr; n++)
		print_row(f, rows->all[n], width, n * rows->height, rows->height - gap);
	fputs("</svg>\n", f);
	for (n = 0; n < rows->nr; n += each)
		print_label(f, rows->all[n], LEGEND + n * rows->height + rows->height / 2 + 4);
}

void lanes_svg(const struct lanes *l, unsigned long long end, double top, FILE *f)
{
	double height = lanes_height(l) - TITLE - AXIS;
	struct rows rows;

	choose_rows(l, &rows);
	plot_begin(f, rows.nr == rows.of ? "threads" :
		   intern_format("threads: those %zu of %zu that ran most", rows.nr, rows.of), "",
		   top, height);
	plot_time_axis(f, end, height);
	print_states(f);
	print_lanes(f, &rows, (double)end / COLUMNS);
	fputs("</svg>\n", f);
	free(rows.all);
}

void lanes_csv(const struct lanes *l, FILE *f)
{
	const struct thread_lane *const *all;
	const struct lane_part *part;
	size_t i, k, nr;

	all = lanes_all(l, &nr);
	fprintf(f, "start_s,end_s,pid,tid,name,state%s\n", nr && all[0]->rank >= 0 ? ",rank" : "");
	for (i = 0; i < nr; i++) {
		for (k = 0; k < all[i]->nr; k++) {
			part = &all[i]->parts[k];
			fprintf(f, "%.9f,%.9f,%u,%u,", part->start / 1e9, part->end / 1e9,
				all[i]->pid, all[i]->tid);
			csv_text(f, ",", all[i]->comm);
			fprintf(f, ",%s", lane_states[part->state]);
			if (all[i]->rank >= 0)
				fprintf(f, ",%lld", all[i]->rank);
			fputc('\n', f);
		}
	}
}
