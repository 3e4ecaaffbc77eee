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

/* Read a CPU list from a file, as of sysfs; returns 0, or a negative errno */
int kncpmu_cpus_from_file(const char *path, struct kncpmu_cpus *cpus);

#endif /* KNCPMU_PRIVATE_H */
