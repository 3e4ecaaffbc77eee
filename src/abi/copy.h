/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copy structs and lists of the ABI, whose size the caller gives
 */
#ifndef KNC_PMU_COPY_H
#define KNC_PMU_COPY_H

#include <linux/types.h>

#include <knc_pmu.h>

/**
 * struct knc_copy_list - the caller's array, from a checked struct knc_pmu_list
 * @to: address of the array
 * @nr: number of entries that it has room for
 * @size: bytes of each entry, as the caller knows it
 */
struct knc_copy_list {
	void __user *to;
	u32 nr;
	u32 size;
};

int knc_copy_in(void *to, size_t ksize, const void __user *from,
		unsigned int cmd);
int knc_copy_out(void __user *to, const void *from, size_t ksize,
		 unsigned int cmd);
int knc_copy_out_nofault(void __user *to, const void *from, size_t ksize,
			 unsigned int cmd);
int knc_copy_list_init(struct knc_copy_list *out, const struct knc_pmu_list *list);
int knc_copy_list_put(const struct knc_copy_list *out, unsigned int i,
		      const void *entry, size_t ksize);

#endif /* KNC_PMU_COPY_H */
