/* SPDX-License-Identifier: GPL-2.0 */
/* The kernel's modules */
#ifndef KNC_CTL_MODULES_H
#define KNC_CTL_MODULES_H

#define MODULE_NAME	64	/* the kernel refuses longer names */

/**
 * struct module_place - where a module is
 * @name: its name
 * @start: first address of its code
 * @end: where its memory ends; too high since Linux 6.4, whose size includes data that is elsewhere
 * @leaves: the module is being removed
 */
struct module_place {
	char name[MODULE_NAME];
	unsigned long long start;
	unsigned long long end;
	int leaves;
};

/*
 * Call @fn for each line of /proc/modules that has an address: without permission the kernel shows
 * zeros. Returns 0, or -1 if there is no such file: this kernel has no modules.
 */
int each_module(void (*fn)(void *ctx, const struct module_place *place), void *ctx);

#endif /* KNC_CTL_MODULES_H */
