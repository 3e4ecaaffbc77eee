/* SPDX-License-Identifier: GPL-2.0 */
/* Symbols of the kernel */
#ifndef KNC_CTL_KERNEL_SYMS_H
#define KNC_CTL_KERNEL_SYMS_H

#include "profile/data-file.h"
#include "profile/symtab.h"

/**
 * struct kernel_module - a module that was loaded for a part of the recording
 * @name: its name in brackets
 * @start: first address
 * @end: last address + 1
 * @from: earliest time at which it may have been loaded, CLOCK_MONOTONIC
 * @to: latest time at which it may have been loaded
 * @reach: the highest @end of this one and those before it
 * @table: its functions
 */
struct kernel_module {
	const char *name;
	unsigned long long start;
	unsigned long long end;
	unsigned long long from;
	unsigned long long to;
	unsigned long long reach;
	struct symtab table;
};

/**
 * struct kernel_functions - functions of the kernel
 * @always: those that were there all the time. One without a name: nothing is known there
 * @modules: the modules of the others, by ascending address
 * @nr: number of @modules
 * @room: elements of @modules
 */
struct kernel_functions {
	struct symtab always;
	struct kernel_module *modules;
	size_t nr;
	size_t room;
};

/* Read the kernel's symbols from the recording with this index, as in data-file.h */
void kernel_functions_read(struct kernel_functions *k, const struct data_file *f,
			   size_t rank_index);
/* Read those of several recordings of one kernel: add each, then join */
void kernel_functions_add(struct kernel_functions *k, const struct data_file *f,
			  size_t rank_index);
void kernel_functions_join(struct kernel_functions *k);
void kernel_functions_free(struct kernel_functions *k);
/*
 * The function of an address at a time, or NULL, and its module in brackets, NULL for the kernel
 * itself. Clears @for_good if the answer may differ at another time.
 */
struct symbol *kernel_functions_find(const struct kernel_functions *k, unsigned long long addr,
				     unsigned long long time, const char **module,
				     int *for_good);

#endif /* KNC_CTL_KERNEL_SYMS_H */
