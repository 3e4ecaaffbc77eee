// SPDX-License-Identifier: GPL-2.0
/*
 * The prefetcher of an emulated Knights Corner's L2
 *
 * Intel's guide to optimization for Xeon Phi, part 1: it works within a page of 4 KB, is triggered
 * by an L2 miss in a new page, finds out the direction, and requests up to four lines.  That it
 * watches 16 pages, and all that an L1 cache asks the L2 for, is a choice.
 */
#include "qemu/osdep.h"
#include "cpu.h"

#define KNC_PAGE_LINE_BITS	6	/* 64 lines a page */
#define KNC_AHEAD		4

static bool knc_same_page(uint64_t a, uint64_t b)
{
	return !((a ^ b) >> KNC_PAGE_LINE_BITS);
}

/* The stream of the line's page, the oldest one's place if there is none */
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

/* An L1 cache has asked the L2 for @line */
void knc_prefetch_asked(KncUnits *u, uint64_t line, uint64_t now, uint16_t *sig)
{
	KncStream *s;
	int step;

	if (!u->prefetcher)
		return;
	s = knc_stream(u, line);
	step = s->last ? (int)(line - s->last) : 0;
	s->last = line;
	if (step != 1 && step != -1) {
		s->direction = 0;
		s->ahead = 0;
		return;
	}
	s->ahead = step == s->direction ? MAX(s->ahead - 1, 0) : 0;
	s->direction = step;
	while (s->ahead < KNC_AHEAD) {
		uint64_t next = line + step * (s->ahead + 1);

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
