/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The registers of the hardware thread this code runs on
 *
 * All functions act on the executing hardware thread; the caller has
 * interrupts off (or does not mind which thread it is).
 */
#ifndef KNC_PMU_HW_H
#define KNC_PMU_HW_H

#include <linux/types.h>

/**
 * struct knc_hw_model - what a PMU of this kind has
 * @family: CPUID family
 * @model: CPUID model
 * @nr_counters: counters of a hardware thread
 * @width: bits of a counter
 * @threads_per_core: hardware threads of a core
 * @perfcntr: MSR of counter 0
 * @perfevtsel: MSR of event select 0
 * @spflt_control: MSR of PERF_SPFLT_CONTROL
 * @global_status: MSR of IA32_PERF_GLOBAL_STATUS
 * @global_ovf_control: MSR of IA32_PERF_GLOBAL_OVF_CONTROL
 * @global_ctrl: MSR of IA32_PERF_GLOBAL_CTRL
 * @counter_mask: bits of a counter
 *
 * Models that differ in these only (P6 shape: select, count, global control,
 * status, overflow control) need another descriptor, not another driver.
 */
struct knc_hw_model {
	unsigned int family;
	unsigned int model;
	unsigned int nr_counters;
	unsigned int width;
	unsigned int threads_per_core;
	u32 perfcntr;
	u32 perfevtsel;
	u32 spflt_control;
	u32 global_status;
	u32 global_ovf_control;
	u32 global_ctrl;
	u64 counter_mask;
};

/**
 * struct knc_hw_ops - how registers are reached; KUnit puts a model here
 * @read_msr: RDMSR
 * @write_msr: WRMSR
 * @read_pmc: RDPMC
 * @read_tsc: RDTSC
 * @get_cr4: MOV from CR4
 * @read_apic: read a register of the local APIC
 * @write_apic: write one
 */
struct knc_hw_ops {
	u64 (*read_msr)(u32 msr);
	void (*write_msr)(u32 msr, u64 value);
	u64 (*read_pmc)(u32 counter);
	u64 (*read_tsc)(void);
	u64 (*get_cr4)(void);
	u32 (*read_apic)(u32 reg);
	void (*write_apic)(u32 reg, u32 value);
};

#ifdef KNC_PMU_KUNIT
extern const struct knc_hw_ops *knc_hw_ops;
#endif

extern const struct knc_hw_model knc_hw_model;

int knc_hw_probe(void);
int knc_hw_reserve(void);
void knc_hw_release(void);

u64 knc_hw_read_counter(unsigned int n);
u64 knc_hw_read_all(u64 *counters);
void knc_hw_write_counter(unsigned int n, u64 value);
u64 knc_hw_read_evtsel(unsigned int n);
void knc_hw_write_evtsel(unsigned int n, u64 value);
u64 knc_hw_read_spflt(void);
void knc_hw_write_spflt(u64 value);
u64 knc_hw_read_global_ctrl(void);
void knc_hw_write_global_ctrl(u64 value);
u64 knc_hw_read_global_status(void);
void knc_hw_clear_global_status(u64 mask);
u64 knc_hw_read_tsc(void);
u64 knc_hw_read_cr4(void);
u32 knc_hw_read_lvtpc(void);
void knc_hw_write_lvtpc(u32 value);

#endif /* KNC_PMU_HW_H */
