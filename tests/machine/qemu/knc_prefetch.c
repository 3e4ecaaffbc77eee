// SPDX-License-Identifier: GPL-2.0
/*
 * The prefetcher of an emulated Knights Corner's L2
 *
 * By Intel's guide to optimization for Xeon Phi, part 1, it works within a page of 4 KB, is
 * triggered by an L2 miss in a new page, finds out the direction, and requests up to four lines.
 * We chose that it watches 16 pages, and all requests of the L1 caches, not only misses.  With the
 * measured costs it is eight lines ahead, which all pages that are being read share.
 */
#include "qemu/osdep.h"
#include "cpu.h"

#define KNC_PAGE_LINE_BITS	6	/* 64 lines a page */
/* A page is being read if one of the last KNC_NOW requests was for it */
#define KNC_NOW			8

static bool knc_same_page(uint64_t a, uint64_t b)
{
	return !((a ^ b) >> KNC_PAGE_LINE_BITS);
}

/* The stream of the line's page, which becomes the latest; a new one replaces the oldest */
static KncStream *knc_stream(KncUnits *u, uint64_t line)
{
	KncStream found = { .last = 0 };
	int i;

	for (i = 0; i < KNC_STREAMS - 1; i++)
		if (u->streams[i].last && knc_same_page(u->streams[i].last, line))
			break;
	if (knc_same_page(u->streams[i].last, line))
		found = u->streams[i];
	memmove(u->streams + 1, u->streams, i * sizeof(u->streams[0]));
	u->streams[0] = found;
	return &u->streams[0];
}

/* The line to be prefetched next, if the stream continues */
static uint64_t knc_next_line(const KncStream *s)
{
	return s->last + s->direction * (s->ahead + 1);
}

/* Is the stream's page being read, and not yet prefetched to its end? */
static bool knc_goes_on(const KncUnits *u, const KncStream *s)
{
	return s->direction && u->asked - s->asked < KNC_NOW &&
	       knc_same_page(knc_next_line(s), s->last);
}

/* The lines by which the prefetches of a page may be ahead of its reads */
static int knc_ahead(const KncUnits *u)
{
	int i, now = 0;

	if (!u->costs.shared)
		return u->costs.ahead;
	for (i = 0; i < KNC_STREAMS && u->streams[i].last; i++)
		now += knc_goes_on(u, &u->streams[i]);
	return MAX(u->costs.ahead / MAX(now, 1), 1);
}

/* An L1 cache has asked the L2 for @line */
void knc_prefetch_asked(KncUnits *u, uint64_t line, uint64_t now, uint16_t *sig)
{
	KncStream *s;
	int step, ahead;

	if (!u->prefetcher)
		return;
	s = knc_stream(u, line);
	s->asked = ++u->asked;
	step = s->last ? (int)(line - s->last) : 0;
	s->last = line;
	if (step != 1 && step != -1) {
		s->direction = 0;
		s->ahead = 0;
		return;
	}
	s->ahead = step == s->direction ? MAX(s->ahead - 1, 0) : 0;
	s->direction = step;
	ahead = knc_ahead(u);
	while (s->ahead < ahead) {
		uint64_t next = knc_next_line(s);

		if (!knc_same_page(next, line))
			return;
		s->ahead++;
		knc_cache_prefetch_hw(u, next, now, sig);
	}
}

void knc_prefetch_empty(KncUnits *u)
{
	memset(u->streams, 0, sizeof(u->streams));
}
