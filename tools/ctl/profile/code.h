/* SPDX-License-Identifier: GPL-2.0 */
/* JIT code: functions that processes made at run time */
#ifndef KNC_CTL_CODE_H
#define KNC_CTL_CODE_H

#include "profile/data-file.h"
#include "profile/elf-file.h"

/**
 * struct code - a function that a process has made
 * @pid: the process
 * @order: its position in the file
 * @time: when it was made, CLOCK_MONOTONIC, ns; 0: not known, it is valid at any time
 * @reach: the highest end of the functions of this process up to this one
 * @symbol: its name and addresses
 */
struct code {
	unsigned int pid;
	size_t order;
	unsigned long long time;
	unsigned long long reach;
	struct symbol symbol;
};

/**
 * struct codes - the functions of a recording
 * @all: sorted by process and address
 * @nr: number of functions
 */
struct codes {
	struct code *all;
	size_t nr;
};

void codes_read(struct codes *codes, const struct data_file *f);
void codes_free(struct codes *codes);
/* Did this process make functions at run time? */
int codes_of(const struct codes *codes, unsigned int pid);
/*
 * The function at an address at a time, or NULL. Clears *@for_good if another time may have another
 */
struct symbol *codes_find(const struct codes *codes, unsigned int pid, unsigned long long addr,
			  unsigned long long time, int *for_good);

#endif /* KNC_CTL_CODE_H */
