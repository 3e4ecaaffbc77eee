/* SPDX-License-Identifier: GPL-2.0 */
/* Further operations on sets of hardware threads */
#ifndef KNCPMU_SETS_H
#define KNCPMU_SETS_H

#include "kncpmu.h"

/**
 * kncpmu_cpus_clear() - remove a CPU
 * @cpus: the set
 * @cpu: the CPU, below KNC_PMU_MAX_CPUS
 */
void kncpmu_cpus_clear(struct kncpmu_cpus *cpus, unsigned int cpu);

/**
 * kncpmu_cpus_or() - add the CPUs of another set
 * @cpus: the set
 * @others: the CPUs to add
 */
void kncpmu_cpus_or(struct kncpmu_cpus *cpus, const struct kncpmu_cpus *others);

/**
 * kncpmu_cpus_and() - remove all CPUs but those of another set
 * @cpus: the set
 * @others: the CPUs to keep
 */
void kncpmu_cpus_and(struct kncpmu_cpus *cpus, const struct kncpmu_cpus *others);

/**
 * kncpmu_cpus_andnot() - remove the CPUs of another set
 * @cpus: the set
 * @others: the CPUs to remove
 */
void kncpmu_cpus_andnot(struct kncpmu_cpus *cpus, const struct kncpmu_cpus *others);

/**
 * kncpmu_cpus_test() - is a CPU in the set?
 * @cpus: the set
 * @cpu: the CPU
 *
 * Return: 1 or 0.
 */
int kncpmu_cpus_test(const struct kncpmu_cpus *cpus, unsigned int cpu);

/**
 * kncpmu_cpus_count() - count the CPUs of the set
 * @cpus: the set
 *
 * Return: their number.
 */
unsigned int kncpmu_cpus_count(const struct kncpmu_cpus *cpus);

/**
 * kncpmu_cpus_possible() - the CPUs that the machine can have
 * @cpus: the set, out
 *
 * Return: 0 or the negative errno of reading sysfs.
 */
int kncpmu_cpus_possible(struct kncpmu_cpus *cpus);

/**
 * kncpmu_cpus_siblings() - the hardware threads of the core of a CPU
 * @cpu: the CPU
 * @cpus: the set, @cpu included, out
 *
 * Return: 0 or the negative errno of reading sysfs (offline CPUs have none).
 */
int kncpmu_cpus_siblings(unsigned int cpu, struct kncpmu_cpus *cpus);

/**
 * kncpmu_cpus_packages() - keep one hardware thread of each package
 * @cpus: hardware threads that are online; the lowest of each package remains
 *
 * Return: 0, or a negative errno: the kernel does not tell the packages.
 */
int kncpmu_cpus_packages(struct kncpmu_cpus *cpus);

/**
 * kncpmu_cpus_check() - are all CPUs of a set online?
 * @cpus: the set
 * @err: the message of an error: which CPU is not, what to do; out
 *
 * Return: 0; -EINVAL: the set is empty; -ENXIO: a CPU does not exist or is offline.
 */
int kncpmu_cpus_check(const struct kncpmu_cpus *cpus, struct kncpmu_error *err);

#endif /* KNCPMU_SETS_H */
