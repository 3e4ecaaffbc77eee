// SPDX-License-Identifier: GPL-2.0
/*
 * The caches of an emulated Knights Corner core, and MESI between cores
 *
 * Geometry: L1 32 KB for code and 32 KB for data, L2 512 KB, inclusive; 8 ways, lines of 64 bytes.
 * All are physically addressed, write back and allocate on writes.  Replacement is true LRU,
 * because the tree of the hardware's pseudo-LRU is not published.
 */
#include "qemu/osdep.h"
#include "cpu.h"

#define KNC_WAYS	8
#define KNC_L1_LINES	(32 * 1024 >> KNC_LINE_BITS)
#define KNC_L2_LINES	(512 * 1024 >> KNC_LINE_BITS)

/* State of a line.  A line that an L1 has as E may be M in the L2. */
enum { KNC_I, KNC_S, KNC_E, KNC_M };

/*
 * Data of a prefetched line: the time at which it arrives.  Bit 0 marks a prefetch by the hardware:
 * the events for lines in flight count only those of prefetch instructions.
 */
#define KNC_IN_FLIGHT(when, hardware)	((when) << 1 | (hardware))

/* A core gets a line from @level; returns the cycles until the line arrives */
static unsigned int knc_come(KncUnits *u, int level)
{
	switch (level) {
	case KNC_FROM_L2:
		knc_pipe_use(u, &u->l2_port, u->costs.l2_gap);
		return u->costs.l2;
	case KNC_FROM_CORE:
		return u->costs.core;
	case KNC_FROM_MEMORY:
		knc_pipe_use(u, &u->memory_port, u->costs.memory_gap);
		return u->costs.memory;
	}
	return 0;
}

static KncFound knc_found(KncUnits *u, int level)
{
	return (KncFound){ .level = level, .wait = knc_come(u, level) };
}

/* The cycles until prefetched line @e arrives; counts @signal if an instruction prefetched it */
static unsigned int knc_in_flight(const KncEntry *e, uint64_t now, int signal, uint16_t *sig)
{
	uint64_t when = e->data >> 1;

	if (likely(when <= now))
		return 0;
	sig[signal] += !(e->data & 1);
	return when - now;
}

/* An L1 cache asks for line @e of the L2, which may still be on its way to the L2 */
static KncFound knc_found_in_l2(KncUnits *u, const KncEntry *e, uint64_t now, uint16_t *sig)
{
	unsigned int flight = knc_in_flight(e, now, KNC_SIG_L2_PF2_IN_FLIGHT, sig);
	KncFound found = knc_found(u, KNC_FROM_L2);

	found.wait += flight;
	found.in_flight = flight;
	return found;
}

/* Remove @line from the L1 caches of @u; if modified, it is written back to the L2 */
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

/* Another core reads the line: it stays in the L2 and in the L1 for data, as shared */
static void knc_share_line(KncUnits *u, KncEntry *l2)
{
	KncEntry *e = knc_assoc_peek(&u->l1d, l2->tag);

	if (e) {
		u->pending[KNC_SIG_WRITE_BACKS] += e->state == KNC_M;
		e->state = KNC_S;
	}
	l2->state = KNC_S;
}

/* If @line was in the bus unit of @other it is written to memory, which then gives the answer */
static void knc_snoop_bus_unit(KncUnits *other, uint64_t line)
{
	if (likely(!other->writes_back || other->written_back != line))
		return;
	other->writes_back = false;
	other->any_pending = true;
	other->pending[KNC_SIG_BUS_HITMS]++;
}

/* Core @u asks all other cores for @line, to read or @write it; returns whether one had it */
static bool knc_snoop(KncUnits *u, uint64_t line, bool write)
{
	bool found = false;
	KncUnits *other;

	for (other = knc_units_first(); other; other = other->next) {
		KncEntry *e;

		if (other == u || !other->active)
			continue;
		knc_snoop_bus_unit(other, line);
		e = knc_assoc_peek(&other->l2, line);
		if (!e)
			continue;
		found = true;
		other->any_pending = true;
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

/*
 * Put a line into the L2.  The line that it replaces leaves the L1 caches, too, because the L2 is
 * inclusive.  A modified one stays in the bus unit until the next line comes in.
 */
static void knc_fill_l2(KncUnits *u, uint64_t line, uint64_t flight, uint32_t state,
			uint16_t *sig)
{
	KncEntry victim = knc_assoc_add(&u->l2, line, flight, state);

	u->writes_back = victim.state == KNC_M;
	u->written_back = victim.tag;
	if (!victim.state)
		return;
	knc_leave_l1(u, victim.tag, sig);
	sig[KNC_SIG_VICTIMS] += victim.state == KNC_M;
}

static int knc_level(bool from_core)
{
	return from_core ? KNC_FROM_CORE : KNC_FROM_MEMORY;
}

/* The L2 lacks a line that is read; returns the level that has it, and its @state */
static int knc_l2_read_miss(KncUnits *u, uint64_t line, int fill, uint32_t *state,
			    uint16_t *sig)
{
	bool shared = knc_snoop(u, line, false);

	sig[KNC_SIG_L2_READ_MISSES]++;
	sig[fill + shared]++;
	*state = shared ? KNC_S : KNC_E;
	return knc_level(shared);
}

/* A read that missed an L1 cache; @state: that in which the L1 gets the line */
static KncFound knc_l2_read(KncUnits *u, uint64_t line, int fill, uint64_t now, uint32_t *state,
			    uint16_t *sig)
{
	KncEntry *e = knc_assoc_use(&u->l2, line);
	KncFound found;

	if (e) {
		sig[KNC_SIG_L2_READ_HITS_S + e->state - KNC_S]++;
		*state = MIN(e->state, KNC_E);
		return knc_found_in_l2(u, e, now, sig);
	}
	found = knc_found(u, knc_l2_read_miss(u, line, fill, state, sig));
	knc_fill_l2(u, line, 0, *state, sig);
	return found;
}

/*
 * A write that missed the L1 cache, or hit a shared line there.  A store of a @whole line counts as
 * if another core had it: by LIKWID and VTune a card counts 0x10f2, not 0x10f7, for each line that
 * such stores miss.
 */
static KncFound knc_l2_write(KncUnits *u, uint64_t line, bool whole, uint64_t now, uint16_t *sig)
{
	KncEntry *e = knc_assoc_use(&u->l2, line);
	KncFound found;
	bool from_core;

	if (e) {
		sig[KNC_SIG_L2_WRITE_HITS]++;
		found = knc_found_in_l2(u, e, now, sig);
		if (e->state == KNC_S)
			knc_snoop(u, line, true);
		e->state = KNC_M;
		return found;
	}
	from_core = knc_snoop(u, line, true);
	sig[KNC_SIG_L2_WRITE_MEM_FILLS + (from_core || whole)]++;
	knc_fill_l2(u, line, 0, KNC_M, sig);
	return knc_found(u, knc_level(from_core));
}

static void knc_fill_l1(const KncAssoc *l1, uint64_t line, uint64_t flight, uint32_t state,
			uint16_t *sig)
{
	KncEntry victim = knc_assoc_add(l1, line, flight, state);

	sig[KNC_SIG_WRITE_BACKS] += victim.state == KNC_M;
}

KncFound knc_cache_read(KncUnits *u, uint64_t line, uint64_t now, uint16_t *sig)
{
	KncEntry *e = knc_assoc_use(&u->l1d, line);
	KncFound found = { .level = KNC_FROM_L1 };
	uint32_t state;

	if (e) {
		found.wait = knc_in_flight(e, now, KNC_SIG_L1_PF1_IN_FLIGHT, sig);
		return found;
	}
	found = knc_l2_read(u, line, KNC_SIG_L2_READ_MEM_FILLS, now, &state, sig);
	knc_fill_l1(&u->l1d, line, 0, state, sig);
	knc_prefetch_asked(u, line, now, sig);
	return found;
}

/* A line of code that is written leaves the L1 for code, and must be fetched again */
static void knc_leave_l1i(KncUnits *u, uint64_t line)
{
	KncEntry *e = knc_assoc_peek(&u->l1i, line);

	if (e)
		knc_assoc_remove(&u->l1i, e);
}

/* A write; the thread waits for found.wait only if the costs have write_waits */
KncFound knc_cache_write(KncUnits *u, uint64_t line, bool whole, uint64_t now, uint16_t *sig)
{
	KncEntry *e = knc_assoc_use(&u->l1d, line);
	KncFound found = { .level = KNC_FROM_L1 };

	if (e)
		found.wait = knc_in_flight(e, now, KNC_SIG_L1_PF1_IN_FLIGHT, sig);
	if (e && e->state == KNC_M)
		return found;
	knc_leave_l1i(u, line);
	if (!e) {
		found = knc_l2_write(u, line, whole, now, sig);
		knc_fill_l1(&u->l1d, line, 0, KNC_M, sig);
		knc_prefetch_asked(u, line, now, sig);
		return found;
	}
	if (e->state == KNC_S)
		knc_l2_write(u, line, whole, now, sig);
	else
		knc_assoc_peek(&u->l2, line)->state = KNC_M;
	e->state = KNC_M;
	return found;
}

/*
 * A streaming store is an ordinary write if the L1 or the L2 has the line.  Otherwise the L2 takes
 * the line without reading its old contents.
 */
KncFound knc_cache_stream(KncUnits *u, uint64_t line, uint64_t now, uint16_t *sig)
{
	KncFound found = { .level = KNC_FROM_MEMORY };
	KncEntry *e;

	if (knc_assoc_peek(&u->l1d, line))
		return knc_cache_write(u, line, false, now, sig);
	knc_leave_l1i(u, line);
	e = knc_assoc_use(&u->l2, line);
	if (e) {
		found.level = knc_l2_write(u, line, false, now, sig).level;
		return found;
	}
	knc_snoop(u, line, true);
	sig[KNC_SIG_L2_READ_MISSES]++;
	sig[KNC_SIG_STREAM_MISSES]++;
	knc_fill_l2(u, line, 0, KNC_M, sig);
	return found;
}

KncFound knc_cache_fetch(KncUnits *u, uint64_t line, uint64_t now, uint16_t *sig)
{
	KncFound found = { .level = KNC_FROM_L1 };
	uint32_t state;
	KncEntry *data;

	if (knc_assoc_use(&u->l1i, line))
		return found;
	data = knc_assoc_peek(&u->l1d, line);
	if (data && data->state == KNC_M) {
		sig[KNC_SIG_WRITE_BACKS]++;
		data->state = KNC_E;
	}
	found = knc_l2_read(u, line, KNC_SIG_L2_CODE_MEM_FILLS, now, &state, sig);
	knc_fill_l1(&u->l1i, line, 0, state, sig);
	knc_prefetch_asked(u, line, now, sig);
	return found;
}

/* vprefetch0: into the L1 */
void knc_cache_prefetch0(KncUnits *u, uint64_t line, uint64_t now, uint16_t *sig)
{
	KncEntry *e = knc_assoc_use(&u->l1d, line);
	uint64_t wait = u->costs.l2;
	uint32_t state;

	if (e) {
		sig[KNC_SIG_L1_PF1_DROPS] += e->data >> 1 > now;
		return;
	}
	sig[KNC_SIG_L1_PF1_MISSES]++;
	/* a prefetch counts as a read (VTune's description of 0x03) */
	sig[KNC_SIG_READ_MISSES]++;
	e = knc_assoc_use(&u->l2, line);
	if (e) {
		state = MIN(e->state, KNC_E);
		knc_come(u, KNC_FROM_L2);
		if (e->data >> 1 > now)
			wait += (e->data >> 1) - now;
	} else {
		sig[KNC_SIG_L2_PF1_MISSES]++;
		wait = knc_come(u, knc_l2_read_miss(u, line, KNC_SIG_L2_READ_MEM_FILLS, &state,
						    sig));
		knc_fill_l2(u, line, 0, state, sig);
	}
	knc_fill_l1(&u->l1d, line, KNC_IN_FLIGHT(now + wait, 0), state, sig);
}

/* vprefetch1: into the L2 */
void knc_cache_prefetch1(KncUnits *u, uint64_t line, uint64_t now, uint16_t *sig)
{
	KncEntry *e = knc_assoc_use(&u->l2, line);
	uint32_t state;
	int level;

	if (e) {
		sig[KNC_SIG_L2_PF2_DROPS] += e->data >> 1 > now;
		return;
	}
	sig[KNC_SIG_L2_PF2_MISSES]++;
	level = knc_l2_read_miss(u, line, KNC_SIG_L2_READ_MEM_FILLS, &state, sig);
	knc_fill_l2(u, line, KNC_IN_FLIGHT(now + knc_come(u, level), 0), state, sig);
}

/* A prefetch by the hardware, into the L2; it has its own events */
void knc_cache_prefetch_hw(KncUnits *u, uint64_t line, uint64_t now, uint16_t *sig)
{
	bool shared;

	if (knc_assoc_use(&u->l2, line)) {
		sig[KNC_SIG_HWP_HITS]++;
		return;
	}
	sig[KNC_SIG_HWP_MISSES]++;
	shared = knc_snoop(u, line, false);
	knc_fill_l2(u, line, KNC_IN_FLIGHT(now + knc_come(u, knc_level(shared)), 1),
		    shared ? KNC_S : KNC_E, sig);
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
	knc_prefetch_empty(u);
}

void knc_cache_empty(KncUnits *u)
{
	knc_assoc_empty(&u->l1d);
	knc_assoc_empty(&u->l1i);
	knc_assoc_empty(&u->l2);
	u->writes_back = false;
}

void knc_cache_init(KncUnits *u)
{
	knc_assoc_init(&u->l1d, KNC_L1_LINES, KNC_WAYS);
	knc_assoc_init(&u->l1i, KNC_L1_LINES, KNC_WAYS);
	knc_assoc_init(&u->l2, KNC_L2_LINES, KNC_WAYS);
}
