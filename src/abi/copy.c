// SPDX-License-Identifier: GPL-2.0
/*
 * Copy structs and lists of the ABI, whose size the caller gives
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/mm.h>

#include "abi/copy.h"
#include "compat/compat.h"

/**
 * knc_copy_in() - copy a struct from the caller, by the rules of uapi/knc_pmu.h
 * @to: the module's copy
 * @ksize: bytes of the struct as the module knows it
 * @from: the caller's struct
 * @cmd: the command, whose number contains the size of the caller's struct
 *
 * Return: 0; -EFAULT; -E2BIG: the caller uses fields that the module does not know.
 */
int knc_copy_in(void *to, size_t ksize, const void __user *from,
		unsigned int cmd)
{
	return copy_struct_from_user(to, ksize, from, _IOC_SIZE(cmd));
}

/* Copies back only the fields that the caller knows, by the size of its struct */
int knc_copy_out(void __user *to, const void *from, size_t ksize,
		 unsigned int cmd)
{
	size_t size = min_t(size_t, ksize, _IOC_SIZE(cmd));

	return copy_to_user(to, from, size) ? -EFAULT : 0;
}

/* As knc_copy_out(), without handling page faults: -EFAULT if a page is not present */
int knc_copy_out_nofault(void __user *to, const void *from, size_t ksize,
			 unsigned int cmd)
{
	return knc_compat_put_nofault(to, from, min_t(size_t, ksize, _IOC_SIZE(cmd)));
}

/* Refuses entries of 0 bytes, and of more than a page */
int knc_copy_list_init(struct knc_copy_list *out, const struct knc_pmu_list *list)
{
	if (list->nr && !list->size)
		return -EINVAL;
	if (list->size > PAGE_SIZE)
		return -E2BIG;
	out->to = (void __user *)(unsigned long)list->entries;
	out->nr = list->nr;
	out->size = list->size;
	return 0;
}

/**
 * knc_copy_list_put() - write one entry of a list, if there is room
 * @out: the caller's array
 * @i: index of the entry
 * @entry: the entry
 * @ksize: bytes of @entry; the rest of a larger entry of the caller's is set to 0
 *
 * Return: 0, or -EFAULT.
 */
int knc_copy_list_put(const struct knc_copy_list *out, unsigned int i,
		      const void *entry, size_t ksize)
{
	void __user *to = out->to + (u64)i * out->size;
	size_t size = min_t(size_t, ksize, out->size);

	if (i >= out->nr)
		return 0;
	if (copy_to_user(to, entry, size) ||
	    clear_user(to + size, out->size - size))
		return -EFAULT;
	return 0;
}
