// SPDX-License-Identifier: GPL-2.0
/*
 * What an emulated Westmere-EP has beside the architectural PMU: offcore registers, the erratum
 * BD53, and an uncore in each package
 *
 * There are the registers of offcore events, but these count nothing.  Uncore counters count the
 * signals of the units of all cores of the package (Documentation/emulated-card.rst), and no
 * cycles.  The fixed uncore counter has twice the rate of the time stamp counter.  An overflow of
 * the uncore does not interrupt.
 */
#include "qemu/osdep.h"
#include "accel/tcg/internal.h"
#include "cpu.h"
#include "sysemu/cpu-timers.h"

#define UNC_LARGEST		((1ULL << UNC_WIDTH) - 1)

/* Uncore events, by uncore_events.def, and the signals that each adds up */
static const struct {
	uint16_t code;
	uint64_t signals;
} knc_uncore_events[] = {
#define UNC_SIGNALS(event, umask, signals)	{ KNC_EVTSEL_CODE(event, umask), signals },
#include "knc/uncore_events.h"
};

/* The uncore of a CPU's package: the package's first CPU has it */
static KncUncore *knc_uncore(CPUState *cs)
{
	unsigned int threads = cs->nr_cores * cs->nr_threads;
	CPUState *first = qemu_get_cpu(cs->cpu_index - cs->cpu_index % threads);

	return &X86_CPU(first ? first : cs)->env.knc.uncore;
}

/* Erratum BD53 */

static const uint64_t knc_settle[WSM_SETTLE_COUNTERS] = WSM_SETTLE_SELECTS;

/* Counter @n gets a new event: it is stuck unless the counters have settled since the last one */
void knc_westmere_select(KncPmu *p, int n, uint64_t val)
{
	uint16_t code = val & (KNC_EVTSEL_EVENT | KNC_EVTSEL_UMASK);
	uint32_t bit = KNC_GLOBAL_CNTR(n);

	if (!p->westmere || n >= WSM_SETTLE_COUNTERS || !(val & KNC_EVTSEL_EN) ||
	    val == knc_settle[n])
		return;
	p->stuck &= ~bit;
	if (code == p->good[n])
		return;
	if (p->settled & bit) {
		p->settled &= ~bit;
		p->good[n] = code;
	} else {
		p->stuck |= bit;
	}
}

/*
 * Called before @val is written to the global control.  The counters have settled when they have
 * counted the selects of knc_settle[] and are stopped.  A counter can then take one new event, if
 * that is before any counter is started.
 */
void knc_westmere_ctrl(KncPmu *p, uint64_t val)
{
	int n;

	if (val)
		p->settled = 0;
	if (!p->westmere || val || p->ctrl != (1 << WSM_SETTLE_COUNTERS) - 1)
		return;
	for (n = 0; n < WSM_SETTLE_COUNTERS; n++)
		if (p->evtsel[n] != knc_settle[n])
			return;
	p->settled = (1 << WSM_SETTLE_COUNTERS) - 1;
}

/* The uncore */

static bool knc_uncore_enabled(const KncUncore *u, int n)
{
	return u->ctrl & UNC_EN_PC(n) && u->select[n] & KNC_EVTSEL_EN;
}

/* The signals that an event adds up; none with CMASK or edge detection, which count cycles */
static uint64_t knc_uncore_signals(uint64_t select)
{
	int i;

	if (select & (KNC_EVTSEL_CMASK | KNC_EVTSEL_EDGE))
		return 0;
	for (i = 0; i < ARRAY_SIZE(knc_uncore_events); i++)
		if (knc_uncore_events[i].code ==
		    (select & (KNC_EVTSEL_EVENT | KNC_EVTSEL_UMASK)))
			return knc_uncore_events[i].signals;
	return 0;
}

static bool knc_uncore_ticks(const KncUncore *u)
{
	return u->ctrl & UNC_EN_FC0 && u->fixed_ctrl & UNC_FIXED_EN;
}

/* The fixed counter: while enabled it gains twice what the time stamp counter gains */
static uint64_t knc_uncore_fixed(const KncUncore *u)
{
	return u->fixed + (knc_uncore_ticks(u) ? 2 * (knc_tsc() - u->since) : 0);
}

static uint64_t knc_uncore_overflow(const KncUncore *u)
{
	uint64_t status = u->status;
	int n;

	for (n = 0; n < UNC_NR_COUNTERS; n++)
		if (qatomic_read(&u->count[n]) >> UNC_WIDTH)
			status |= UNC_EN_PC(n);
	if (knc_uncore_fixed(u) >> UNC_WIDTH)
		status |= UNC_EN_FC0;
	return status;
}

/* Move overflows from the counters to the status, where they stay until software clears them */
static void knc_uncore_wrap(KncUncore *u)
{
	int n;

	u->status = knc_uncore_overflow(u);
	for (n = 0; n < UNC_NR_COUNTERS; n++)
		qatomic_and(&u->count[n], UNC_LARGEST);
	u->fixed &= UNC_LARGEST;
}

/* Derive the signals of the counters; all cores of the package must report if there are any */
static void knc_uncore_need(CPUState *cs, KncUncore *u)
{
	unsigned int threads = cs->nr_cores * cs->nr_threads;
	unsigned int first = cs->cpu_index - cs->cpu_index % threads, i;
	bool need = false;
	int n;

	for (n = 0; n < UNC_NR_COUNTERS; n++) {
		u->signals[n] = knc_uncore_enabled(u, n) ? knc_uncore_signals(u->select[n]) : 0;
		need |= u->signals[n];
	}
	if (need == u->need)
		return;
	u->need = need;
	for (i = first; i < first + threads; i += cs->nr_threads)
		knc_need_for_uncore(qemu_get_cpu(i), need);
}

/* Count the signals of an instruction in the package; the caller has the units */
void knc_uncore_see(KncPmu *p)
{
	KncUncore *u = knc_uncore(p->cs);
	int n;

	for (n = 0; n < UNC_NR_COUNTERS; n++) {
		uint64_t mask = u->signals[n];

		for (; mask; mask &= mask - 1)
			u->count[n] += p->signals[ctz64(mask)];
	}
}

/* The reserved bits of an uncore register */
static uint64_t knc_uncore_reserved(uint32_t msr)
{
	switch (msr) {
	case UNC_PERF_GLOBAL_CTRL:
		return ~(UNC_EN_PC_ALL | UNC_EN_FC0 | UNC_EN_PMI_ALL | UNC_PMI_FRZ);
	case UNC_PERF_GLOBAL_OVF_CTRL:
		return ~(UNC_EN_PC_ALL | UNC_EN_FC0 | UNC_OVF_PMI | UNC_CHG);
	case UNC_FIXED_CTR_CTRL:
		return ~(UNC_FIXED_EN | UNC_FIXED_PMI);
	case UNC_ADDR_OPCODE_MATCH:
		return 0;
	default:
		return msr >= UNC_PERFEVTSEL0 ? UNC_SELECT_RESERVED : ~UNC_LARGEST;
	}
}

static void knc_uncore_set(CPUState *cs, KncUncore *u, uint32_t msr, uint64_t val)
{
	if (knc_uncore_ticks(u)) {
		u->fixed = knc_uncore_fixed(u);
		u->since = knc_tsc();
	}
	knc_uncore_wrap(u);
	switch (msr) {
	case UNC_PERF_GLOBAL_CTRL:
		u->ctrl = val;
		u->since = knc_tsc();
		break;
	case UNC_PERF_GLOBAL_OVF_CTRL:
		u->status &= ~val;
		break;
	case UNC_FIXED_CTR0:
		u->fixed = val;
		break;
	case UNC_FIXED_CTR_CTRL:
		u->fixed_ctrl = val;
		u->since = knc_tsc();
		break;
	case UNC_ADDR_OPCODE_MATCH:
		u->match = val;
		break;
	default:
		if (msr < UNC_PERFEVTSEL0)
			u->count[msr - UNC_PMC0] = val;
		else
			u->select[msr - UNC_PERFEVTSEL0] = val & ~UNC_OCC_CTR_RST;
	}
	knc_uncore_need(cs, u);
}

static uint64_t knc_uncore_get(const KncUncore *u, uint32_t msr)
{
	switch (msr) {
	case UNC_PERF_GLOBAL_CTRL:
		return u->ctrl;
	case UNC_PERF_GLOBAL_STATUS:
		return knc_uncore_overflow(u);
	case UNC_PERF_GLOBAL_OVF_CTRL:
		return 0;
	case UNC_FIXED_CTR0:
		return knc_uncore_fixed(u) & UNC_LARGEST;
	case UNC_FIXED_CTR_CTRL:
		return u->fixed_ctrl;
	case UNC_ADDR_OPCODE_MATCH:
		return u->match;
	default:
		if (msr < UNC_PERFEVTSEL0)
			return qatomic_read(&u->count[msr - UNC_PMC0]) & UNC_LARGEST;
		return u->select[msr - UNC_PERFEVTSEL0];
	}
}

static bool knc_is_uncore(uint32_t msr)
{
	return (msr >= UNC_PERF_GLOBAL_CTRL && msr <= UNC_ADDR_OPCODE_MATCH) ||
	       msr - UNC_PMC0 < UNC_NR_COUNTERS || msr - UNC_PERFEVTSEL0 < UNC_NR_COUNTERS;
}

static bool knc_is_offcore(uint32_t msr)
{
	return msr == WSM_MSR_OFFCORE_RSP_0 || msr == WSM_MSR_OFFCORE_RSP_1;
}

/*
 * The fixed counter needs the time, which with icount only the last instruction of a block may
 * read.  An instruction inside a block is translated again, alone.
 */
static void knc_uncore_alone(CPUState *cs, uintptr_t ra)
{
	if (icount_enabled() && !cs->can_do_io)
		cpu_io_recompile(cs, ra);
}

bool knc_westmere_rdmsr(CPUX86State *env, uint32_t msr, uint64_t *val, uintptr_t ra)
{
	KncPmu *p = &env->knc;

	if (!p->westmere)
		return false;
	if (knc_is_offcore(msr)) {
		*val = p->core->offcore[msr - WSM_MSR_OFFCORE_RSP_0];
		return true;
	}
	if (!knc_is_uncore(msr))
		return false;
	knc_uncore_alone(env_cpu(env), ra);
	*val = knc_uncore_get(knc_uncore(env_cpu(env)), msr);
	return true;
}

bool knc_westmere_wrmsr(CPUX86State *env, uint32_t msr, uint64_t val, uintptr_t ra)
{
	KncPmu *p = &env->knc;

	if (!p->westmere || (!knc_is_offcore(msr) && !knc_is_uncore(msr)))
		return false;
	if (knc_is_offcore(msr)) {
		if (val & WSM_OFFCORE_RESERVED)
			knc_gp(env, ra);
		p->core->offcore[msr - WSM_MSR_OFFCORE_RSP_0] = val;
		return true;
	}
	if (msr == UNC_PERF_GLOBAL_STATUS || val & knc_uncore_reserved(msr))
		knc_gp(env, ra);
	knc_uncore_alone(env_cpu(env), ra);
	knc_uncore_set(env_cpu(env), knc_uncore(env_cpu(env)), msr, val);
	return true;
}
