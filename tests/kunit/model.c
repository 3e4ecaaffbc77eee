// SPDX-License-Identifier: GPL-2.0
/*
 * The PMU registers of a hardware thread as 327357 describes them
 */
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/percpu.h>
#include <linux/smp.h>
#include <linux/string.h>

#include "model.h"
#include "units.h"
#include "wide.h"

static DEFINE_PER_CPU(struct model, model_cpus);

/* If set, this model serves all CPUs */
static struct model *model_only;
static const struct knc_hw_ops *model_native;

#define MODEL_KNC(n)							\
	{								\
		.number = (n),						\
		.count = MODEL_PERFCNTR + (n),				\
		.select = MODEL_PERFEVTSEL + (n),			\
		.rdpmc = (n),						\
		.top = MODEL_CNTR_MASK,					\
		.writable = MODEL_CNTR_MASK,				\
		.half = MODEL_HALF,					\
		.legal = MODEL_EVTSEL_MASK,				\
	}

const struct model_pmu model_knc = {
	.desc = &pmu_knc,
	.nr = 2,
	.slot = { MODEL_KNC(0), MODEL_KNC(1) },
	.ctrl = MODEL_CTRL,
	.status = MODEL_STATUS,
	.ack = MODEL_OVF_CONTROL,
	.gate = MODEL_SPFLT,
};

/* Counters that count any event, and sign-extend writes of 32 bits */
#define MODEL_ANY(n)							\
	{								\
		.number = (n),						\
		.count = 0xc1 + (n),					\
		.select = 0x186 + (n),					\
		.rdpmc = (n),						\
		.top = 0xffffffffffffULL,				\
		.writable = 0xffffffff,					\
		.half = 0x80000000,					\
		.legal = 0xffffffff,					\
	}

/* Counters of one event, with four bits each in a common event select */
#define MODEL_FIXED(n)							\
	{								\
		.number = 32 + (n),					\
		.count = 0x309 + (n),					\
		.select = 0x38d,					\
		.shift = 4 * (n),					\
		.rdpmc = 0x40000000 + (n),				\
		.top = 0xffffffffffffULL,				\
		.writable = 0xffffffffffffULL,				\
		.half = 0x800000000000ULL,				\
		.legal = 0xf,						\
		.fixed = true,						\
	}

const struct model_pmu model_wide = {
	.desc = &pmu_wide,
	.nr = 7,
	.slot = { MODEL_ANY(2), MODEL_FIXED(1), MODEL_ANY(0), MODEL_ANY(1),
		  MODEL_ANY(3), MODEL_FIXED(0), MODEL_FIXED(2) },
	.ctrl = 0x38f,
	.status = 0x38e,
	.ack = 0x390,
	.reset = 0x1d,
};

const struct model_pmu model_wide_any = {
	.desc = &pmu_wide,
	.nr = 7,
	.slot = { MODEL_ANY(1), MODEL_ANY(3), MODEL_ANY(0), MODEL_ANY(2),
		  MODEL_FIXED(0), MODEL_FIXED(1), MODEL_FIXED(2) },
	.ctrl = 0x38f,
	.status = 0x38e,
	.ack = 0x390,
	.reset = 0xf,
};

const struct model_pmu *model_pmu = &model_knc;

/* Register contents after a reset (1.4.4), and all implemented bits */
struct model_regs model_zeros = { .lvtpc = MODEL_LVT_MASKED };
const struct model_regs model_ones = {
	.perfcntr = { ~0ULL, ~0ULL, ~0ULL, ~0ULL, ~0ULL, ~0ULL, ~0ULL },
	.perfevtsel = { ~0ULL, ~0ULL, ~0ULL, ~0ULL, ~0ULL, ~0ULL, ~0ULL },
	.spflt = ~0ULL,
	.ctrl = ~0ULL,
	.lvtpc = MODEL_LVT_MASKED | MODEL_LVT_MODE | 0xff,
};

/* Legal values that another user of the registers left; not all bits set */
const struct model_regs model_others = {
	.perfcntr = { 0x1122334455, 0xffeeddccbb, 1, 2, 3, 4, 5 },
	.perfevtsel = { 0x12e7a016, 0x00530018, 6, 5, 4, 3, 2 },
	.spflt = MODEL_USER_PREF | 1,
	.ctrl = 2,
	.lvtpc = MODEL_LVT_MASKED | 0xf6,
};

/* Each register with only this bit set, or with only this bit clear */
struct model_regs model_bit(unsigned int bit)
{
	u64 one = 1ULL << bit;
	struct model_regs regs = {
		.perfcntr = { one, ~one, one, one, ~one, ~one, one },
		.perfevtsel = { one, ~one, ~one, one, ~one, one, ~one },
		.spflt = one,
		.ctrl = one,
		.lvtpc = (one & (MODEL_LVT_MODE | 0xff)) | MODEL_LVT_MASKED,
	};

	return model_canonical(&regs);
}

/* The contents of a counter after @value was written */
static u64 model_written(const struct model_slot *slot, u64 value)
{
	value &= slot->writable;
	/* the highest writable bit is sign-extended */
	if (value > slot->writable / 2)
		value |= ~slot->writable;
	return value & slot->top;
}

/* The registers without unimplemented bits */
struct model_regs model_canonical(const struct model_regs *regs)
{
	struct model_regs can = *regs;
	unsigned int n;

	for (n = 0; n < model_pmu->nr; n++) {
		can.perfcntr[n] = model_written(&model_pmu->slot[n],
						regs->perfcntr[n]);
		can.perfevtsel[n] &= model_pmu->slot[n].legal;
	}
	can.spflt &= model_pmu->gate ? MODEL_SPFLT_MASK : 0;
	can.ctrl &= (1ULL << model_pmu->nr) - 1;
	return can;
}

/* The slot of a counter */
unsigned int model_slot(unsigned int number)
{
	unsigned int n;

	for (n = 0; n < model_pmu->nr; n++)
		if (model_pmu->slot[n].number == number)
			return n;
	return MODEL_SLOTS - 1;
}

/* A mask of counters as a mask of their slots */
u64 model_slots(u64 cntrs)
{
	unsigned int n;
	u64 slots = 0;

	for (n = 0; n < model_pmu->nr; n++)
		if (cntrs >> model_pmu->slot[n].number & 1)
			slots |= 1ULL << n;
	return slots;
}

/* The inverse of model_slots() */
u64 model_cntrs(u64 slots)
{
	unsigned int n;
	u64 cntrs = 0;

	for (n = 0; n < model_pmu->nr; n++)
		if (slots >> n & 1)
			cntrs |= 1ULL << model_pmu->slot[n].number;
	return cntrs;
}

/* Use this PMU from model_use() on. */
void model_select(const struct model_pmu *pmu)
{
	model_pmu = pmu;
	this_pmu = pmu->desc;
	model_zeros.ctrl = pmu->reset;
}

static struct model *model_here(void)
{
	return model_only ?: this_cpu_ptr(&model_cpus);
}

/* Record a forbidden access, for which model_expect_clean() fails the test. */
static void model_violate(struct model *m, const char *what, u32 msr, u64 value)
{
	if (!m->nr_violations++)
		snprintf(m->violation, sizeof(m->violation), "%s: %#x, %#llx",
			 what, msr, value);
}

/* Is counter n enabled for a ring? */
static bool model_rings(const struct model *m, unsigned int n)
{
	u64 rings = model_pmu->slot[n].fixed ? 3 : MODEL_USR | MODEL_OS;

	return m->regs.perfevtsel[n] & rings;
}

/* Is counter n running, regardless of rings and gate? If so, its registers must not be written. */
static bool model_master(const struct model *m, unsigned int n)
{
	if (!(m->regs.ctrl & 1u << n))
		return false;
	return model_pmu->slot[n].fixed ? model_rings(m, n) :
					  m->regs.perfevtsel[n] & MODEL_EN;
}

/* Does an overflow of counter n raise an interrupt? */
static bool model_interrupts(const struct model *m, unsigned int n)
{
	return m->regs.perfevtsel[n] & (model_pmu->slot[n].fixed ? 8 : MODEL_INT);
}

/* Does counter n count in any ring? */
static bool model_counts(const struct model *m, unsigned int n)
{
	if (m->regs.spflt & 1u << n && !(m->regs.spflt & MODEL_USER_PREF))
		return false;
	return model_master(m, n) && model_rings(m, n);
}

/* The number of events until counter n overflows */
static u64 model_left(const struct model *m, unsigned int n)
{
	return model_pmu->slot[n].top + 1 - m->regs.perfcntr[n];
}

/*
 * Counter n has overflowed. The interrupt line is one bit: the local APIC reacts to its edge, and
 * masks its entry when it accepts an interrupt (1.4.3.9).
 */
static void model_overflow(struct model *m, unsigned int n)
{
	bool high = m->line;

	m->status |= 1u << n;
	if (!model_interrupts(m, n))
		return;
	m->line |= 1u << n;
	if (high)
		return;
	if (m->regs.lvtpc & MODEL_LVT_MASKED) {
		m->missed++;
		return;
	}
	m->nmi = (m->regs.lvtpc & MODEL_LVT_MODE) == MODEL_LVT_NMI;
	m->regs.lvtpc |= MODEL_LVT_MASKED;
	m->pending = true;
	m->due = m->late;
}

static void model_count(struct model *m, unsigned int n, u64 events)
{
	u64 sum;

	if (!model_counts(m, n))
		return;
	m->counted[n] += events;
	m->by_code[m->regs.perfevtsel[n] % MODEL_CODES] += events;
	sum = m->regs.perfcntr[n] + events;
	m->regs.perfcntr[n] = sum & model_pmu->slot[n].top;
	if (sum > model_pmu->slot[n].top)
		model_overflow(m, n);
}

static void model_tripped(struct model *m)
{
	unsigned int n;

	for (n = 0; n < model_pmu->nr; n++)
		if (m->trip & 1u << n)
			model_count(m, n, model_left(m, n) + m->skid);
	m->trip = 0;
}

static bool model_handle(struct model *m, bool nmi);

/* On the model's CPU with interrupts off: send a foreign NMI, or a sibling's, if it is due */
static void model_intruded(struct model *m)
{
	if (!m->foreign || m->handling || m->foreign_at--)
		return;
	if (m->told && m->regs.lvtpc == MODEL_LVT_NMI) {
		m->regs.lvtpc |= MODEL_LVT_MASKED;
		m->foreign_at = 0;
		m->told = false;
		return;
	}
	m->foreign = false;
	if (m->told)
		return;
	m->nr_stolen += model_handle(m, true);
}

/* Every access calls this: it checks the rules of all registers, and lets time pass */
static struct model *model_access(u32 msr)
{
	bool on = !irqs_disabled();
	unsigned long flags;
	unsigned int n;
	struct model *m;

	local_irq_save(flags);
	m = model_here();
	model_intruded(m);
	spin_lock(&m->lock);
	m->irq_flags = flags;
	/*
	 * With interrupts on only accesses are allowed that give the same answer on every hardware
	 * thread (msr 0): the time, and the process's permission for RDPMC, a bit of CR4.
	 */
	if (on && msr)
		model_violate(m, "interrupts are on", msr, 0);
	for (n = 0; n < model_pmu->nr; n++)
		model_count(m, n, m->tick);
	m->tsc += m->tick + m->cost;
	m->nr_accesses++;
	if (m->trip && !m->trip_after && !m->trip_at--)
		model_tripped(m);
	return m;
}

/* The handler takes one of the seven steps: check their order. */
static void model_step(struct model *m, char step, u32 msr)
{
	char last = m->nr_steps ? m->steps[m->nr_steps - 1] : '1';

	if (!m->handling)
		return;
	/* an interrupt that finds no overflow ends after step 3 */
	if (step < last && strchr(m->steps, '4'))
		model_violate(m, "a step out of order", msr, step);
	/* an interrupt without an owner only needs its EOI */
	if (step > '2' && step < '8' && m->regs.ctrl && m->nr_steps)
		model_violate(m, "a step while counters count", msr, step);
	if (m->nr_steps < MODEL_STEPS - 1)
		m->steps[m->nr_steps++] = step;
}

static void model_eoi(void *arg)
{
	struct model *m = arg;

	spin_lock(&m->lock);
	model_step(m, '7', 0);
	spin_unlock(&m->lock);
}

static bool model_handle(struct model *m, bool nmi)
{
	bool ours = true;

	m->handling = true;
	m->nr_steps = 0;
	memset(m->steps, 0, sizeof(m->steps));
	if (nmi && m->beside)
		ours = knc_test_nmi_beside(&m->pt_regs);
	else if (nmi)
		ours = knc_test_nmi(&m->pt_regs);
	else
		knc_test_irq(&m->pt_regs, model_eoi, m);
	m->handling = false;
	return ours;
}

/* On the model's CPU with interrupts off: deliver an interrupt that the local APIC has accepted. */
static void model_interrupt(struct model *m)
{
	while (m->pending && !m->handling) {
		if (m->due) {
			m->due--;
			return;
		}
		m->pending = false;
		m->nr_pmis++;
		if (!model_handle(m, m->nmi))
			m->nr_unclaimed++;
	}
}

/* With interrupts off only NMIs are delivered. */
static void model_end(struct model *m)
{
	unsigned long flags = m->irq_flags;

	if (m->trip && m->trip_after && !m->trip_at--)
		model_tripped(m);
	spin_unlock(&m->lock);
	if (m->pending && m->nmi)
		model_interrupt(m);
	local_irq_restore(flags);
}

static void model_deliver_here(void *info)
{
	struct model *m = info;
	unsigned long flags;

	local_irq_save(flags);
	m->due = 0;
	model_interrupt(m);
	local_irq_restore(flags);
}

/* Deliver a late interrupt now. */
void model_deliver(struct model *m)
{
	if (!m->pending)
		return;
	if (model_only)
		model_deliver_here(m);
	else
		smp_call_function_single(m->cpu, model_deliver_here, m, true);
}

/* Send a foreign NMI; returns whether the module claimed it */
bool model_nmi(struct model *m)
{
	unsigned long flags;
	bool ours;

	local_irq_save(flags);
	ours = model_handle(m, true);
	local_irq_restore(flags);
	return ours;
}

/* Let counters overflow at the access @at; their interrupt comes @late accesses later. */
void model_trip(struct model *m, u32 cntrs, unsigned int at, unsigned int late)
{
	m->trip = cntrs;
	m->trip_at = at;
	m->late = late;
}

/* Let a foreign NMI come before the access @at. */
void model_intrude(struct model *m, unsigned int at)
{
	m->foreign = true;
	m->foreign_at = at;
}

/*
 * A sibling's overflow masks the entry before the access @at, if the entry is an NMI; the NMI comes
 * before the next access.
 */
void model_tell(struct model *m, unsigned int at)
{
	model_intrude(m, at);
	m->told = true;
}

/* The slot whose counter has this MSR, or -1 */
static int model_count_of(u32 msr)
{
	unsigned int n;

	for (n = 0; n < model_pmu->nr; n++)
		if (model_pmu->slot[n].count == msr)
			return n;
	return -1;
}

/* The slots whose event selects are in this MSR */
static u64 model_selects_of(u32 msr)
{
	unsigned int n;
	u64 slots = 0;

	for (n = 0; n < model_pmu->nr; n++)
		if (model_pmu->slot[n].select == msr)
			slots |= 1ULL << n;
	return slots;
}

static u64 model_get_selects(const struct model *m, u64 slots)
{
	unsigned int n;
	u64 value = 0;

	for (n = 0; n < model_pmu->nr; n++)
		if (slots >> n & 1)
			value |= m->regs.perfevtsel[n] << model_pmu->slot[n].shift;
	return value;
}

static u64 model_get(struct model *m, u32 msr)
{
	int n = model_count_of(msr);

	if (n >= 0)
		return m->regs.perfcntr[n];
	if (model_selects_of(msr))
		return model_get_selects(m, model_selects_of(msr));
	if (msr == model_pmu->ctrl)
		return model_cntrs(m->regs.ctrl);
	if (msr == MODEL_TSC)
		return m->tsc;
	if (msr == model_pmu->gate)
		return m->regs.spflt;
	if (msr == model_pmu->status) {
		model_step(m, '3', msr);
		return model_cntrs(m->status);
	}
	model_violate(m, "read of what can't be read", msr, 0);
	return 0;
}

static void model_put_counter(struct model *m, unsigned int n, u64 value)
{
	const struct model_slot *slot = &model_pmu->slot[n];

	model_step(m, '6', slot->count);
	if (value & ~slot->writable)
		model_violate(m, "reserved bits", slot->count, value);
	if (model_master(m, n))
		model_violate(m, "write to a counter that counts", slot->count,
			      value);
	m->regs.perfcntr[n] = model_written(slot, value);
}

/* Fields of other counters in the same MSR may be in use, and must not change. */
static void model_put_select(struct model *m, unsigned int n, u64 value)
{
	const struct model_slot *slot = &model_pmu->slot[n];

	if (m->regs.ctrl & 1u << n &&
	    (!slot->fixed || value != m->regs.perfevtsel[n]))
		model_violate(m, "write to a select in use", slot->select, value);
	m->regs.perfevtsel[n] = value;
}

static void model_put_selects(struct model *m, u32 msr, u64 slots, u64 value)
{
	const struct model_slot *slot;
	unsigned int n;

	for (n = 0; n < model_pmu->nr; n++) {
		slot = &model_pmu->slot[n];
		if (!(slots >> n & 1))
			continue;
		model_put_select(m, n, value >> slot->shift & slot->legal);
		value &= ~(slot->legal << slot->shift);
	}
	if (value)
		model_violate(m, "reserved bits", msr, value);
}

static void model_put_spflt(struct model *m, u32 msr, u64 value)
{
	unsigned int n;

	for (n = 0; n < model_pmu->nr; n++)
		if (model_master(m, n) && (m->regs.spflt ^ value) & 1u << n)
			model_violate(m, "filter of a counter that counts", msr,
				      value);
	if (value & ~MODEL_SPFLT_MASK)
		model_violate(m, "reserved bits", msr, value);
	m->regs.spflt = value;
}

/* Reserved bits must be written as 0: a processor would raise #GP */
static u64 model_put_global(struct model *m, u32 msr, u64 value)
{
	if (value & ~model_cntrs(~0ULL))
		model_violate(m, "reserved bits", msr, value);
	return model_slots(value);
}

static void model_put(struct model *m, u32 msr, u64 value)
{
	int n = model_count_of(msr);

	if (n >= 0) {
		model_put_counter(m, n, value);
	} else if (model_selects_of(msr)) {
		model_put_selects(m, msr, model_selects_of(msr), value);
	} else if (msr == model_pmu->gate) {
		model_put_spflt(m, msr, value);
	} else if (msr == model_pmu->ack) {
		model_step(m, '4', msr);
		value = model_put_global(m, msr, value);
		m->status &= ~value;
		m->line &= ~value;
	} else if (msr == model_pmu->ctrl) {
		model_step(m, m->nr_steps ? '8' : '2', msr);
		m->regs.ctrl = model_put_global(m, msr, value);
	} else {
		model_violate(m, "write to what can't be written", msr, value);
	}
}

static u64 model_read_msr(u32 msr)
{
	struct model *m = model_access(msr);
	u64 value = model_get(m, msr);

	model_end(m);
	return value;
}

static u32 model_read_msr_low(u32 msr)
{
	struct model *m = model_access(msr);
	u64 value = model_get(m, msr);

	if (value >> 32)
		model_violate(m, "half of a register with more is read", msr, value);
	model_end(m);
	return value;
}

static void model_write_msr(u32 msr, u64 value)
{
	struct model *m = model_access(msr);

	if (m->nr_writes < MODEL_LOG) {
		m->writes[m->nr_writes].msr = msr;
		m->writes[m->nr_writes].value = value;
	}
	m->nr_writes++;
	model_put(m, msr, value);
	model_end(m);
}

static u64 model_read_pmc(u32 counter)
{
	struct model *m = model_access(MODEL_PERFCNTR + counter);
	unsigned int n;
	u64 value = 0;

	for (n = 0; n < model_pmu->nr; n++)
		if (model_pmu->slot[n].rdpmc == counter)
			break;
	if (n < model_pmu->nr)
		value = m->regs.perfcntr[n];
	else
		model_violate(m, "RDPMC of no counter", counter, 0);
	model_end(m);
	return value;
}

static u64 model_read_tsc(void)
{
	struct model *m = model_access(0);
	u64 tsc = m->tsc;

	model_end(m);
	return tsc;
}

static u64 model_read_cr4(void)
{
	struct model *m = model_access(0);
	u64 cr4 = m->cr4;

	model_end(m);
	return cr4;
}

static void model_write_cr4(u64 cr4)
{
	struct model *m = model_access(MODEL_CR4);

	/* the module may change only this bit: others raise #GP on a card, or do worse */
	if ((m->cr4 ^ cr4) != MODEL_PCE)
		model_violate(m, "write to CR4", MODEL_CR4, cr4);
	m->cr4 = cr4;
	m->nr_cr4++;
	model_end(m);
}

static u32 model_read_apic(u32 reg)
{
	struct model *m = model_access(reg);
	u32 lvtpc = m->regs.lvtpc;

	if (reg != MODEL_LVTPC)
		model_violate(m, "read of another APIC register", reg, 0);
	model_end(m);
	return lvtpc;
}

/* If the entry is unmasked while the line is high, no further edge interrupts. */
static void model_write_apic(u32 reg, u32 value)
{
	struct model *m = model_access(reg);

	if (reg != MODEL_LVTPC)
		model_violate(m, "write of another APIC register", reg, value);
	else
		model_step(m, '5', reg);
	if (m->line && !(value & MODEL_LVT_MASKED))
		model_violate(m, "unmasked while the line is high", reg, value);
	m->regs.lvtpc = value;
	model_end(m);
}

static const struct knc_hw_ops model_ops = {
	.read_msr	= model_read_msr,
	.read_msr_low	= model_read_msr_low,
	.write_msr	= model_write_msr,
	.read_pmc	= model_read_pmc,
	.read_tsc	= model_read_tsc,
	.get_cr4	= model_read_cr4,
	.set_cr4	= model_write_cr4,
	.read_apic	= model_read_apic,
	.write_apic	= model_write_apic,
};

/* Initialize a model as after a reset */
void model_init(struct model *m)
{
	memset(m, 0, sizeof(*m));
	spin_lock_init(&m->lock);
	m->regs = model_zeros;
}

/* The model of a CPU, after model_use_per_cpu() */
struct model *model_of(unsigned int cpu)
{
	return &per_cpu(model_cpus, cpu);
}

static void model_enter(struct model *only)
{
	model_only = only;
	model_native = knc_hw_ops;
	knc_hw_ops = &model_ops;
}

/* From now on all CPUs share these registers. */
void model_use(struct model *m)
{
	model_init(m);
	model_enter(m);
}

/* From now on each CPU has registers of its own. */
void model_use_per_cpu(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		model_init(model_of(cpu));
		model_of(cpu)->cpu = cpu;
	}
	model_enter(NULL);
}

/* Use the real registers again; allowed without model_use() before */
void model_leave(void)
{
	if (!model_native)
		return;
	knc_hw_ops = model_native;
	model_native = NULL;
	model_only = NULL;
	model_select(&model_knc);
}

/**
 * struct model_step - events that are to happen
 * @m: the model
 * @n0: number of events that counter 0 may count
 * @n1: number of events that counter 1 may count
 */
struct model_step {
	struct model *m;
	u64 n0;
	u64 n1;
};

/*
 * Let events happen on the model's CPU with interrupts off: never while the module has stopped the
 * counters for a moment.
 */
static void model_on_cpu(struct model *m, smp_call_func_t fn, void *info)
{
	unsigned long flags;

	/* a test with interrupts off runs on the model's CPU already */
	if (!model_only && !irqs_disabled() &&
	    !smp_call_function_single(m->cpu, fn, info, true))
		return;
	local_irq_save(flags);
	fn(info);
	local_irq_restore(flags);
}

static void model_happen(struct model *m, u64 n0, u64 n1, u64 pace)
{
	unsigned long flags;

	spin_lock_irqsave(&m->lock, flags);
	model_count(m, 0, n0);
	model_count(m, 1, n1);
	if (m->pending)
		m->tsc += pace;
	spin_unlock_irqrestore(&m->lock, flags);
}

static void model_jump_here(void *info)
{
	const struct model_step *step = info;

	model_happen(step->m, step->n0, step->n1, 0);
}

/* Let all events happen at once; overflows are reported afterwards. */
void model_jump(struct model *m, u64 n0, u64 n1)
{
	struct model_step step = { m, n0, n1 };

	model_on_cpu(m, model_jump_here, &step);
	model_deliver(m);
}

/* How many of @events can happen until counter @n may interrupt */
static u64 model_span(const struct model *m, unsigned int n, u64 events)
{
	if (!model_counts(m, n))
		return events;
	return min(events, model_left(m, n) + m->skid);
}

/* Let events happen until an interrupt may come */
static void model_run_here(void *info)
{
	struct model_step *step = info;
	u64 s0 = model_span(step->m, 0, step->n0);
	u64 s1 = model_span(step->m, 1, step->n1);

	model_happen(step->m, s0, s1, step->m->pace);
	step->n0 -= s0;
	step->n1 -= s1;
}

/* Let events happen: @n0 and @n1 for the counters that count them, with pauses for interrupts. */
void model_run(struct model *m, u64 n0, u64 n1)
{
	struct model_step step = { m, n0, n1 };

	model_deliver(m);
	while (step.n0 || step.n1) {
		model_on_cpu(m, model_run_here, &step);
		model_deliver(m);
	}
}

/* As model_run(), for one counter */
void model_slot_run(struct model *m, unsigned int n, u64 events)
{
	unsigned long flags;
	u64 span;

	model_deliver(m);
	for (; events; events -= span) {
		span = model_span(m, n, events);
		spin_lock_irqsave(&m->lock, flags);
		model_count(m, n, span);
		if (m->pending)
			m->tsc += m->pace;
		spin_unlock_irqrestore(&m->lock, flags);
		model_deliver(m);
	}
}

/* @whole * @part / @all: what happens with @part of @all evenly spaced events */
static u64 model_share(u64 part, u64 all, u64 whole)
{
	return all ? mul_u64_u64_div_u64(part, whole, all) : whole;
}

/* Of @all events in @cycles, those in the first @t cycles: at least one, at most @most */
static u64 model_part(u64 most, u64 all, u64 t, u64 cycles)
{
	if (!all)
		return 0;
	return clamp_t(u64, model_share(t, cycles, all), 1, most);
}

/* As model_run(), with the events evenly spaced over @cycles */
void model_flow(struct model *m, u64 n0, u64 n1, u64 cycles)
{
	u64 s0, s1, t, t0, t1;

	model_deliver(m);
	while (n0 || n1) {
		s0 = model_span(m, 0, n0);
		s1 = model_span(m, 1, n1);
		t0 = model_share(s0, n0, cycles);
		t1 = model_share(s1, n1, cycles);
		t = min(t0, t1);
		/* events within one cycle happen together */
		if (t < cycles) {
			s0 = t0 ? model_part(s0, n0, t, cycles) : s0;
			s1 = t1 ? model_part(s1, n1, t, cycles) : s1;
		}
		model_pass(m, t);
		model_jump(m, s0, s1);
		cycles -= t;
		n0 -= s0;
		n1 -= s1;
	}
	model_pass(m, cycles);
}

/* Let time pass. */
void model_pass(struct model *m, u64 cycles)
{
	unsigned long flags;

	spin_lock_irqsave(&m->lock, flags);
	m->tsc += cycles;
	spin_unlock_irqrestore(&m->lock, flags);
}

void model_log_clear(struct model *m)
{
	m->nr_writes = 0;
}

/* The number of the first write to a register, or -1 */
int model_find_write(const struct model *m, u32 msr)
{
	unsigned int i;

	for (i = 0; i < min_t(unsigned int, m->nr_writes, MODEL_LOG); i++)
		if (m->writes[i].msr == msr)
			return i;
	return -1;
}

/* Set the registers to what another user has written before. */
void model_fill(struct model *m, const struct model_regs *regs)
{
	m->regs = model_canonical(regs);
}

void model_expect_regs(struct kunit *test, const struct model *m,
		       const struct model_regs *regs)
{
	struct model_regs want = model_canonical(regs);
	unsigned int n;

	for (n = 0; n < model_pmu->nr; n++) {
		KUNIT_EXPECT_EQ(test, m->regs.perfcntr[n], want.perfcntr[n]);
		KUNIT_EXPECT_EQ(test, m->regs.perfevtsel[n],
				want.perfevtsel[n]);
	}
	KUNIT_EXPECT_EQ(test, m->regs.spflt, want.spflt);
	KUNIT_EXPECT_EQ(test, m->regs.ctrl, want.ctrl);
	KUNIT_EXPECT_EQ(test, m->regs.lvtpc, want.lvtpc);
}

/* To be called at the end of each test */
void model_expect_clean(struct kunit *test, const struct model *m)
{
	KUNIT_EXPECT_EQ_MSG(test, m->nr_violations, 0, "first: %s",
			    m->violation);
}
