// SPDX-License-Identifier: GPL-2.0
/* Disassembles functions: Knights Corner's own instructions by vector.c, all others by capstone */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <capstone/capstone.h>
#include <kncpmu.h>

#include "profile/machine.h"
#include "profile/elf-file.h"
#include "profile/vector.h"

/* Print an instruction; after the address of a branch's target print the target's name */
static void print_insn(const struct dso *dso, const char *mnemonic, const char *operands,
		       char *text, size_t size)
{
	const struct symbol *target = NULL;
	unsigned long long addr;
	char *end, *name;

	addr = strtoull(operands, &end, 16);
	if (end != operands && (!*end || *end == ',') && (*mnemonic == 'c' || *mnemonic == 'j'))
		target = symtab_find(&dso->table, addr);
	if (!target) {
		snprintf(text, size, "%-7s %s", mnemonic, operands);
		return;
	}
	name = demangle_name(target->name);
	if (addr == target->start)
		snprintf(text, size, "%-7s %llx <%s>%s", mnemonic, addr, name ? : target->name,
			 end);
	else
		snprintf(text, size, "%-7s %llx <%s+0x%llx>%s", mnemonic, addr,
			 name ? : target->name, addr - target->start, end);
	free(name);
}

/*
 * Is it Knights Corner's code? Then vector.c decodes first: capstone takes some of its instructions
 * for AVX-512, and does not know the others.
 */
static int has_vectors(const struct dso *dso)
{
	if (elf_file_bits(dso->elf) != 64)
		return 0;
	return elf_file_machine(dso->elf) == EM_OLD_K1OM || dso->of_card;
}

/* Print the instruction if it is one of include/knc/vector.def; returns its bytes, or 0 */
static size_t print_vector(const struct dso *dso, const uint8_t *bytes, size_t left,
			   unsigned long long addr, char *text, size_t size)
{
	struct knc_vector_insn insn;
	char operands[256];

	if (knc_vector_decode(&insn, bytes, left) <= 0)
		return 0;
	vector_operands(&insn, addr, operands, sizeof(operands));
	print_insn(dso, insn.row->name, operands, text, size);
	return insn.length;
}

static void disassemble_with(csh handle, cs_insn *insn, const struct dso *dso,
			     const uint8_t *bytes, size_t left, uint64_t addr, instruction_fn fn,
			     void *ctx)
{
	int vectors = has_vectors(dso);
	char text[512];
	size_t length;

	while (left) {
		length = vectors ? print_vector(dso, bytes, left, addr, text, sizeof(text)) : 0;
		if (!length && cs_disasm_iter(handle, &bytes, &left, &addr, insn)) {
			print_insn(dso, insn->mnemonic, insn->op_str, text, sizeof(text));
			fn(ctx, insn->address, text);
			continue;
		}
		if (!length) {
			/* data, or an unknown instruction */
			snprintf(text, sizeof(text), ".byte   0x%02x", *bytes);
			length = 1;
		}
		fn(ctx, addr, text);
		bytes += length;
		left -= length;
		addr += length;
	}
}

int disassemble(const struct dso *dso, unsigned long long start, unsigned long long end,
		instruction_fn fn, void *ctx)
{
	size_t left = end - start;
	const uint8_t *bytes = elf_file_bytes(dso->elf, start, &left);
	cs_insn *insn;
	csh handle;

	if (!bytes || cs_open(CS_ARCH_X86, elf_file_bits(dso->elf) == 32 ? CS_MODE_32 : CS_MODE_64,
			      &handle))
		return 0;
	cs_option(handle, CS_OPT_SYNTAX, CS_OPT_SYNTAX_ATT);
	insn = cs_malloc(handle);
	if (insn)
		disassemble_with(handle, insn, dso, bytes, left, start, fn, ctx);
	cs_free(insn, 1);
	cs_close(&handle);
	return 1;
}
