// SPDX-License-Identifier: GPL-2.0
/* Registers by number, probing, and how the kernel and the module share the counters */
#include <kunit/test.h>

#include <asm/nmi.h>
#include <asm/processor.h>

#include "pmu/hw.h"
#include "model.h"

static struct model model;

static int hw_init(struct kunit *test)
{
	/* the kernel has no reservations for these registers on other CPUs */
	if (knc_hw_probe())
		kunit_skip(test, "this CPU is no Knights Corner");
	model_use(&model);
	return 0;
}

static void hw_exit(struct kunit *test)
{
	model_leave();
	model_expect_clean(test, &model);
}

/* Tables 1-2 and 1-4 */
static void description(struct kunit *test)
{
	const struct pmu_bank *bank = &pmu_knc.bank[0];

	KUNIT_EXPECT_STREQ(test, pmu_knc.name, "knc");
	KUNIT_EXPECT_EQ(test, pmu_knc.nr_banks, 1);
	KUNIT_EXPECT_EQ(test, bank->first, 0);
	KUNIT_EXPECT_EQ(test, bank->nr, 2);
	KUNIT_EXPECT_EQ(test, bank->width, 40);
	KUNIT_EXPECT_EQ(test, bank->counter_msr, MODEL_PERFCNTR);
	KUNIT_EXPECT_EQ(test, bank->select_msr, MODEL_PERFEVTSEL);
	KUNIT_EXPECT_EQ(test, bank->field, 0);
	KUNIT_EXPECT_EQ(test, bank->rdpmc_index, 0);
	KUNIT_EXPECT_EQ(test, bank->writable, MODEL_CNTR_MASK);
	KUNIT_EXPECT_EQ(test, bank->max_load, MODEL_HALF);
	KUNIT_EXPECT_EQ(test, pmu_knc.threads_per_core, 4);
	KUNIT_EXPECT_EQ(test, pmu_knc.nr_counters, 2);
	KUNIT_EXPECT_EQ(test, pmu_knc.end, 2);
	KUNIT_EXPECT_EQ(test, pmu_knc.counters, 3);
	KUNIT_EXPECT_EQ(test, pmu_knc.any, 3);
	KUNIT_EXPECT_EQ(test, pmu_knc.gate.msr, MODEL_SPFLT);
	KUNIT_EXPECT_EQ(test, pmu_knc.gate.open, MODEL_USER_PREF);
	KUNIT_EXPECT_EQ(test, pmu_knc.status.msr, MODEL_STATUS);
	KUNIT_EXPECT_EQ(test, pmu_knc.ack.msr, MODEL_OVF_CONTROL);
	KUNIT_EXPECT_EQ(test, pmu_knc.ctrl.msr, MODEL_CTRL);
	KUNIT_EXPECT_EQ(test, pmu_knc.ctrl_reset, 0);
}

static void writes(struct kunit *test)
{
	static const struct model_regs want = {
		.perfcntr = { 0x123456789a, 0xfedcba9876 },
		.perfevtsel = { 0x12c30016, 0xfff72018 },
		.spflt = MODEL_USER_PREF | 2,
		.ctrl = 1,
		.lvtpc = 0x104f1,
	};
	unsigned int n;

	model.status = 3;
	for (n = 0; n < MODEL_NR; n++) {
		MODEL_AT(knc_hw_write_counter(n, want.perfcntr[n]));
		MODEL_AT(knc_hw_write_evtsel(n, want.perfevtsel[n]));
	}
	MODEL_AT(knc_hw_write_gate(want.spflt));
	MODEL_AT(knc_hw_write_global_ctrl(want.ctrl));
	MODEL_AT(knc_hw_clear_global_status(2));
	MODEL_AT(knc_hw_write_lvtpc(want.lvtpc));
	model_expect_regs(test, &model, &want);
	KUNIT_EXPECT_EQ(test, model.status, 1);
	KUNIT_EXPECT_EQ(test, model.nr_writes, 7);
}

#define EXPECT_READ(test, expr, want)					\
	do {								\
		u64 value;						\
									\
		MODEL_AT(value = (expr));				\
		KUNIT_EXPECT_EQ(test, value, want);			\
	} while (0)

static void reads(struct kunit *test)
{
	unsigned int n;

	model_fill(&model, &model_ones);
	model.regs.perfcntr[0] = 0x123456789a;
	model.regs.perfevtsel[1] = 0xfff72018;
	model.status = 2;
	model.tsc = 0x8877665544332211;
	model.cr4 = 0x120;
	model.regs.lvtpc = 0x10400;
	for (n = 0; n < MODEL_NR; n++) {
		EXPECT_READ(test, knc_hw_read_counter(n),
			    model.regs.perfcntr[n]);
		EXPECT_READ(test, knc_hw_read_evtsel(n),
			    model.regs.perfevtsel[n]);
	}
	EXPECT_READ(test, knc_hw_read_gate(), MODEL_SPFLT_MASK);
	EXPECT_READ(test, knc_hw_read_global_status(), 2);
	EXPECT_READ(test, knc_hw_read_global_ctrl(), 3);
	EXPECT_READ(test, knc_hw_read_tsc(), 0x8877665544332211);
	EXPECT_READ(test, knc_hw_read_cr4(), 0x120);
	EXPECT_READ(test, knc_hw_read_lvtpc(), 0x10400);
	KUNIT_EXPECT_EQ(test, model.nr_writes, 0);
}

/* knc_hw_probe()'s answer on another CPU */
static int probe_on(u8 vendor, u8 family, u8 model)
{
	struct cpuinfo_x86 *c = &boot_cpu_data;
	const u8 kept[] = { c->x86_vendor, c->x86, c->x86_model };
	int err;

	c->x86_vendor = vendor;
	c->x86 = family;
	c->x86_model = model;
	err = knc_hw_probe();
	c->x86_vendor = kept[0];
	c->x86 = kept[1];
	c->x86_model = kept[2];
	return err;
}

static void probe(struct kunit *test)
{
	static const struct {
		u8 vendor;
		u8 family;
		u8 model;
		int err;
	} cpus[] = {
		{ X86_VENDOR_INTEL, 11, 1, 0 },
		{ X86_VENDOR_AMD, 11, 1, -ENODEV },
		{ X86_VENDOR_INTEL, 6, 1, -ENODEV },
		{ X86_VENDOR_INTEL, 11, 0, -ENODEV },
		{ X86_VENDOR_INTEL, 11, 2, -ENODEV },
	};
	unsigned int i;
	int err;

	for (i = 0; i < ARRAY_SIZE(cpus); i++) {
		MODEL_AT(err = probe_on(cpus[i].vendor, cpus[i].family,
					cpus[i].model));
		KUNIT_EXPECT_EQ_MSG(test, err, cpus[i].err, "CPU %u", i);
	}
}

static void reserve(struct kunit *test)
{
	KUNIT_ASSERT_EQ(test, knc_hw_reserve(), 0);
	KUNIT_EXPECT_EQ(test, knc_hw_reserve(), -EBUSY);
	/* the refusal has not released anything */
	KUNIT_EXPECT_EQ(test, knc_hw_reserve(), -EBUSY);
	knc_hw_release();
	KUNIT_ASSERT_EQ(test, knc_hw_reserve(), 0);
	knc_hw_release();
}

/* The four registers to be reserved, by the names of perf's driver */
static const struct {
	int (*reserve)(unsigned int msr);
	void (*release)(unsigned int msr);
	unsigned int msr;
} parts[] = {
	{ reserve_perfctr_nmi, release_perfctr_nmi, MODEL_PERFCNTR },
	{ reserve_perfctr_nmi, release_perfctr_nmi, MODEL_PERFCNTR + 1 },
	{ reserve_evntsel_nmi, release_evntsel_nmi, MODEL_PERFEVTSEL },
	{ reserve_evntsel_nmi, release_evntsel_nmi, MODEL_PERFEVTSEL + 1 },
};

/* If another user has any of these registers, the module gets none and keeps none. */
static void reserve_all_or_nothing(struct kunit *test)
{
	unsigned int i, j;
	int got;

	for (i = 0; i < ARRAY_SIZE(parts); i++) {
		KUNIT_ASSERT_TRUE(test, parts[i].reserve(parts[i].msr));
		KUNIT_EXPECT_EQ(test, knc_hw_reserve(), -EBUSY);
		for (j = 0; j < ARRAY_SIZE(parts); j++) {
			got = parts[j].reserve(parts[j].msr);
			KUNIT_EXPECT_EQ_MSG(test, got, i != j,
					    "part %u, somebody has %u", j, i);
		}
		for (j = 0; j < ARRAY_SIZE(parts); j++)
			parts[j].release(parts[j].msr);
	}
}

/* No other user gets these registers before the module releases them. */
static void reserve_keeps_others_out(struct kunit *test)
{
	unsigned int i;

	KUNIT_ASSERT_EQ(test, knc_hw_reserve(), 0);
	for (i = 0; i < ARRAY_SIZE(parts); i++)
		KUNIT_EXPECT_FALSE(test, parts[i].reserve(parts[i].msr));
	knc_hw_release();
	for (i = 0; i < ARRAY_SIZE(parts); i++) {
		KUNIT_EXPECT_TRUE(test, parts[i].reserve(parts[i].msr));
		parts[i].release(parts[i].msr);
	}
}

static struct kunit_case hw_cases[] = {
	KUNIT_CASE(description),
	KUNIT_CASE(writes),
	KUNIT_CASE(reads),
	KUNIT_CASE(probe),
	KUNIT_CASE(reserve),
	KUNIT_CASE(reserve_all_or_nothing),
	KUNIT_CASE(reserve_keeps_others_out),
	{}
};

KNC_SUITE(hw, hw_init, hw_exit);

kunit_test_suite(hw_suite);
