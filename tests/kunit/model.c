// SPDX-License-Identifier: GPL-2.0
/*
 * The PMU registers of a hardware thread as 327357 describes them
 */
#include <linux/kernel.h>
#include <linux/percpu.h>
#include <linux/smp.h>
#include <linux/string.h>

#include "model.h"

static DEFINE_PER_CPU(struct model, model_cpus);

/* All CPUs see this one, if set */
static struct model *model_only;
static const struct knc_hw_ops *model_native;

/* What registers hold after a reset (1.4.4), and all that they can hold */
const struct model_regs model_zeros;
const struct model_regs model_ones = {
	.perfcntr = { MODEL_CNTR_MASK, MODEL_CNTR_MASK },
	.perfevtsel = { MODEL_EVTSEL_MASK, MODEL_EVTSEL_MASK },
	.spflt = MODEL_SPFLT_MASK,
	.ctrl = MODEL_GLOBAL_MASK,
};

static struct model *model_here(void)
{
	return model_only ?: this_cpu_ptr(&model_cpus);
}

static void model_violate(struct model *m, const char *what, u32 msr, u64 value)
{
	if (!m->nr_violations++)
		snprintf(m->violation, sizeof(m->violation), "%s: %#x, %#llx",
			 what, msr, value);
}

static bool model_master(const struct model *m, unsigned int n)
{
	return m->regs.ctrl & 1u << n && m->regs.perfevtsel[n] & MODEL_EN;
}

/* Does counter n count what happens in some ring? */
static bool model_counts(const struct model *m, unsigned int n)
{
	if (m->regs.spflt & 1u << n && !(m->regs.spflt & MODEL_USER_PREF))
		return false;
	return model_master(m, n) &&
	       m->regs.perfevtsel[n] & (MODEL_USR | MODEL_OS);
}

static void model_count(struct model *m, unsigned int n, u64 events)
{
	u64 sum;

	if (!model_counts(m, n))
		return;
	m->counted[n] += events;
	sum = m->regs.perfcntr[n] + events;
	if (sum > MODEL_CNTR_MASK)
		m->status |= 1u << n;
	m->regs.perfcntr[n] = sum & MODEL_CNTR_MASK;
}

/* An access begins: rules of all, and time goes by */
static struct model *model_access(u32 msr)
{
	struct model *m = model_here();
	unsigned int n;

	spin_lock(&m->lock);
	if (!irqs_disabled())
		model_violate(m, "interrupts are on", msr, 0);
	for (n = 0; n < MODEL_NR; n++)
		model_count(m, n, m->tick);
	m->tsc += m->tick;
	return m;
}

static void model_end(struct model *m)
{
	spin_unlock(&m->lock);
}

static u64 model_get(struct model *m, u32 msr)
{
	switch (msr) {
	case MODEL_PERFCNTR:
	case MODEL_PERFCNTR + 1:
		return m->regs.perfcntr[msr - MODEL_PERFCNTR];
	case MODEL_PERFEVTSEL:
	case MODEL_PERFEVTSEL + 1:
		return m->regs.perfevtsel[msr - MODEL_PERFEVTSEL];
	case MODEL_SPFLT:
		return m->regs.spflt;
	case MODEL_STATUS:
		return m->status;
	case MODEL_CTRL:
		return m->regs.ctrl;
	default:
		model_violate(m, "read of what can't be read", msr, 0);
		return 0;
	}
}

static void model_put_counter(struct model *m, u32 msr, u64 value)
{
	unsigned int n = msr - MODEL_PERFCNTR;

	if (model_master(m, n))
		model_violate(m, "write to a counter that counts", msr, value);
	m->regs.perfcntr[n] = value & MODEL_CNTR_MASK;
}

static void model_put_evtsel(struct model *m, u32 msr, u64 value)
{
	unsigned int n = msr - MODEL_PERFEVTSEL;

	if (m->regs.ctrl & 1u << n)
		model_violate(m, "write to a select in use", msr, value);
	m->regs.perfevtsel[n] = value;
}

static void model_put_spflt(struct model *m, u32 msr, u64 value)
{
	unsigned int n;

	for (n = 0; n < MODEL_NR; n++)
		if (model_master(m, n) && (m->regs.spflt ^ value) & 1u << n)
			model_violate(m, "filter of a counter that counts", msr,
				      value);
	m->regs.spflt = value;
}

/* Bits that must be written as 0: a processor would raise #GP */
static u64 model_reserved(u32 msr)
{
	switch (msr) {
	case MODEL_PERFCNTR:
	case MODEL_PERFCNTR + 1:
		return ~MODEL_CNTR_MASK;
	case MODEL_PERFEVTSEL:
	case MODEL_PERFEVTSEL + 1:
		return ~MODEL_EVTSEL_MASK;
	case MODEL_SPFLT:
		return ~MODEL_SPFLT_MASK;
	default:
		return ~MODEL_GLOBAL_MASK;
	}
}

static void model_put(struct model *m, u32 msr, u64 value)
{
	if (value & model_reserved(msr))
		model_violate(m, "reserved bits", msr, value);
	switch (msr) {
	case MODEL_PERFCNTR:
	case MODEL_PERFCNTR + 1:
		model_put_counter(m, msr, value);
		break;
	case MODEL_PERFEVTSEL:
	case MODEL_PERFEVTSEL + 1:
		model_put_evtsel(m, msr, value);
		break;
	case MODEL_SPFLT:
		model_put_spflt(m, msr, value);
		break;
	case MODEL_OVF_CONTROL:
		m->status &= ~value;
		break;
	case MODEL_CTRL:
		m->regs.ctrl = value;
		break;
	default:
		model_violate(m, "write to what can't be written", msr, value);
		break;
	}
}

static u64 model_read_msr(u32 msr)
{
	struct model *m = model_access(msr);
	u64 value = model_get(m, msr);

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
	u64 value = 0;

	if (counter < MODEL_NR)
		value = m->regs.perfcntr[counter];
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

static u32 model_read_apic(u32 reg)
{
	struct model *m = model_access(reg);
	u32 lvtpc = m->lvtpc;

	if (reg != MODEL_LVTPC)
		model_violate(m, "read of another APIC register", reg, 0);
	model_end(m);
	return lvtpc;
}

static const struct knc_hw_ops model_ops = {
	.read_msr	= model_read_msr,
	.write_msr	= model_write_msr,
	.read_pmc	= model_read_pmc,
	.read_tsc	= model_read_tsc,
	.get_cr4	= model_read_cr4,
	.read_apic	= model_read_apic,
};

/* A model as after a reset */
void model_init(struct model *m)
{
	memset(m, 0, sizeof(*m));
	spin_lock_init(&m->lock);
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

/* From now on all CPUs are the same hardware thread. */
void model_use(struct model *m)
{
	model_init(m);
	model_enter(m);
}

/* From now on each CPU is a hardware thread of its own. */
void model_use_per_cpu(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		model_init(model_of(cpu));
	model_enter(NULL);
}

/* Back to the registers themselves; right without model_use() before, too */
void model_leave(void)
{
	if (!model_native)
		return;
	knc_hw_ops = model_native;
	model_native = NULL;
	model_only = NULL;
}

/* Let events happen: so many of those that each counter may count. */
void model_run(struct model *m, u64 n0, u64 n1)
{
	unsigned long flags;

	spin_lock_irqsave(&m->lock, flags);
	model_count(m, 0, n0);
	model_count(m, 1, n1);
	spin_unlock_irqrestore(&m->lock, flags);
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

/* Somebody else wrote this before. */
void model_fill(struct model *m, const struct model_regs *regs)
{
	m->regs = *regs;
}

void model_expect_regs(struct kunit *test, const struct model *m,
		       const struct model_regs *want)
{
	unsigned int n;

	for (n = 0; n < MODEL_NR; n++) {
		KUNIT_EXPECT_EQ(test, m->regs.perfcntr[n], want->perfcntr[n]);
		KUNIT_EXPECT_EQ(test, m->regs.perfevtsel[n],
				want->perfevtsel[n]);
	}
	KUNIT_EXPECT_EQ(test, m->regs.spflt, want->spflt);
	KUNIT_EXPECT_EQ(test, m->regs.ctrl, want->ctrl);
}

/* To be called at the end of each test */
void model_expect_clean(struct kunit *test, const struct model *m)
{
	KUNIT_EXPECT_EQ_MSG(test, m->nr_violations, 0, "first: %s",
			    m->violation);
}
