// SPDX-License-Identifier: GPL-2.0
/*
 * Evaluates DWARF expressions of unwinding tables
 *
 * Compilers use few of DWARF's operations there: for the PLT, signal frames and realigned stacks.
 * Jumps are not supported, so that no expression of a damaged file can loop.
 */
#include <stddef.h>

#include <dwarf.h>

#include "profile/expression.h"

#define MOST_OPS	512
#define DEPTH		32

/**
 * struct evaluation - an expression while it is evaluated
 * @m: registers and memory that it may read
 * @stack: its stack
 * @nr: number of values in @stack
 * @is_value: an operation said that the result is the value itself, not its address
 */
struct evaluation {
	const struct machine *m;
	unsigned long long stack[DEPTH];
	unsigned int nr;
	int is_value;
};

static int push(struct evaluation *e, unsigned long long value)
{
	if (e->nr == DEPTH)
		return 0;
	e->stack[e->nr++] = value;
	return 1;
}

static int push_reg(struct evaluation *e, unsigned long long reg, unsigned long long offset)
{
	return reg < e->m->nr && e->m->known >> reg & 1 && push(e, e->m->regs[reg] + offset);
}

/* Compare, as DWARF defines, signed numbers; returns 0 if @op is not a comparison */
static int compare(unsigned int op, long long a, long long b, unsigned long long *to)
{
	switch (op) {
	case DW_OP_eq:
		*to = a == b;
		return 1;
	case DW_OP_ne:
		*to = a != b;
		return 1;
	case DW_OP_ge:
		*to = a >= b;
		return 1;
	case DW_OP_gt:
		*to = a > b;
		return 1;
	case DW_OP_le:
		*to = a <= b;
		return 1;
	case DW_OP_lt:
		*to = a < b;
		return 1;
	}
	return 0;
}

static int binary(struct evaluation *e, unsigned int op)
{
	unsigned long long a, b, *to;

	if (e->nr < 2)
		return 0;
	b = e->stack[--e->nr];
	to = &e->stack[e->nr - 1];
	a = *to;
	switch (op) {
	case DW_OP_plus:
		*to = a + b;
		return 1;
	case DW_OP_minus:
		*to = a - b;
		return 1;
	case DW_OP_mul:
		*to = a * b;
		return 1;
	case DW_OP_and:
		*to = a & b;
		return 1;
	case DW_OP_or:
		*to = a | b;
		return 1;
	case DW_OP_xor:
		*to = a ^ b;
		return 1;
	case DW_OP_shl:
		*to = b < 64 ? a << b : 0;
		return 1;
	case DW_OP_shr:
		*to = b < 64 ? a >> b : 0;
		return 1;
	}
	return compare(op, a, b, to);
}

/* Operations on the top of the stack */
static int unary(struct evaluation *e, const Dwarf_Op *op)
{
	unsigned long long *top;
	unsigned int size;

	if (!e->nr)
		return 0;
	top = &e->stack[e->nr - 1];
	switch (op->atom) {
	case DW_OP_deref:
	case DW_OP_deref_size:
		size = op->atom == DW_OP_deref ? e->m->word : op->number;
		return size && size <= 8 && e->m->read(e->m->ctx, *top, size, top);
	case DW_OP_plus_uconst:
		*top += op->number;
		return 1;
	case DW_OP_neg:
		*top = -*top;
		return 1;
	case DW_OP_not:
		*top = ~*top;
		return 1;
	case DW_OP_dup:
		return push(e, *top);
	case DW_OP_drop:
		e->nr--;
		return 1;
	case DW_OP_over:
		return e->nr > 1 && push(e, top[-1]);
	case DW_OP_stack_value:
		e->is_value = 1;
		return 1;
	}
	return binary(e, op->atom);
}

/* One operation: constants and registers, which need no value on the stack, or unary() */
static int step(struct evaluation *e, const Dwarf_Op *op)
{
	if (op->atom >= DW_OP_lit0 && op->atom <= DW_OP_lit31)
		return push(e, op->atom - DW_OP_lit0);
	if (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31)
		return push_reg(e, op->atom - DW_OP_breg0, op->number);
	if (op->atom >= DW_OP_reg0 && op->atom <= DW_OP_reg31) {
		e->is_value = 1;
		return push_reg(e, op->atom - DW_OP_reg0, 0);
	}
	switch (op->atom) {
	case DW_OP_bregx:
		return push_reg(e, op->number, op->number2);
	case DW_OP_regx:
		e->is_value = 1;
		return push_reg(e, op->number, 0);
	case DW_OP_addr:
	case DW_OP_const1u:
	case DW_OP_const1s:
	case DW_OP_const2u:
	case DW_OP_const2s:
	case DW_OP_const4u:
	case DW_OP_const4s:
	case DW_OP_const8u:
	case DW_OP_const8s:
	case DW_OP_constu:
	case DW_OP_consts:
		/* libdw has sign-extended op->number already */
		return push(e, op->number);
	case DW_OP_call_frame_cfa:
		return push(e, e->m->cfa);
	case DW_OP_nop:
		return 1;
	}
	return unary(e, op);
}

int expression_value(const struct machine *m, const Dwarf_Op *ops, size_t nr, int location,
		     unsigned long long *value)
{
	struct evaluation e = { .m = m };
	size_t i;

	if (nr > MOST_OPS)
		return 0;
	for (i = 0; i < nr; i++)
		if (!step(&e, &ops[i]))
			return 0;
	if (!e.nr)
		return 0;
	*value = e.stack[e.nr - 1];
	return !location || e.is_value || m->read(m->ctx, *value, m->word, value);
}
