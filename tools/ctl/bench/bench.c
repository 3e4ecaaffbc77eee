// SPDX-License-Identifier: GPL-2.0
/* knc-pmuctl bench: the cost of the device's operations on this machine */
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/bench.h"
#include "cli/device.h"
#include "cli/memory.h"
#include "cli/options.h"
#include "cli/terminal.h"

static const char * const usage[] = {
	"usage: knc-pmuctl bench [-C CPU] [-x SEP | --json]",
	"",
	"Measures what the operations of /dev/knc_pmu cost on one hardware thread of this",
	"machine: READ, START + STOP, CONFIG to close, a reading in ring 3, an overflow with a",
	"sample, a context switch. Prints the minimum and the median of many runs, in ticks of",
	"the time stamp counter. What this user may not do is shown as refused, with the reason.",
	"It takes half a minute, at most one, and leaves every register as it was.",
	NULL
};

#define ANY_CPU	KNC_PMU_MAX_CPUS

/**
 * struct bench_opts - the command line
 * @cpu: the CPU, or ANY_CPU
 * @csv: the separator of CSV; NULL: no CSV
 * @json: print JSON
 */
static struct bench_opts {
	unsigned int cpu;
	const char *csv;
	int json;
} want = { .cpu = ANY_CPU };

static const struct opt options[] = {
	{ 'C', "cpu", "CPU", WHOLE(&want.cpu, "CPU", 0, KNC_PMU_MAX_CPUS - 1),
	  "measure on this CPU (default: the first that it may run on)" },
	CSV_OPTION(&want.csv),
	{ 'j', "json", NULL, FLAG(&want.json),
	  "print JSON, with all about the machine that explains the figures (schema "
	  "knc-pmuctl-bench/1)" },
	END_OF_OPTIONS
};

/* The longest time for one row, ms */
#define ROW_TIME	1000

/* The first CPU that this program may run on */
static unsigned int first_allowed(void)
{
	cpu_set_t set;
	unsigned int cpu;

	if (sched_getaffinity(0, sizeof(set), &set))
		return 0;
	for (cpu = 0; cpu < CPU_SETSIZE && !CPU_ISSET(cpu, &set); cpu++)
		;
	return cpu;
}

/* Stay on one CPU during the whole run, so that all figures are of one hardware thread */
static int stay_on(unsigned int cpu)
{
	cpu_set_t *set = CPU_ALLOC(KNC_PMU_MAX_CPUS);
	size_t size = CPU_ALLOC_SIZE(KNC_PMU_MAX_CPUS);
	int error;

	if (!set)
		return complain("out of memory");
	CPU_ZERO_S(size, set);
	CPU_SET_S(cpu, size, set);
	error = sched_setaffinity(0, size, set) ? errno : 0;
	CPU_FREE(set);
	if (!error)
		return 0;
	return complain("can't run on CPU %u: %s; choose another one with -C", cpu,
			strerror(error));
}

/* Add the operations of @scope (NULL: context switches), with samples only if @samples is set */
static void add_rows(struct bench *b, const struct scope *scope, unsigned int samples)
{
	unsigned int kind = scope ? scope == &own_task ? OF_TASK : OF_THREAD : OF_SWITCH;
	unsigned int sizes[MAX_SIZES], nr, i;
	const struct operation *op;

	for (op = operations; op->name; op++) {
		if (!(op->kind & kind) || (op->kind & OF_SAMPLES) != samples)
			continue;
		nr = operation_sizes(op, sizes);
		for (i = 0; i < nr; i++) {
			b->rows[b->nr].op = op;
			b->rows[b->nr].scope = scope ? scope : &own_task;
			b->rows[b->nr++].nr = sizes[i];
		}
	}
}

static char *refusal(void)
{
	const struct kncpmu_failure *failure = session_failure();
	struct kncpmu_error err = {
		"no sample came within the measured loops: interrupts hit all of them; try again, on another CPU",
	};
	char *text;

	if (failure->op != KNCPMU_OP_READ || failure->error != -ENODATA)
		kncpmu_explain(failure, &err);
	text = strdup(err.text);
	if (!text)
		out_of_memory();
	return text;
}

static void say_progress(const struct bench *b, unsigned int i)
{
	if (!terminal_escapes(stderr))
		return;
	if (i < b->nr)
		fprintf(stderr, "\r%u of %u: %s\033[K", i + 1, b->nr, b->rows[i].op->title);
	else
		fputs("\r\033[K", stderr);
}

/* Returns how many of the device's operations got a cost; "switch" is not one of them */
static unsigned int measure_rows(struct bench *b)
{
	unsigned int i, measured = 0;
	struct row *row;

	measure_limit((unsigned long long)b->info.tsc_khz * ROW_TIME);
	for (i = 0; i < b->nr; i++) {
		row = &b->rows[i];
		say_progress(b, i);
		if (operation_cost(row->op, row->scope, row->nr, b->cpu, &row->cost))
			row->refused = refusal();
		else if (row->op->work || !(row->op->kind & NO_SESSION))
			measured++;
	}
	say_progress(b, i);
	return measured;
}

static int bench(int fd, void *ctx)
{
	const struct bench_opts *opts = ctx;
	struct bench b = { .csv = opts->csv };
	unsigned int measured;
	int status;

	status = kncpmu_info(fd, &b.info);
	if (!status)
		status = operations_init(fd);
	if (status)
		return explain_op(KNCPMU_OP_INFO, status, 0);
	b.cpu = opts->cpu == ANY_CPU ? first_allowed() : opts->cpu;
	status = stay_on(b.cpu);
	if (status)
		return status;
	b.rows = xalloc(MAX_ROWS, sizeof(*b.rows));
	/*
	 * context switches first: hooks of other rows' sessions are removed late and would slow
	 * them down
	 */
	add_rows(&b, NULL, 0);
	add_rows(&b, &own_task, 0);
	add_rows(&b, &own_task, OF_SAMPLES);
	add_rows(&b, &own_thread, 0);
	add_rows(&b, &own_thread, OF_SAMPLES);
	measured = measure_rows(&b);
	if (opts->json)
		status = print_bench_json(&b);
	else if (opts->csv)
		print_bench_csv(&b);
	else
		print_bench(&b);
	free(b.rows);
	return status || measured ? status : CTL_FAILED;
}

static int run_bench(const struct command *cmd, int argc, char **argv)
{
	if (want.csv && want.json)
		return usage_error(cmd, "-x and --json exclude each other");
	return with_device(bench, &want);
}

const struct command bench_command = {
	.name = "bench",
	.summary = "what the operations of the device cost on this machine",
	.usage = usage,
	.options = options,
	.far = 1,
	.run = run_bench,
};
