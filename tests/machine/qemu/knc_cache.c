// SPDX-License-Identifier: GPL-2.0
/*
 * The caches of an emulated Knights Corner core, and MESI between cores
 *
 * Geometry: L1 32 KB for code and 32 KB for data, L2 512 KB, inclusive; 8 ways, lines of 64 bytes.
 * All are physically addressed, write back and allocate on writes.  Replacement is true LRU: the
 * hardware's is a pseudo-LRU whose tree is not published.
 */
#include "qemu/osdep.h"
#include "cpu.h"

#define KNC_WAYS	8
#define KNC_L1_LINES	(32 * 1024 >> KNC_LINE_BITS)
#define KNC_L2_LINES	(512 * 1024 >> KNC_LINE_BITS)

/* State of a line. In the L1, E also means that the L2 has it as M. */
enum { KNC_I, KNC_S, KNC_E, KNC_M };

/* Line of @u leaves its L1 caches; what is dirty is written back to the L2 */
static void knc_leave_l1(KncUnits *u, uint64_t line, uint16_t *sig)
{
	KncEntry *e = knc_assoc_peek(&u->l1d, line);

	if (e) {
		sig[KNC_SIG_WRITE_BACKS] += e->state == KNC_M;
		knc_assoc_remove(&u->l1d, e);
	}
	e = knc_assoc_peek(&u->l1i, line);
	if (e)
		knc_assoc_remove(&u->l1i, e);
}

/* Another core reads: the line stays, shared. It is in no L1 as M or E any more. */
static void knc_share_line(KncUnits *u, KncEntry *l2)
{
	KncEntry *e = knc_assoc_peek(&u->l1d, l2->tag);

	if (e) {
		u->pending[KNC_SIG_WRITE_BACKS] += e->state == KNC_M;
		e->state = KNC_S;
	}
	l2->state = KNC_S;
}

/* Core @u asks all others for @line, to read or to write it; had one of them it? */
static bool knc_snoop(KncUnits *u, uint64_t line, bool write)
{
	bool found = false;
	KncUnits *other;

	for (other = knc_units_first(); other; other = other->next) {
		KncEntry *e;

		if (other == u || !other->active)
			continue;
		e = knc_assoc_peek(&other->l2, line);
		if (!e)
			continue;
		found = true;
		other->pending[KNC_SIG_SNOOP_HITS]++;
		other->pending[KNC_SIG_SNOOP_HITMS] += e->state == KNC_M;
		if (write) {
			knc_leave_l1(other, line, other->pending);
			knc_assoc_remove(&other->l2, e);
		} else {
			knc_share_line(other, e);
		}
	}
	return found;
}

/* The L2 takes a line in; what it replaces leaves the L1 caches as well: it is inclusive */
static void knc_fill_l2(KncUnits *u, uint64_t line, uint32_t state, uint16_t *sig)
{
	KncEntry victim = knc_assoc_add(&u->l2, line, 0, state);

	if (!victim.state)
		return;
	knc_leave_l1(u, victim.tag, sig);
	sig[KNC_SIG_VICTIMS] += victim.state == KNC_M;
}

/* A read that missed an L1 cache; returns the state in which that may have the line */
static uint32_t knc_l2_read(KncUnits *u, uint64_t line, bool code, uint16_t *sig)
{
	KncEntry *e = knc_assoc_use(&u->l2, line);
	bool shared;

	if (e) {
		sig[KNC_SIG_L2_READ_HITS_S + e->state - KNC_S]++;
		return MIN(e->state, KNC_E);
	}
	sig[KNC_SIG_L2_READ_MISSES]++;
	shared = knc_snoop(u, line, false);
	sig[(code ? KNC_SIG_L2_CODE_MEM_FILLS : KNC_SIG_L2_READ_MEM_FILLS) + shared]++;
	knc_fill_l2(u, line, shared ? KNC_S : KNC_E, sig);
	return shared ? KNC_S : KNC_E;
}

/* A write that missed the L1 cache, or hit a line there that other cores may have */
static void knc_l2_write(KncUnits *u, uint64_t line, uint16_t *sig)
{
	KncEntry *e = knc_assoc_use(&u->l2, line);

	if (e) {
		sig[KNC_SIG_L2_WRITE_HITS]++;
		if (e->state == KNC_S)
			knc_snoop(u, line, true);
		e->state = KNC_M;
		return;
	}
	sig[KNC_SIG_L2_WRITE_MEM_FILLS + knc_snoop(u, line, true)]++;
	knc_fill_l2(u, line, KNC_M, sig);
}

static void knc_fill_l1(const KncAssoc *l1, uint64_t line, uint32_t state, uint16_t *sig)
{
	KncEntry victim = knc_assoc_add(l1, line, 0, state);

	sig[KNC_SIG_WRITE_BACKS] += victim.state == KNC_M;
}

bool knc_cache_read(KncUnits *u, uint64_t line, uint16_t *sig)
{
	if (knc_assoc_use(&u->l1d, line))
		return false;
	knc_fill_l1(&u->l1d, line, knc_l2_read(u, line, false, sig), sig);
	return true;
}

bool knc_cache_write(KncUnits *u, uint64_t line, uint16_t *sig)
{
	KncEntry *e = knc_assoc_use(&u->l1d, line);
	KncEntry *code;

	if (e && e->state == KNC_M)
		return false;
	/* code that is written is fetched again */
	code = knc_assoc_peek(&u->l1i, line);
	if (code)
		knc_assoc_remove(&u->l1i, code);
	if (!e) {
		knc_l2_write(u, line, sig);
		knc_fill_l1(&u->l1d, line, KNC_M, sig);
		return true;
	}
	if (e->state == KNC_S)
		knc_l2_write(u, line, sig);
	else
		knc_assoc_peek(&u->l2, line)->state = KNC_M;
	e->state = KNC_M;
	return false;
}

bool knc_cache_fetch(KncUnits *u, uint64_t line, uint16_t *sig)
{
	KncEntry *data;

	if (knc_assoc_use(&u->l1i, line))
		return false;
	data = knc_assoc_peek(&u->l1d, line);
	if (data && data->state == KNC_M) {
		sig[KNC_SIG_WRITE_BACKS]++;
		data->state = KNC_E;
	}
	knc_fill_l1(&u->l1i, line, knc_l2_read(u, line, true, sig), sig);
	return true;
}

/* WBINVD */
void knc_cache_flush(KncUnits *u, uint16_t *sig)
{
	unsigned int i;

	for (i = 0; i < KNC_L1_LINES; i++)
		sig[KNC_SIG_WRITE_BACKS] += u->l1d.entries[i].state == KNC_M;
	for (i = 0; i < KNC_L2_LINES; i++)
		sig[KNC_SIG_VICTIMS] += u->l2.entries[i].state == KNC_M;
	knc_cache_empty(u);
}

void knc_cache_empty(KncUnits *u)
{
	knc_assoc_empty(&u->l1d);
	knc_assoc_empty(&u->l1i);
	knc_assoc_empty(&u->l2);
}

void knc_cache_init(KncUnits *u)
{
	knc_assoc_init(&u->l1d, KNC_L1_LINES, KNC_WAYS);
	knc_assoc_init(&u->l1i, KNC_L1_LINES, KNC_WAYS);
	knc_assoc_init(&u->l2, KNC_L2_LINES, KNC_WAYS);
}
