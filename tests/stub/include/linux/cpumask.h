/* SPDX-License-Identifier: GPL-2.0 */
#ifndef STUB_LINUX_CPUMASK_H
#define STUB_LINUX_CPUMASK_H

#include <linux/kernel.h>
#include <linux/threads.h>
#include <linux/bitmap.h>

typedef struct cpumask {
	DECLARE_BITMAP(bits, NR_CPUS);
} cpumask_t;

/* not CPUMASK_OFFSTACK */
typedef struct cpumask cpumask_var_t[1];

extern int nr_cpu_ids;
extern const struct cpumask *const cpu_possible_mask;
extern const struct cpumask *const cpu_online_mask;
extern const unsigned long cpu_bit_bitmap[64 + 1][(NR_CPUS + 63) / 64];

#define to_cpumask(bitmap) ((struct cpumask *)(bitmap))

static inline const struct cpumask *cpumask_of(unsigned int cpu)
{
	return to_cpumask(cpu_bit_bitmap[1 + cpu % 64] - cpu / 64);
}

static inline unsigned int cpumask_first(const struct cpumask *srcp)
{
	return find_first_bit(srcp->bits, NR_CPUS);
}

static inline unsigned int cpumask_next(int n, const struct cpumask *srcp)
{
	return find_next_bit(srcp->bits, NR_CPUS, n + 1);
}

static inline void cpumask_set_cpu(unsigned int cpu, struct cpumask *dstp)
{
	dstp->bits[cpu / 64] |= 1UL << cpu % 64;
}

static inline void cpumask_clear_cpu(int cpu, struct cpumask *dstp)
{
	dstp->bits[cpu / 64] &= ~(1UL << cpu % 64);
}

#define cpumask_test_cpu(cpu, cpumask) \
	((int)((cpumask)->bits[(cpu) / 64] >> ((cpu) % 64) & 1))

static inline void cpumask_clear(struct cpumask *dstp)
{
	bitmap_zero(dstp->bits, NR_CPUS);
}

static inline void cpumask_copy(struct cpumask *dstp,
				const struct cpumask *srcp)
{
	bitmap_copy(dstp->bits, srcp->bits, NR_CPUS);
}

static inline unsigned int cpumask_weight(const struct cpumask *srcp)
{
	return __bitmap_weight(srcp->bits, NR_CPUS);
}

static inline int cpumask_subset(const struct cpumask *src1p,
				 const struct cpumask *src2p)
{
	return __bitmap_subset(src1p->bits, src2p->bits, NR_CPUS);
}

static inline bool zalloc_cpumask_var(cpumask_var_t *mask, gfp_t flags)
{
	cpumask_clear(*mask);
	return true;
}

static inline void free_cpumask_var(cpumask_var_t mask)
{
}

#define num_online_cpus() cpumask_weight(cpu_online_mask)
#define num_possible_cpus() cpumask_weight(cpu_possible_mask)
#define cpu_online(cpu) cpumask_test_cpu((cpu), cpu_online_mask)
#define cpu_possible(cpu) cpumask_test_cpu((cpu), cpu_possible_mask)
#define for_each_cpu(cpu, mask)						\
	for ((cpu) = -1; (cpu) = cpumask_next((cpu), (mask)),		\
	     (cpu) < nr_cpu_ids;)
#define for_each_possible_cpu(cpu) for_each_cpu((cpu), cpu_possible_mask)
#define for_each_online_cpu(cpu) for_each_cpu((cpu), cpu_online_mask)

#endif /* STUB_LINUX_CPUMASK_H */
