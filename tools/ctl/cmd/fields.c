// SPDX-License-Identifier: GPL-2.0
/* The fields of registers, by name, of every PMU */
#include <stddef.h>

#include <knc/arch_registers.h>
#include <knc/registers.h>
#include <names.h>

#include "cli/array.h"
#include "cli/pmu.h"
#include "cmd/fields.h"

static const struct field evtsel_fields[] = {
	{ "event", KNC_EVTSEL_EVENT, 0 },
	{ "umask", KNC_EVTSEL_UMASK, 0 },
	{ "USR", KNC_EVTSEL_USR, 0 },
	{ "OS", KNC_EVTSEL_OS, 0 },
	{ "E", KNC_EVTSEL_EDGE, 0 },
	{ "INT", KNC_EVTSEL_INT, 0 },
	{ "thread_mode", KNC_EVTSEL_THREAD_MODE, 0 },
	{ "EN", KNC_EVTSEL_EN, 0 },
	{ "INV", KNC_EVTSEL_INV, 0 },
	{ "CMASK", KNC_EVTSEL_CMASK, 0 },
	{ NULL, 0, 0 }
};

static const struct field spflt_fields[] = {
	{ "USER_PREF", KNC_SPFLT_USER_PREF, 0 },
	{ "cntr0", KNC_SPFLT_CNTR(0), 0 },
	{ "cntr1", KNC_SPFLT_CNTR(1), 0 },
	{ NULL, 0, 0 }
};

static const struct field status_fields[] = {
	{ "overflow0", KNC_GLOBAL_CNTR(0), 0 },
	{ "overflow1", KNC_GLOBAL_CNTR(1), 0 },
	{ NULL, 0, 0 }
};

static const struct field ctrl_fields[] = {
	{ "enable0", KNC_GLOBAL_CNTR(0), 0 },
	{ "enable1", KNC_GLOBAL_CNTR(1), 0 },
	{ NULL, 0, 0 }
};

/* One bit for each counter of a host */
#define ARCH_PMC_FIELD(name, n)		{ name #n, 1ULL << (n), ARCH_IA32_PMC0 + (n) }
#define ARCH_FIXED_CTR_FIELD(name, n)					\
	{ name #n, 1ULL << (ARCH_FIXED + (n)), ARCH_IA32_FIXED_CTR0 + (n) }
#define ARCH_COUNTER_FIELDS(what)					\
	ARCH_PMC_FIELD(what "_PMC", 0), ARCH_PMC_FIELD(what "_PMC", 1),	\
	ARCH_PMC_FIELD(what "_PMC", 2), ARCH_PMC_FIELD(what "_PMC", 3),	\
	ARCH_PMC_FIELD(what "_PMC", 4), ARCH_PMC_FIELD(what "_PMC", 5),	\
	ARCH_PMC_FIELD(what "_PMC", 6), ARCH_PMC_FIELD(what "_PMC", 7),	\
	ARCH_FIXED_CTR_FIELD(what "_FIXED_CTR", 0),			\
	ARCH_FIXED_CTR_FIELD(what "_FIXED_CTR", 1),			\
	ARCH_FIXED_CTR_FIELD(what "_FIXED_CTR", 2)

static const struct field arch_ctrl_fields[] = {
	ARCH_COUNTER_FIELDS("EN"),
	{ NULL, 0, 0 }
};

static const struct field arch_status_fields[] = {
	ARCH_COUNTER_FIELDS("Ovf"),
	{ "OvfUncore", ARCH_STATUS_UNCORE, UNC_PERF_GLOBAL_CTRL },
	{ "OvfBuffer", ARCH_STATUS_BUFFER, 0 },
	{ "CondChgd", ARCH_STATUS_CHANGED, 0 },
	{ NULL, 0, 0 }
};

#define ARCH_FIXED_BITS(name, bits, n)					\
	{ name #n, (bits) << (n) * ARCH_FIXED_FIELD, ARCH_IA32_FIXED_CTR0 + (n) }
#define ARCH_FIXED_FIELDS(n)						\
	ARCH_FIXED_BITS("OS", ARCH_FIXED_OS, n), ARCH_FIXED_BITS("USR", ARCH_FIXED_USR, n), \
	ARCH_FIXED_BITS("AnyThread", ARCH_FIXED_ANYTHREAD, n),		\
	ARCH_FIXED_BITS("PMI", ARCH_FIXED_INT, n)

static const struct field fixed_ctrl_fields[] = {
	ARCH_FIXED_FIELDS(0),
	ARCH_FIXED_FIELDS(1),
	ARCH_FIXED_FIELDS(2),
	{ NULL, 0, 0 }
};

static const struct field offcore_fields[] = {
	{ "requests", WSM_OFFCORE_REQUESTS, 0 },
	{ "responses", WSM_OFFCORE_RESPONSES, 0 },
	{ NULL, 0, 0 }
};

/* The uncore of a package: its selects have no ring, and bit 17 is read as 0 */
static const struct field uncore_evtsel_fields[] = {
	{ "event", KNC_EVTSEL_EVENT, 0 },
	{ "umask", KNC_EVTSEL_UMASK, 0 },
	{ "OCC_CTR_RST", UNC_OCC_CTR_RST, 0 },
	{ "E", KNC_EVTSEL_EDGE, 0 },
	{ "PMI", KNC_EVTSEL_INT, 0 },
	{ "EN", KNC_EVTSEL_EN, 0 },
	{ "INV", KNC_EVTSEL_INV, 0 },
	{ "CMASK", KNC_EVTSEL_CMASK, 0 },
	{ NULL, 0, 0 }
};

#define UNC_PC_FIELDS(what)						\
	{ what "_PC0", UNC_EN_PC(0), 0 }, { what "_PC1", UNC_EN_PC(1), 0 }, \
	{ what "_PC2", UNC_EN_PC(2), 0 }, { what "_PC3", UNC_EN_PC(3), 0 }, \
	{ what "_PC4", UNC_EN_PC(4), 0 }, { what "_PC5", UNC_EN_PC(5), 0 }, \
	{ what "_PC6", UNC_EN_PC(6), 0 }, { what "_PC7", UNC_EN_PC(7), 0 }, \
	{ what "_FC0", UNC_EN_FC0, 0 }

static const struct field uncore_ctrl_fields[] = {
	UNC_PC_FIELDS("EN"),
	{ "EN_PMI_COREs", UNC_EN_PMI_ALL, 0 },
	{ "PMI_FRZ", UNC_PMI_FRZ, 0 },
	{ NULL, 0, 0 }
};

static const struct field uncore_status_fields[] = {
	UNC_PC_FIELDS("OVF"),
	{ "OVF_PMI", UNC_OVF_PMI, 0 },
	{ "CHG", UNC_CHG, 0 },
	{ NULL, 0, 0 }
};

static const struct field uncore_fixed_fields[] = {
	{ "EN", UNC_FIXED_EN, 0 },
	{ "PMI", UNC_FIXED_PMI, 0 },
	{ NULL, 0, 0 }
};

static const struct field qm_evtsel_fields[] = {
	{ "event", CMT_EVTSEL_EVENT, 0 },
	{ "RMID", CMT_EVTSEL_RMID, 0 },
	{ NULL, 0, 0 }
};

static const struct field pqr_fields[] = {
	{ "RMID", CMT_PQR_RMID, 0 },
	{ "COS", ~0ULL << CMT_PQR_CLASS_SHIFT, 0 },
	{ NULL, 0, 0 }
};

/* An LVT entry of the local APIC: 7:0 vector, 10:8 delivery mode, 12 pending, 16 mask */
static const struct field lvtpc_fields[] = {
	{ "vector", 0xff, 0 },
	{ "delivery_mode", 0x700, 0 },
	{ "pending", 0x1000, 0 },
	{ "masked", KNC_APIC_LVT_MASKED, 0 },
	{ NULL, 0, 0 }
};

static const struct field cr4_fields[] = {
	{ "PCE", KNC_CR4_PCE, 0 },
	{ NULL, 0, 0 }
};

/* Registers that have fields: @nr registers from number @number on */
static const struct {
	unsigned int space;
	unsigned int number;
	unsigned int nr;
	const struct field *fields;
} parts[] = {
	{ KNC_PMU_SPACE_MSR, KNC_IA32_PERFEVTSEL0, KNC_NR_COUNTERS, evtsel_fields },
	{ KNC_PMU_SPACE_MSR, KNC_IA32_PERF_GLOBAL_CTRL, 1, ctrl_fields },
	{ KNC_PMU_SPACE_MSR, KNC_IA32_PERF_GLOBAL_STATUS, 1, status_fields },
	{ KNC_PMU_SPACE_MSR, KNC_PERF_SPFLT_CONTROL, 1, spflt_fields },
	{ KNC_PMU_SPACE_APIC, KNC_APIC_LVTPC, 1, lvtpc_fields },
	{ KNC_PMU_SPACE_CR, KNC_CR4, 1, cr4_fields },
	{ KNC_PMU_SPACE_MSR, ARCH_IA32_PERFEVTSEL0, ARCH_MAX_GENERAL, evtsel_fields },
	{ KNC_PMU_SPACE_MSR, ARCH_IA32_PERF_GLOBAL_CTRL, 1, arch_ctrl_fields },
	{ KNC_PMU_SPACE_MSR, ARCH_IA32_PERF_GLOBAL_STATUS, 1, arch_status_fields },
	{ KNC_PMU_SPACE_MSR, ARCH_IA32_FIXED_CTR_CTRL, 1, fixed_ctrl_fields },
	{ KNC_PMU_SPACE_MSR, WSM_MSR_OFFCORE_RSP_0, 2, offcore_fields },
	{ KNC_PMU_SPACE_MSR, UNC_PERFEVTSEL0, UNC_NR_COUNTERS, uncore_evtsel_fields },
	{ KNC_PMU_SPACE_MSR, UNC_PERF_GLOBAL_CTRL, 1, uncore_ctrl_fields },
	{ KNC_PMU_SPACE_MSR, UNC_PERF_GLOBAL_STATUS, 1, uncore_status_fields },
	{ KNC_PMU_SPACE_MSR, UNC_FIXED_CTR_CTRL, 1, uncore_fixed_fields },
	{ KNC_PMU_SPACE_MSR, CMT_IA32_QM_EVTSEL, 1, qm_evtsel_fields },
	{ KNC_PMU_SPACE_MSR, CMT_IA32_PQR_ASSOC, 1, pqr_fields },
};

static const struct {
	unsigned int space;
	unsigned int number;
	const char *name;
} names[] = {
#define NAME(_space, _number, _name) { KNC_PMU_SPACE_##_space, _number, _name },
	KNC_REGISTERS(NAME)
	ARCH_REGISTERS(NAME)
};

static const struct {
	unsigned int code;
	const char *name;
} uncore_events[] = {
#define UNC_EVENT(name, event, umask, ...) { (event) | (umask) << KNC_EVTSEL_UMASK_SHIFT, name },
#include <knc/uncore_events.def>
};

/* The name of a register; NULL: this program does not know it */
const char *register_name(const struct knc_pmu_reg *reg)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		if (names[i].space == reg->space && names[i].number == reg->number)
			return names[i].name;
	return NULL;
}

/* The fields of a register, up to one without a name. NULL: the register is one number */
const struct field *register_fields(const struct knc_pmu_reg *reg)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(parts); i++)
		if (parts[i].space == reg->space && reg->number - parts[i].number < parts[i].nr)
			return parts[i].fields;
	return NULL;
}

/* The first field from @field on that this CPU has; NULL: no more */
const struct field *next_field(const struct regs *regs, const struct field *field)
{
	unsigned int i;

	for (; field && field->name; field++) {
		if (!field->of)
			return field;
		for (i = 0; i < regs->nr; i++)
			if (regs->reg[i].space == KNC_PMU_SPACE_MSR &&
			    regs->reg[i].number == field->of)
				return field;
	}
	return NULL;
}

static const char *uncore_event(unsigned int code)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(uncore_events); i++)
		if (uncore_events[i].code == code)
			return uncore_events[i].name;
	return NULL;
}

/* The name of the selected event; NULL: no event is selected, or its code has no name */
const char *register_event(const struct knc_pmu_reg *reg)
{
	const struct field *fields = register_fields(reg);
	const struct kncpmu_event_desc *desc;
	unsigned int code;

	if (!(reg->value & KNC_EVTSEL_EN))
		return NULL;
	code = reg->value & (KNC_EVTSEL_EVENT | KNC_EVTSEL_UMASK);
	if (fields == uncore_evtsel_fields)
		return uncore_event(code);
	if (fields != evtsel_fields)
		return NULL;
	desc = kncpmu_event_by_code(own_pmu(), code & KNC_EVTSEL_EVENT,
				    code >> KNC_EVTSEL_UMASK_SHIFT);
	return desc ? desc->name : NULL;
}
