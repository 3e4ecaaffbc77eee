// SPDX-License-Identifier: GPL-2.0
/* The output of knc-pmuctl bench: as a table, as CSV and as JSON */
#include <cpuid.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include <knc/regs.h>
#include <card.h>
#include <kernel-file.h>

#include "bench/bench.h"
#include "cli/json.h"
#include "cli/pmu.h"

#define MODULE_DIR	"/sys/module/knc_pmu"
#define TITLE		38	/* columns */

/* struct machine - the machine that was measured, as text */
struct machine {
	struct utsname name;
	struct kncpmu_cpu cpu;
	unsigned int stepping;
	struct kncpmu_card card;
	char module[64];
	char pmi[16];
};

static void read_machine(struct machine *m)
{
	unsigned int unused;

	memset(m, 0, sizeof(*m));
	uname(&m->name);
	if (__get_cpuid(1, &m->stepping, &unused, &unused, &unused))
		m->stepping &= 15;
	kncpmu_cpu_read(&m->cpu);
	kncpmu_card_read(own_pmu(), &m->card);
	kncpmu_read_line(MODULE_DIR "/version", m->module, sizeof(m->module));
	kncpmu_read_line(MODULE_DIR "/parameters/pmi", m->pmi, sizeof(m->pmi));
}

static const char *card_text(const struct machine *m)
{
	if (!m->card.emulated)
		return "card";
	if (m->card.real_time)
		return "emulated card";
	return m->card.instructions ? "emulated card, a tick is an instruction" :
				      "emulated card, a tick is a cycle of its model";
}

static void print_machine(const struct bench *b)
{
	struct machine m;

	read_machine(&m);
	printf("machine  %s, family %u model %u stepping %u, CPU %u of %u\n", card_text(&m),
	       m.cpu.family, m.cpu.model, m.stepping, b->cpu, b->info.nr_online);
	printf("kernel   %s %s\n", intern_text(m.name.sysname), intern_text(m.name.release));
	printf("module   %s, pmi=%s; tool %s\n", *m.module ? intern_text(m.module) : "unknown",
	       *m.pmi ? intern_text(m.pmi) : "unknown", kncpmu_version());
	printf("ticks    of the time stamp counter, %u kHz: %.3f ns each\n", b->info.tsc_khz,
	       b->info.tsc_khz ? 1e6 / b->info.tsc_khz : 0);
}

/* The heading of the table's part that contains this row */
static const char *part_of(const struct row *row)
{
	if (row->op->kind & OF_SWITCH)
		return "context switch, of two tasks that wake each other";
	if (row->op->kind & OF_SAMPLES)
		return row->scope == &own_task ? "overflow, own task" :
						 "overflow, hardware thread";
	return row->scope == &own_task ? "own task, user mode" : "hardware thread, all modes";
}

static const char *events_text(unsigned int nr)
{
	static char text[16];

	snprintf(text, sizeof(text), "%u event%s", nr, nr == 1 ? "" : "s");
	return nr ? text : "";
}

/* The number of a reason; equal reasons share one. *@first: is the row the first with it? */
static unsigned int reason_number(const struct bench *b, const struct row *row, int *first)
{
	const char *reasons[MAX_ROWS];
	unsigned int i, k, nr = 0;

	for (i = 0; &b->rows[i] <= row; i++) {
		if (!b->rows[i].refused)
			continue;
		for (k = 0; k < nr && strcmp(reasons[k], b->rows[i].refused); k++)
			;
		*first = k == nr;
		if (*first)
			reasons[nr++] = b->rows[i].refused;
		if (&b->rows[i] == row)
			return k + 1;
	}
	return 0;
}

static void print_row(const struct bench *b, const struct row *row)
{
	int first;

	printf("  %-*s%-9s", TITLE, row->op->title, events_text(row->nr));
	if (row->refused)
		printf("   refused (%u)\n", reason_number(b, row, &first));
	else
		printf("%10lld %10lld\n", row->cost.least, row->cost.median);
}

void print_bench(const struct bench *b)
{
	unsigned int i;
	int first;

	print_machine(b);
	for (i = 0; i < b->nr; i++) {
		if (!i || strcmp(part_of(&b->rows[i]), part_of(&b->rows[i - 1])))
			printf("\n%-*s%10s %10s\n", TITLE + 11, part_of(&b->rows[i]), "minimum",
			       "median");
		print_row(b, &b->rows[i]);
	}
	for (i = 0; i < b->nr; i++) {
		unsigned int reason;

		reason = b->rows[i].refused ? reason_number(b, &b->rows[i], &first) : 0;
		if (reason && first)
			printf("%s(%u) %s\n", reason == 1 ? "\n" : "", reason, b->rows[i].refused);
	}
}

static void row_name(const struct row *row, char *name, size_t size)
{
	operation_name(row->op, row->scope, row->nr, name, size);
}

void print_bench_csv(const struct bench *b)
{
	const struct row *row;
	char name[64];

	for (row = b->rows; row < b->rows + b->nr; row++) {
		row_name(row, name, sizeof(name));
		if (row->refused)
			printf("%s%srefused%s%s%s%s%s\n", name, b->csv, b->csv, b->csv, "0", b->csv,
			       row->refused);
		else
			printf("%s%s%lld%s%lld%s%u\n", name, b->csv, row->cost.least, b->csv,
			       row->cost.median, b->csv, row->cost.runs);
	}
}

static json_t *row_json(const struct row *row)
{
	char name[64];

	row_name(row, name, sizeof(name));
	if (row->refused)
		return json_pack("{s:s, s:i, s:s}", "name", name, "events", row->nr,
				 "refused", row->refused);
	return json_pack("{s:s, s:i, s:I, s:I, s:i}", "name", name, "events", row->nr,
			 "minimum", (json_int_t)row->cost.least,
			 "median", (json_int_t)row->cost.median, "runs", row->cost.runs);
}

static json_t *machine_json(const struct bench *b)
{
	struct machine m;

	read_machine(&m);
	return json_pack("{s:o, s:o, s:i, s:i, s:i, s:b, s:b, s:i, s:i, s:i, s:o, s:o, s:s}",
			 "kernel", text_json(m.name.release), "architecture",
			 text_json(m.name.machine), "family", m.cpu.family, "model", m.cpu.model,
			 "stepping", m.stepping, "emulated", m.card.emulated,
			 "ticks_are_instructions", m.card.instructions,
			 "cpu", b->cpu, "cpus_online", b->info.nr_online,
			 "tsc_khz", b->info.tsc_khz, "module", text_json(m.module),
			 "pmi", text_json(m.pmi), "tool", kncpmu_version());
}

int print_bench_json(const struct bench *b)
{
	json_t *array = json_array();
	unsigned int i;

	for (i = 0; i < b->nr; i++)
		json_array_append_new(array, row_json(&b->rows[i]));
	return print_json(stdout, json_pack("{s:s, s:o, s:o}", "schema", "knc-pmuctl-bench/1",
					    "machine", machine_json(b), "costs", array),
			  JSON_INDENT(2));
}
