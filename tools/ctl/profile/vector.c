// SPDX-License-Identifier: GPL-2.0
/*
 * Formats operands of include/knc/vector.def: order and registers of AT&T's syntax, as capstone has
 * them; swizzles, conversions and rounding are named as in 327364
 */
#include <stdio.h>
#include <string.h>

#include "profile/vector.h"

static const char *const swizzles[8] = {
	"", "{cdab}", "{badc}", "{dacb}", "{aaaa}", "{bbbb}", "{cccc}", "{dddd}"
};

static const char *const roundings[8] = {
	"{rn}", "{rd}", "{ru}", "{rz}", "{rn-sae}", "{rd-sae}", "{ru-sae}", "{rz-sae}"
};

/**
 * struct operands - the operands of an instruction, the destination first
 * @insn: the instruction
 * @addr: address of the instruction
 * @text: texts of the operands
 * @nr: number of operands
 */
struct operands {
	const struct knc_vector_insn *insn;
	unsigned long long addr;
	char text[5][96];
	unsigned int nr;
};

/* The conversion of a memory operand or a stored register */
static const char *conversion(const struct knc_vector_insn *insn)
{
	static const char *const names[8] = {
		"", "", "", "{float16}", "{uint8}", "{sint8}", "{uint16}", "{sint16}"
	};
	int is_wide = knc_vector_size(insn->row, insn->sss) == 8;

	if (insn->sss == 1)
		return is_wide ? "{1to8}" : "{1to16}";
	if (insn->sss == 2)
		return is_wide ? "{4to8}" : "{4to16}";
	return names[insn->sss];
}

static void add(struct operands *o, const char *name, unsigned int number, const char *after)
{
	snprintf(o->text[o->nr++], sizeof(*o->text), "%%%s%u%s", name, number, after);
}

/* Add a destination with its mask, which leaves some elements unchanged */
static void add_masked(struct operands *o, const char *name, unsigned int number)
{
	char mask[8] = "";

	if (o->insn->mask)
		snprintf(mask, sizeof(mask), "{%%k%u}", o->insn->mask);
	add(o, name, number, mask);
}

static void general_name(unsigned int number, unsigned int bits, char *name, size_t size)
{
	static const char *const names[8] = { "ax", "cx", "dx", "bx", "sp", "bp", "si", "di" };

	if (number < 8)
		snprintf(name, size, "%%%c%s", bits == 64 ? 'r' : 'e', names[number]);
	else
		snprintf(name, size, "%%r%u%s", number, bits == 64 ? "" : "d");
}

static void add_general(struct operands *o, unsigned int number, unsigned int bits)
{
	general_name(number, bits, o->text[o->nr++], sizeof(*o->text));
}

static void add_immediate(struct operands *o)
{
	snprintf(o->text[o->nr++], sizeof(*o->text), o->insn->imm > 9 ? "$0x%x" : "$%u",
		 o->insn->imm);
}

/* Format a displacement; a single digit is decimal */
static void displacement(long long disp, char *text, size_t size)
{
	unsigned long long amount = disp < 0 ? -(unsigned long long)disp : (unsigned long long)disp;

	snprintf(text, size, amount > 9 ? "%s0x%llx" : "%s%llu", disp < 0 ? "-" : "", amount);
}

/* Format base and index in parentheses */
static void registers(const struct knc_vector_insn *insn, char *text, size_t size)
{
	const struct knc_vector_address *m = &insn->memory;
	unsigned int bits = m->short_address ? 32 : 64;
	char base[8] = "", index[8];

	if (m->base != KNC_VECTOR_NO_REGISTER)
		general_name(m->base, bits, base, sizeof(base));
	else if (m->rip)
		strcpy(base, bits == 64 ? "%rip" : "%eip");
	if (m->index == KNC_VECTOR_NO_REGISTER) {
		snprintf(text, size, *base ? "(%s)" : "%s", base);
		return;
	}
	if (knc_vector_gathers(insn->row))
		snprintf(index, sizeof(index), "%%zmm%u", m->index);
	else
		general_name(m->index, bits, index, sizeof(index));
	snprintf(text, size, "(%s,%s,%u)", base, index, m->scale);
}

/* @after: the mask or conversion that follows */
static void add_memory(struct operands *o, const char *after)
{
	const struct knc_vector_address *m = &o->insn->memory;
	int hints = o->insn->eh && o->insn->row->eh != KNC_EH_NONE &&
		    o->insn->row->eh != KNC_EH_EH1 && o->insn->row->memory != KNC_MEMORY_LINE;
	char disp[24] = "", regs[32];

	registers(o->insn, regs, sizeof(regs));
	if (m->disp || !*regs)
		displacement(m->disp, disp, sizeof(disp));
	snprintf(o->text[o->nr++], sizeof(*o->text), "%s%s%s%s%s",
		 !m->segment ? "" : m->segment == 0x64 ? "%fs:" : "%gs:", disp, regs,
		 hints ? "{eh}" : "", after);
}

/* Add the written memory, followed by its mask */
static void add_written(struct operands *o)
{
	char mask[24] = "";

	if (o->insn->mask && o->insn->row->memory != KNC_MEMORY_LINE)
		snprintf(mask, sizeof(mask), "{%%k%u}", o->insn->mask);
	if (o->insn->row->operands == KNC_OPERANDS_V)
		strcat(mask, conversion(o->insn));
	add_memory(o, mask);
}

/* Add the last source: memory, or a register with its rounding as a separate operand */
static void add_source(struct operands *o)
{
	const struct knc_vector_insn *insn = o->insn;

	if (insn->has_memory)
		add_memory(o, conversion(insn));
	else
		add(o, "zmm", insn->rm, insn->eh ? "" : swizzles[insn->sss]);
}

static void add_rounding(struct operands *o)
{
	const struct knc_vector_insn *insn = o->insn;
	const char *text = "";

	if (insn->has_memory || !insn->eh)
		return;
	if (insn->row->eh == KNC_EH_ROUND)
		text = roundings[insn->sss];
	else if (insn->row->eh == KNC_EH_SAE && insn->sss & 4)
		text = "{sae}";
	if (*text)
		snprintf(o->text[o->nr++], sizeof(*o->text), "%s", text);
}

static void add_target(struct operands *o)
{
	snprintf(o->text[o->nr++], sizeof(*o->text), "0x%llx",
		 o->addr + o->insn->length + o->insn->memory.disp);
}

/* Add the first operands, common to instructions with a swizzled or converted source */
static void add_destination(struct operands *o)
{
	const struct knc_vector_insn *insn = o->insn;

	switch (insn->row->operands) {
	case KNC_OPERANDS_K_Z_S:
	case KNC_OPERANDS_K_Z_S_IMM:
		add_masked(o, "k", insn->reg);
		add(o, "zmm", insn->vvvv, "");
		break;
	case KNC_OPERANDS_N_S_IMM:
		add_masked(o, "zmm", insn->vvvv);
		break;
	default:
		add_masked(o, "zmm", insn->reg);
	}
	if (insn->row->operands == KNC_OPERANDS_Z_K_S)
		add(o, "k", insn->vvvv, "");
	else if (insn->row->operands == KNC_OPERANDS_Z_Z_S ||
		 insn->row->operands == KNC_OPERANDS_Z_Z_S_IMM)
		add(o, "zmm", insn->vvvv, "");
}

static void add_vectors(struct operands *o)
{
	switch (o->insn->row->operands) {
	case KNC_OPERANDS_Z_Z_S:
	case KNC_OPERANDS_Z_K_S:
	case KNC_OPERANDS_Z_S:
	case KNC_OPERANDS_K_Z_S:
		add_destination(o);
		add_source(o);
		break;
	case KNC_OPERANDS_Z_M:
	case KNC_OPERANDS_Z_V:
		add_masked(o, "zmm", o->insn->reg);
		add_memory(o, conversion(o->insn));
		break;
	case KNC_OPERANDS_M_Z:
	case KNC_OPERANDS_V_Z:
		add_written(o);
		add(o, "zmm", o->insn->reg, conversion(o->insn));
		break;
	case KNC_OPERANDS_M:
	case KNC_OPERANDS_V:
		add_written(o);
		break;
	default:
		add_destination(o);
		add_source(o);
		add_immediate(o);
	}
	add_rounding(o);
}

/* Add masks and general registers */
static void add_scalars(struct operands *o)
{
	const struct knc_vector_insn *insn = o->insn;
	unsigned int bits = insn->w ? 64 : 32;

	switch (insn->row->operands) {
	case KNC_OPERANDS_K_R32:
		add(o, "k", insn->reg, "");
		add_general(o, insn->rm, 32);
		break;
	case KNC_OPERANDS_R32_K:
		add_general(o, insn->reg, 32);
		add(o, "k", insn->rm, "");
		break;
	case KNC_OPERANDS_R64_K_K:
		add_general(o, insn->reg, 64);
		add(o, "k", insn->vvvv, "");
		add(o, "k", insn->rm, "");
		break;
	case KNC_OPERANDS_K_R64_IMM:
		add(o, "k", insn->reg, "");
		add_general(o, insn->rm, 64);
		add_immediate(o);
		break;
	case KNC_OPERANDS_R_R:
		add_general(o, insn->reg, bits);
		add_general(o, insn->rm, bits);
		break;
	default:
		add_general(o, insn->rm, bits);
	}
}

void vector_operands(const struct knc_vector_insn *insn, unsigned long long addr, char *text,
		     size_t size)
{
	struct operands o = { .insn = insn, .addr = addr };
	size_t at = 0;

	switch (insn->row->operands) {
	case KNC_OPERANDS_K_REL8:
	case KNC_OPERANDS_K_REL32:
		add(&o, "k", insn->vvvv, "");
		add_target(&o);
		break;
	case KNC_OPERANDS_K_K:
		add(&o, "k", insn->reg, "");
		add(&o, "k", insn->rm, "");
		break;
	case KNC_OPERANDS_K_R32:
	case KNC_OPERANDS_R32_K:
	case KNC_OPERANDS_R64_K_K:
	case KNC_OPERANDS_K_R64_IMM:
	case KNC_OPERANDS_R:
	case KNC_OPERANDS_R_R:
		add_scalars(&o);
		break;
	default:
		add_vectors(&o);
	}
	*text = 0;
	while (o.nr-- && at < size)
		at += snprintf(text + at, size - at, "%s%s", o.text[o.nr], o.nr ? ", " : "");
}
