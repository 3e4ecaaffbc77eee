/* SPDX-License-Identifier: GPL-2.0 */
/*
 * knc-pmuctl bench: what it has measured, and how it is printed
 *
 *	bench.c		the command
 *	output.c	tables, CSV, JSON
 *	operations.c	what is measured, a table; tests/bench has it too
 *	measure.c	how: RDTSC before and after
 */
#ifndef KNC_CTL_BENCH_BENCH_H
#define KNC_CTL_BENCH_BENCH_H

#include <kncpmu.h>

#include "bench/operations.h"

/* Enough for all rows: an operation has several, for a task and for a hardware thread */
#define MAX_ROWS	128

/**
 * struct row - an operation, and what it cost
 * @op: the operation
 * @scope: whose events are measured
 * @nr: number of events
 * @cost: what it cost, if @refused is NULL
 * @refused: why it could not be measured
 */
struct row {
	const struct operation *op;
	const struct scope *scope;
	unsigned int nr;
	struct cost cost;
	char *refused;
};

/**
 * struct bench - all that is printed
 * @rows: the rows
 * @nr: their number
 * @cpu: where they were measured
 * @info: what the module says
 * @csv: the separator of columns; NULL: no CSV
 */
struct bench {
	struct row *rows;
	unsigned int nr;
	unsigned int cpu;
	struct knc_pmu_info info;
	const char *csv;
};

void print_bench(const struct bench *b);
void print_bench_csv(const struct bench *b);
int print_bench_json(const struct bench *b);

#endif /* KNC_CTL_BENCH_BENCH_H */
