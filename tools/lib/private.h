/* SPDX-License-Identifier: GPL-2.0 */
/* What the files of libkncpmu share */
#ifndef KNCPMU_PRIVATE_H
#define KNCPMU_PRIVATE_H

#include "kncpmu.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

#define KNCPMU_SYSFS_CPU	"/sys/devices/system/cpu"

#ifndef __printf
#define __printf(a, b)	__attribute((format(printf, a, b)))
#endif

/* Write an error line and return @ret: return kncpmu_fail(...) */
__printf(3, 4)
int kncpmu_fail(struct kncpmu_error *err, int ret, const char *fmt, ...);

/**
 * struct kncpmu_cpu - this CPU by /proc/cpuinfo
 * @family: its family; 0: not known
 * @model: its model
 * @hypervisor: it has the flag of virtual machines
 */
struct kncpmu_cpu {
	unsigned int family;
	unsigned int model;
	int hypervisor;
};

void kncpmu_cpu_read(struct kncpmu_cpu *cpu);

#endif /* KNCPMU_PRIVATE_H */
