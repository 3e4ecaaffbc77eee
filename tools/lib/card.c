// SPDX-License-Identifier: GPL-2.0
/* The card or the emulated card, and the events that it can count */
#include <cpuid.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <knc/arch_regs.h>
#include <knc/regs.h>

#include "card.h"
#include "kernel-file.h"
#include "names.h"
#include "private.h"

/* Words on the kernel's command line by which knc-vm tells its options */
#define ICOUNT		"knc_vm.icount=1"
/* MHz of the time stamp counter with knc-vm --icount */
#define INSTRUCTIONS_MHZ	1000
#define STAND_IN	"knc_vm.vpu_stand_in=1"
/* The CPUID of --machine westmere does not show that the machine is emulated */
#define WESTMERE	"knc_vm.machine=westmere"

/* Is @line the "flags" line of /proc/cpuinfo, with @flag in it? */
static int has_flag(const char *line, const char *flag)
{
	size_t len = strlen(flag);
	const char *at;

	if (strncmp(line, "flags", strlen("flags")))
		return 0;
	for (at = strstr(line, flag); at; at = strstr(at + len, flag)) {
		if (isspace((unsigned char)at[-1]) && isspace((unsigned char)at[len]))
			return 1;
	}
	return 0;
}

/* Read family and model, numbered as in Linux, by CPUID: a container can't hide it */
static void ask_cpu(struct kncpmu_cpu *cpu)
{
	unsigned int eax, ebx, ecx, edx;

	memset(cpu, 0, sizeof(*cpu));
	if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx))
		return;
	cpu->family = eax >> 8 & 0xf;
	cpu->model = eax >> 4 & 0xf;
	if (cpu->family == 0xf)
		cpu->family += eax >> 20 & 0xff;
	if (cpu->family >= 6)
		cpu->model += (eax >> 16 & 0xf) << 4;
	cpu->hypervisor = ecx >> 31;
}

void kncpmu_cpu_read(struct kncpmu_cpu *cpu)
{
	FILE *f = fopen("/proc/cpuinfo", "re");
	char *line = NULL;
	size_t size = 0;
	int nr = 0;

	ask_cpu(cpu);
	if (!f)
		return;
	while (getline(&line, &size, f) > 0 && line[0] != '\n') {
		if (!nr++)
			cpu->hypervisor = 0;
		cpu->hypervisor |= has_flag(line, "hypervisor");
	}
	free(line);
	fclose(f);
}

/* Was the emulated card started with an option that puts @option on the command line? */
static int started_with(const char *option)
{
	char line[4096], *word, *rest = NULL;

	if (kncpmu_kernel_line("/proc/cmdline", line, sizeof(line)))
		return 0;
	for (word = strtok_r(line, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
		if (!strcmp(word, option))
			return 1;
	}
	return 0;
}

static int is_arch(const struct kncpmu_pmu *pmu)
{
	return pmu->kind == KNCPMU_PMU_ARCH || pmu->kind == KNCPMU_PMU_WESTMERE;
}

/* Bits of the architectural events that CPUID says this CPU lacks */
static unsigned int absent_events(void)
{
	unsigned int eax, ebx, ecx, edx;

	if (!__get_cpuid(ARCH_CPUID, &eax, &ebx, &ecx, &edx))
		return 0;
	return ebx | (ARCH_CPUID_EVENTS(eax) < 32 ? ~0U << ARCH_CPUID_EVENTS(eax) : 0);
}

int kncpmu_card_read(const struct kncpmu_pmu *pmu, struct kncpmu_card *card)
{
	struct knc_pmu_desc desc = { .nr_counters = 0 };
	struct knc_pmu_info info;
	struct kncpmu_cpu cpu;
	int ret, fd;

	memset(card, 0, sizeof(*card));
	card->pmu = pmu;
	if (is_arch(pmu))
		card->absent = absent_events();
	kncpmu_cpu_read(&cpu);
	card->emulated = cpu.family == KNC_CPU_FAMILY && cpu.model == KNC_CPU_MODEL &&
			 cpu.hypervisor;
	card->emulated |= started_with(WESTMERE);
	card->real_time = card->emulated && !started_with(ICOUNT);
	card->stand_in = card->emulated && started_with(STAND_IN);
	fd = kncpmu_open(NULL);
	if (fd < 0)
		return fd;
	ret = kncpmu_info(fd, &info);
	if (!ret)
		ret = kncpmu_pmus(fd, &desc, 1);
	kncpmu_close(fd);
	if (ret < 0)
		return ret;
	card->features = info.features;
	card->nr_counters = desc.nr_counters;
	card->tsc_khz = info.tsc_khz;
	/* the kernel's measured rate can be a kilohertz off */
	card->instructions = card->emulated && !card->real_time &&
			     card->tsc_khz / 1000 + 1 >= INSTRUCTIONS_MHZ &&
			     card->tsc_khz / 1000 <= INSTRUCTIONS_MHZ;
	return 0;
}

int kncpmu_card_stands_in(const struct kncpmu_card *card, const struct knc_pmu_event *event)
{
	const struct kncpmu_event_desc *desc = kncpmu_event_of(card->pmu, event);

	return card->stand_in && desc && desc->emulated == KNCPMU_EMULATED_VECTOR;
}

/* Does the CPU lack this architectural event? */
static int is_absent(const struct kncpmu_card *card, const struct knc_pmu_event *event)
{
	static const __u64 codes[] = {
#define ARCH_EVENT(name, event, umask, fixed, rate, desc)	KNC_PMU_EVENT_CODE(event, umask),
#include <knc/arch_events.def>
	};
	unsigned int bit;

	for (bit = 0; card->absent && bit < ARRAY_SIZE(codes); bit++) {
		if (codes[bit] == event->event)
			return card->absent >> bit & 1;
	}
	return 0;
}

int kncpmu_card_lacks(const struct kncpmu_card *card, const struct knc_pmu_event *event)
{
	const struct kncpmu_event_desc *desc = kncpmu_event_of(card->pmu, event);
	__u64 counters;

	if (card->emulated && (!desc || desc->emulated == KNCPMU_EMULATED_NONE))
		return 1;
	if (!card->nr_counters)
		return 0;
	if (event->flags & KNC_PMU_EVENT_SPFLT && !(card->features & KNC_PMU_FEATURE_SPFLT))
		return 1;
	if (is_absent(card, event))
		return 1;
	counters = desc ? desc->counters : ~0ULL;
	if (card->pmu->kind != KNCPMU_PMU_KNC)
		return !(counters & card->pmu->counters);
	return !(counters & ((1ULL << card->nr_counters) - 1));
}
