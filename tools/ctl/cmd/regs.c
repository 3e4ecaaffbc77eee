// SPDX-License-Identifier: GPL-2.0
/* knc-pmuctl regs: the PMU registers of hardware threads, field by field */
#include <stdio.h>
#include <string.h>

#include <knc/arch_registers.h>
#include <knc/registers.h>

#include "cli/cpus.h"
#include "cli/device.h"
#include "cli/json.h"
#include "cli/options.h"
#include "cmd/query.h"

/**
 * struct regs_opts - the command line
 * @cpus: hardware threads
 * @given: -C was given
 * @json: print JSON
 */
struct regs_opts {
	struct kncpmu_cpus cpus;
	int given;
	int json;
};

/**
 * struct field - a part of a register
 * @name: its name in 327357
 * @mask: its bits
 */
struct field {
	const char *name;
	unsigned long long mask;
};

/**
 * struct name - the name of a register
 * @space: enum knc_pmu_space
 * @number: its number there
 * @name: its name in 327357
 */
struct name {
	unsigned int space;
	unsigned int number;
	const char *name;
};

static const struct name names[] = {
#define NAME(_space, _number, _name) { KNC_PMU_SPACE_##_space, _number, _name },
	KNC_REGISTERS(NAME)
	ARCH_REGISTERS(NAME)
};

/**
 * struct parts - the fields of a register
 * @space: enum knc_pmu_space
 * @number: its number there
 * @fields: the fields, up to one without a name
 */
struct parts {
	unsigned int space;
	unsigned int number;
	const struct field *fields;
};

static const struct field evtsel_fields[] = {
	{ "event", KNC_EVTSEL_EVENT },
	{ "umask", KNC_EVTSEL_UMASK },
	{ "USR", KNC_EVTSEL_USR },
	{ "OS", KNC_EVTSEL_OS },
	{ "E", KNC_EVTSEL_EDGE },
	{ "INT", KNC_EVTSEL_INT },
	{ "thread_mode", KNC_EVTSEL_THREAD_MODE },
	{ "EN", KNC_EVTSEL_EN },
	{ "INV", KNC_EVTSEL_INV },
	{ "CMASK", KNC_EVTSEL_CMASK },
	{ NULL, 0 }
};

static const struct field spflt_fields[] = {
	{ "USER_PREF", KNC_SPFLT_USER_PREF },
	{ "cntr0", KNC_SPFLT_CNTR(0) },
	{ "cntr1", KNC_SPFLT_CNTR(1) },
	{ NULL, 0 }
};

static const struct field status_fields[] = {
	{ "overflow0", KNC_GLOBAL_CNTR(0) },
	{ "overflow1", KNC_GLOBAL_CNTR(1) },
	{ NULL, 0 }
};

static const struct field ctrl_fields[] = {
	{ "enable0", KNC_GLOBAL_CNTR(0) },
	{ "enable1", KNC_GLOBAL_CNTR(1) },
	{ NULL, 0 }
};

/* An LVT entry of the local APIC: 7:0 vector, 10:8 delivery mode, 12 pending, 16 mask */
static const struct field lvtpc_fields[] = {
	{ "vector", 0xff },
	{ "delivery_mode", 0x700 },
	{ "pending", 0x1000 },
	{ "masked", KNC_APIC_LVT_MASKED },
	{ NULL, 0 }
};

static const struct field cr4_fields[] = {
	{ "PCE", KNC_CR4_PCE },
	{ NULL, 0 }
};

static const struct parts parts[] = {
	{ KNC_PMU_SPACE_MSR, KNC_IA32_PERFEVTSEL0, evtsel_fields },
	{ KNC_PMU_SPACE_MSR, KNC_IA32_PERFEVTSEL1, evtsel_fields },
	{ KNC_PMU_SPACE_MSR, KNC_IA32_PERF_GLOBAL_CTRL, ctrl_fields },
	{ KNC_PMU_SPACE_MSR, KNC_IA32_PERF_GLOBAL_STATUS, status_fields },
	{ KNC_PMU_SPACE_MSR, KNC_PERF_SPFLT_CONTROL, spflt_fields },
	{ KNC_PMU_SPACE_APIC, KNC_APIC_LVTPC, lvtpc_fields },
	{ KNC_PMU_SPACE_CR, KNC_CR4, cr4_fields },
};

static const char * const usage[] = {
	"usage: knc-pmuctl regs [-C CPUS] [--json]",
	"",
	"Shows the PMU registers of hardware threads: each field with its name in Intel 327357,",
	"and events with their names. Changes nothing. Needs CAP_PERFMON.",
	"",
	"  -C CPUS         these hardware threads, for instance 0-3,8; default: all online",
	"  --json          print JSON for programs (schema knc-pmuctl-regs/1, see knc-pmuctl(1))",
	NULL
};

static const struct option options[] = {
	{ "cpu", required_argument, NULL, 'C' },
	{ "json", no_argument, NULL, OPT_JSON },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 }
};

static int take_option(const struct command *cmd, void *ctx, int opt,
		       const char *arg)
{
	struct regs_opts *opts = ctx;

	if (opt == OPT_JSON) {
		opts->json = 1;
		return 0;
	}
	return take_cpus(cmd, opt, arg, &opts->cpus, &opts->given);
}

/* The name of a register; NULL: this program does not know it */
static const char *name_of(const struct knc_pmu_reg *reg)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		if (names[i].space == reg->space && names[i].number == reg->number)
			return names[i].name;
	return NULL;
}

/* The fields of a register; NULL: it has none, it is a number */
static const struct field *fields_of(const struct knc_pmu_reg *reg)
{
	unsigned int i;

	if (reg->space == KNC_PMU_SPACE_MSR &&
	    reg->number - ARCH_IA32_PERFEVTSEL0 < ARCH_MAX_GENERAL)
		return evtsel_fields;

	for (i = 0; i < ARRAY_SIZE(parts); i++)
		if (parts[i].space == reg->space && parts[i].number == reg->number)
			return parts[i].fields;
	return NULL;
}

static unsigned long long field_value(const struct field *field,
				      unsigned long long value)
{
	return (value & field->mask) / (field->mask & -field->mask);
}

/* The name of the selected event; NULL: nothing is selected or it has none */
static const char *event_name(const struct knc_pmu_reg *reg)
{
	const struct kncpmu_event_desc *desc;

	if (fields_of(reg) != evtsel_fields || !(reg->value & KNC_EVTSEL_EN))
		return NULL;
	desc = kncpmu_event_by_code(reg->value & KNC_EVTSEL_EVENT,
				    (reg->value & KNC_EVTSEL_UMASK) >> KNC_EVTSEL_UMASK_SHIFT);
	return desc ? desc->name : NULL;
}

static int one_bit(unsigned long long mask)
{
	return !(mask & (mask - 1));
}

static void print_reg(const struct knc_pmu_reg *reg)
{
	const struct field *field = fields_of(reg);
	const char *name = event_name(reg);
	unsigned long long value = reg->value;
	int is_msr = reg->space == KNC_PMU_SPACE_MSR;
	char where[16];

	snprintf(where, sizeof(where), "0x%02x", reg->number);
	printf("  %-24s%-6s0x%0*llx", name_of(reg), is_msr ? where : "",
	       reg->space == KNC_PMU_SPACE_APIC ? 8 : 16, value);
	if (!field)
		printf("  %llu", value);
	for (; field && field->name; field++)
		printf(one_bit(field->mask) ? "  %s=%llu" : "  %s=0x%02llx", field->name,
		       field_value(field, value));
	if (name)
		printf("  (%s)", name);
	putchar('\n');
}

static json_t *reg_json(const struct knc_pmu_reg *reg)
{
	json_t *object = json_object(), *fields;
	const struct field *field = fields_of(reg);
	const char *name = event_name(reg);
	char hex[20];

	snprintf(hex, sizeof(hex), "0x%llx", (unsigned long long)reg->value);
	json_object_set_new(object, "value", json_string(hex));
	if (reg->space == KNC_PMU_SPACE_MSR)
		json_object_set_new(object, "msr", json_integer(reg->number));
	if (name)
		json_object_set_new(object, "event_name", json_string(name));
	if (!field)
		return object;
	fields = json_object();
	for (; field->name; field++)
		json_object_set_new(fields, field->name,
				    json_integer(field_value(field, reg->value)));
	json_object_set_new(object, "fields", fields);
	return object;
}

static void print_regs(unsigned int cpu, const struct knc_pmu_reg *regs, unsigned int nr)
{
	unsigned int i;

	printf("CPU %u\n", cpu);
	for (i = 0; i < nr; i++)
		if (name_of(&regs[i]))
			print_reg(&regs[i]);
}

static json_t *regs_json(unsigned int cpu, const struct knc_pmu_reg *regs, unsigned int nr)
{
	json_t *object = json_object();
	unsigned int i;

	json_object_set_new(object, "cpu", json_integer(cpu));
	for (i = 0; i < nr; i++)
		if (name_of(&regs[i]))
			json_object_set_new(object, name_of(&regs[i]), reg_json(&regs[i]));
	return object;
}

static int show_all(int fd, void *ctx)
{
	struct knc_pmu_reg regs[MAX_REGISTERS];
	const struct regs_opts *opts = ctx;
	json_t *array = json_array();
	unsigned int cpu;
	int nr;

	for (cpu = first_cpu(&opts->cpus); cpu < KNC_PMU_MAX_CPUS;
	     cpu = next_cpu(&opts->cpus, cpu)) {
		nr = kncpmu_regs(fd, cpu, regs, ARRAY_SIZE(regs));
		if (nr < 0) {
			json_decref(array);
			return explain_op(KNCPMU_OP_REGS, nr, cpu);
		}
		if (nr > (int)ARRAY_SIZE(regs))
			nr = ARRAY_SIZE(regs);
		if (opts->json)
			json_array_append_new(array, regs_json(cpu, regs, nr));
		else
			print_regs(cpu, regs, nr);
	}
	if (opts->json)
		return print_json(stdout, json_pack("{s:s, s:o}", "schema",
						    "knc-pmuctl-regs/1", "cpus", array),
				  JSON_INDENT(1));
	json_decref(array);
	return CTL_OK;
}

static int run_regs(const struct command *cmd, int argc, char **argv)
{
	struct regs_opts opts = { .given = 0 };
	int status;

	if (parse_only_options(cmd, argc, argv, take_option, &opts, &status))
		return status;
	if (!opts.given && online_cpus(&opts.cpus))
		return CTL_FAILED;
	return with_device(show_all, &opts);
}

const struct command regs_command = {
	.name = "regs",
	.summary = "the PMU registers, field by field",
	.usage = usage,
	.longs = options,
	.run = run_regs,
};
