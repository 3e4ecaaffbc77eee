// SPDX-License-Identifier: GPL-2.0
/* knc-pmuctl regs: the PMU registers of hardware threads, field by field */
#include <stdio.h>
#include <string.h>

#include "cli/cpus.h"
#include "cli/device.h"
#include "cli/json.h"
#include "cli/options.h"
#include "cmd/fields.h"
#include "cmd/query.h"

static struct kncpmu_cpus cpus;
static int given, json;

static const char * const usage[] = {
	"usage: knc-pmuctl regs [-C CPUS] [--json]",
	"",
	"Shows the PMU registers of hardware threads: each field with its name in Intel 327357, of",
	"hosts in Intel's software developer's manual, and events with their names. Changes nothing.",
	"Needs CAP_PERFMON.",
	NULL
};

static const struct opt options[] = {
	{ 'C', "cpu", "CPUS", CPUS(&cpus, &given),
	  "these hardware threads, for instance 0-3,8; default: all online" },
	JSON_OPTION(&json, "regs"),
	END_OF_OPTIONS
};

static unsigned long long field_value(const struct field *field,
				      unsigned long long value)
{
	return (value & field->mask) / (field->mask & -field->mask);
}

static int one_bit(unsigned long long mask)
{
	return !(mask & (mask - 1));
}

/* Width of the longest name, at least that of a card's longest */
static int name_width(const struct regs *regs)
{
	size_t width = strlen("IA32_PERF_GLOBAL_STATUS");
	const char *name;
	unsigned int i;

	for (i = 0; i < regs->nr; i++) {
		name = register_name(&regs->reg[i]);
		if (name && strlen(name) > width)
			width = strlen(name);
	}
	return width;
}

static void print_reg(const struct regs *regs, const struct knc_pmu_reg *reg, int width)
{
	const struct field *field = register_fields(reg);
	const char *name = register_event(reg);
	unsigned long long value = reg->value;
	int is_msr = reg->space == KNC_PMU_SPACE_MSR;
	char where[16];

	snprintf(where, sizeof(where), "0x%02x", reg->number);
	printf("  %-*s %-5s 0x%0*llx", width, register_name(reg),
	       is_msr ? where : "", reg->space == KNC_PMU_SPACE_APIC ? 8 : 16, value);
	if (!field)
		printf("  %llu", value);
	for (field = next_field(regs, field); field; field = next_field(regs, field + 1))
		printf(one_bit(field->mask) ? "  %s=%llu" : "  %s=0x%02llx", field->name,
		       field_value(field, value));
	if (name)
		printf("  (%s)", name);
	putchar('\n');
}

static json_t *reg_json(const struct regs *regs, const struct knc_pmu_reg *reg)
{
	json_t *object = json_object(), *fields;
	const struct field *field = register_fields(reg);
	const char *name = register_event(reg);
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
	for (field = next_field(regs, field); field; field = next_field(regs, field + 1))
		json_object_set_new(fields, field->name,
				    json_integer(field_value(field, reg->value)));
	json_object_set_new(object, "fields", fields);
	return object;
}

static void print_regs(unsigned int cpu, const struct regs *regs)
{
	int width = name_width(regs);
	unsigned int i;

	printf("CPU %u\n", cpu);
	for (i = 0; i < regs->nr; i++)
		if (register_name(&regs->reg[i]))
			print_reg(regs, &regs->reg[i], width);
}

static json_t *regs_json(unsigned int cpu, const struct regs *regs)
{
	json_t *object = json_object();
	const char *name;
	unsigned int i;

	json_object_set_new(object, "cpu", json_integer(cpu));
	for (i = 0; i < regs->nr; i++) {
		name = register_name(&regs->reg[i]);
		if (name)
			json_object_set_new(object, name, reg_json(regs, &regs->reg[i]));
	}
	return object;
}

static int show_all(int fd, void *ctx)
{
	json_t *array = json_array();
	struct regs regs;
	unsigned int cpu;
	int nr;

	for (cpu = first_cpu(&cpus); cpu < KNC_PMU_MAX_CPUS; cpu = next_cpu(&cpus, cpu)) {
		nr = kncpmu_regs(fd, cpu, regs.reg, ARRAY_SIZE(regs.reg));
		if (nr < 0) {
			json_decref(array);
			return explain_op(KNCPMU_OP_REGS, nr, cpu);
		}
		regs.nr = nr < (int)ARRAY_SIZE(regs.reg) ? (unsigned int)nr : ARRAY_SIZE(regs.reg);
		if (json)
			json_array_append_new(array, regs_json(cpu, &regs));
		else
			print_regs(cpu, &regs);
	}
	if (json)
		return print_json(stdout, json_pack("{s:s, s:o}", "schema",
						    "knc-pmuctl-regs/1", "cpus", array),
				  JSON_INDENT(1));
	json_decref(array);
	return CTL_OK;
}

static int run_regs(const struct command *cmd, int argc, char **argv)
{
	if (!given && online_cpus(&cpus))
		return CTL_FAILED;
	return with_device(show_all, NULL);
}

const struct command regs_command = {
	.name = "regs",
	.summary = "the PMU registers, field by field",
	.usage = usage,
	.options = options,
	.far = 1,
	.run = run_regs,
};
