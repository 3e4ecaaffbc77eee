// SPDX-License-Identifier: GPL-2.0
/* knc-pmuctl regs: the PMU registers of hardware threads, field by field */
#include <stdio.h>
#include <string.h>

#include <knc/regs.h>

#include "cli/cpus.h"
#include "cli/device.h"
#include "cli/json.h"
#include "cli/options.h"

/**
 * struct regs_opts - which registers, and how
 * @cpus: hardware threads
 * @given: they were named
 * @json: as JSON
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
 * struct reg - a register
 * @name: its name in 327357
 * @msr: the MSR number; 0: none
 * @offset: of its value in struct knc_pmu_regs
 * @size: bytes there
 * @evtsel: it selects an event
 * @fields: its fields, ends without a name; NULL: it is one number
 */
struct reg {
	const char *name;
	unsigned int msr;
	size_t offset;
	size_t size;
	int evtsel;
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

/* as the local APIC has it: 7:0 vector, 10:8 delivery mode, 12 pending, 16 mask */
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

#define REG(_name, _msr, _member, _size, _evtsel, _fields)		\
	{								\
		.name = _name,						\
		.msr = _msr,						\
		.offset = offsetof(struct knc_pmu_regs, _member),	\
		.size = _size,						\
		.evtsel = _evtsel,					\
		.fields = _fields,					\
	}

static const struct reg registers[] = {
	REG("IA32_PerfEvtSel0", KNC_IA32_PERFEVTSEL0, perfevtsel[0], 8, 1, evtsel_fields),
	REG("IA32_PerfEvtSel1", KNC_IA32_PERFEVTSEL1, perfevtsel[1], 8, 1, evtsel_fields),
	REG("IA32_PerfCntr0", KNC_IA32_PERFCNTR0, perfcntr[0], 8, 0, NULL),
	REG("IA32_PerfCntr1", KNC_IA32_PERFCNTR1, perfcntr[1], 8, 0, NULL),
	REG("IA32_PERF_GLOBAL_CTRL", KNC_IA32_PERF_GLOBAL_CTRL, global_ctrl, 8, 0,
	    ctrl_fields),
	REG("IA32_PERF_GLOBAL_STATUS", KNC_IA32_PERF_GLOBAL_STATUS, global_status, 8, 0,
	    status_fields),
	REG("PERF_SPFLT_CONTROL", KNC_PERF_SPFLT_CONTROL, spflt_control, 8, 0, spflt_fields),
	REG("IA32_TIME_STAMP_COUNTER", KNC_IA32_TIME_STAMP_COUNTER, tsc, 8, 0, NULL),
	REG("LVT_PERF_COUNTER", 0, lvtpc, 4, 0, lvtpc_fields),
	REG("CR4", 0, cr4, 8, 0, cr4_fields),
};

static const char * const usage[] = {
	"usage: knc-pmuctl regs [-C CPUS] [--json]",
	"",
	"Shows the PMU registers of hardware threads, every field by its name in Intel",
	"327357, and event codes by their names. Reads only; needs CAP_PERFMON.",
	"",
	"  -C CPUS         these hardware threads, for instance 0-3,8; default: all online",
	"  --json          for programs (schema knc-pmuctl-regs/1, see knc-pmuctl(1))",
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

static unsigned long long reg_value(const struct reg *reg,
				    const struct knc_pmu_regs *regs)
{
	const char *at = (const char *)regs + reg->offset;
	__u32 narrow;
	__u64 wide;

	if (reg->size == sizeof(narrow)) {
		memcpy(&narrow, at, sizeof(narrow));
		return narrow;
	}
	memcpy(&wide, at, sizeof(wide));
	return wide;
}

static unsigned long long field_value(const struct field *field,
				      unsigned long long value)
{
	return (value & field->mask) / (field->mask & -field->mask);
}

/* The name of the selected event; NULL: nothing is selected or it has none */
static const char *event_name(const struct reg *reg, unsigned long long value)
{
	const struct kncpmu_event_desc *desc;

	if (!reg->evtsel || !(value & KNC_EVTSEL_EN))
		return NULL;
	desc = kncpmu_event_by_code(value & KNC_EVTSEL_EVENT,
				    (value & KNC_EVTSEL_UMASK) >> KNC_EVTSEL_UMASK_SHIFT);
	return desc ? desc->name : NULL;
}

static int one_bit(unsigned long long mask)
{
	return !(mask & (mask - 1));
}

static void print_reg(const struct reg *reg, unsigned long long value)
{
	const struct field *field;
	const char *name = event_name(reg, value);
	char where[16];

	snprintf(where, sizeof(where), "0x%02x", reg->msr);
	printf("  %-24s%-6s0x%0*llx", reg->name, reg->msr ? where : "",
	       reg->size == sizeof(__u32) ? 8 : 16, value);
	if (!reg->fields)
		printf("  %llu", value);
	for (field = reg->fields; field && field->name; field++)
		printf(one_bit(field->mask) ? "  %s=%llu" : "  %s=0x%02llx", field->name,
		       field_value(field, value));
	if (name)
		printf("  (%s)", name);
	putchar('\n');
}

static json_t *reg_json(const struct reg *reg, unsigned long long value)
{
	json_t *object = json_object(), *fields;
	const struct field *field;
	const char *name = event_name(reg, value);
	char hex[20];

	snprintf(hex, sizeof(hex), "0x%llx", value);
	json_object_set_new(object, "value", json_string(hex));
	if (reg->msr)
		json_object_set_new(object, "msr", json_integer(reg->msr));
	if (name)
		json_object_set_new(object, "event_name", json_string(name));
	if (!reg->fields)
		return object;
	fields = json_object();
	for (field = reg->fields; field->name; field++)
		json_object_set_new(fields, field->name,
				    json_integer(field_value(field, value)));
	json_object_set_new(object, "fields", fields);
	return object;
}

static void print_regs(const struct knc_pmu_regs *regs)
{
	unsigned int i;

	printf("CPU %u\n", regs->cpu);
	for (i = 0; i < ARRAY_SIZE(registers); i++)
		print_reg(&registers[i], reg_value(&registers[i], regs));
}

static json_t *regs_json(const struct knc_pmu_regs *regs)
{
	json_t *object = json_object();
	unsigned int i;

	json_object_set_new(object, "cpu", json_integer(regs->cpu));
	for (i = 0; i < ARRAY_SIZE(registers); i++)
		json_object_set_new(object, registers[i].name,
				    reg_json(&registers[i], reg_value(&registers[i], regs)));
	return object;
}

static int show_all(int fd, void *ctx)
{
	const struct regs_opts *opts = ctx;
	json_t *array = json_array();
	struct knc_pmu_regs regs;
	unsigned int cpu;
	int ret;

	for (cpu = first_cpu(&opts->cpus); cpu < KNC_PMU_MAX_CPUS;
	     cpu = next_cpu(&opts->cpus, cpu)) {
		ret = kncpmu_regs(fd, cpu, &regs);
		if (ret) {
			json_decref(array);
			return explain_op(KNCPMU_OP_REGS, ret, cpu);
		}
		if (opts->json)
			json_array_append_new(array, regs_json(&regs));
		else
			print_regs(&regs);
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
	.shorts = ":hC:",
	.longs = options,
	.run = run_regs,
};
