/* SPDX-License-Identifier: GPL-2.0 */
/* Is it a card, and which events can it count? */
#ifndef KNCPMU_CARD_H
#define KNCPMU_CARD_H

#include "kncpmu.h"

/**
 * struct kncpmu_cpu - this CPU by CPUID
 * @family: its family; 0: not known
 * @model: its model
 * @hypervisor: it has the flag of virtual machines
 */
struct kncpmu_cpu {
	unsigned int family;
	unsigned int model;
	int hypervisor;
};

/**
 * kncpmu_cpu_read() - what CPU is this?
 * @cpu: the CPU, out
 *
 * Asks CPUID; /proc/cpuinfo, if it is there, says whether the CPU is virtual.
 * A Knights Corner has KNC_CPU_FAMILY and KNC_CPU_MODEL of knc/regs.h.
 */
void kncpmu_cpu_read(struct kncpmu_cpu *cpu);

/**
 * struct kncpmu_card - the card that this program runs on
 * @pmu: the PMU of the events that it is asked about
 * @emulated: it is the emulated card, which does not count all events
 * @nr_counters: counters of a hardware thread; 0: not known; then @features and @tsc_khz
 *	are 0 too
 * @features: KNC_PMU_FEATURE_*
 * @tsc_khz: rate of the time stamp counter in kHz
 * @real_time: it is the emulated card of knc-vm --realtime: its speed depends on the
 *	events, and counts of different turns are at different speeds
 * @instructions: it is the emulated card of knc-vm --icount: a tick of the time stamp counter is
 *	an instruction, and no cycle
 * @stand_in: it is the emulated card with knc-vm --vpu-stand-in
 * @absent: bits of the architectural events that the CPU lacks (CPUID leaf 0xA); 0 unless @pmu has
 *	them
 */
struct kncpmu_card {
	const struct kncpmu_pmu *pmu;
	int emulated;
	unsigned int nr_counters;
	__u64 features;
	unsigned int tsc_khz;
	int real_time;
	int instructions;
	int stand_in;
	unsigned int absent;
};

/**
 * kncpmu_card_read() - ask the CPU and the module for their properties
 * @pmu: the PMU of the events that the card will be asked about; remains where it is
 * @card: the card, out
 *
 * Return: 0, or the negative errno of opening or asking the module.
 */
int kncpmu_card_read(const struct kncpmu_pmu *pmu, struct kncpmu_card *card);

/**
 * kncpmu_card_lacks() - is the card unable to count an event?
 * @card: the card
 * @event: the event
 *
 * A real card may count any code that has no name. On a host CPUID leaf 0xA tells which of the
 * architectural events the CPU lacks.
 *
 * Return: 1: it can't count the event; 0: it can, or may.
 */
int kncpmu_card_lacks(const struct kncpmu_card *card, const struct knc_pmu_event *event);

/**
 * kncpmu_card_stands_in() - does the card count something else in an event's place?
 * @card: the card
 * @event: the event
 *
 * With knc-vm --vpu-stand-in the emulated card counts packed SSE operations as vector
 * instructions. A tool that shows such a count must say that it is a stand-in.
 *
 * Return: 1: the count is a stand-in; 0: it is the event's.
 */
int kncpmu_card_stands_in(const struct kncpmu_card *card, const struct knc_pmu_event *event);

#endif /* KNCPMU_CARD_H */
