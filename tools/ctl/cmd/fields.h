/* SPDX-License-Identifier: GPL-2.0 */
/* The fields of registers, by name, of every PMU */
#ifndef CTL_CMD_FIELDS_H
#define CTL_CMD_FIELDS_H

#include "cmd/query.h"

/**
 * struct field - a part of a register
 * @name: its name in 327357, or in Intel's software developer's manual
 * @mask: its bits
 * @of: the field exists only on CPUs that have this MSR; 0: on all
 */
struct field {
	const char *name;
	unsigned long long mask;
	unsigned int of;
};

/**
 * struct regs - the registers of a hardware thread
 * @nr: number of @reg
 * @reg: the registers
 */
struct regs {
	unsigned int nr;
	struct knc_pmu_reg reg[MAX_REGISTERS];
};

const char *register_name(const struct knc_pmu_reg *reg);
const struct field *register_fields(const struct knc_pmu_reg *reg);
const struct field *next_field(const struct regs *regs, const struct field *field);
const char *register_event(const struct knc_pmu_reg *reg);

#endif /* CTL_CMD_FIELDS_H */
