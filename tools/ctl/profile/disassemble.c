// SPDX-License-Identifier: GPL-2.0
/* Instructions of functions, through capstone */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <capstone/capstone.h>

#include "profile/elf-file.h"

/* The instruction as text; a branch has the name of its target */
static void print_insn(const struct dso *dso, const cs_insn *insn, char *text, size_t size)
{
	const struct symbol *target = NULL;
	unsigned long long addr;
	char *end, *name;

	addr = strtoull(insn->op_str, &end, 16);
	if (end != insn->op_str && !*end && (insn->mnemonic[0] == 'c' || insn->mnemonic[0] == 'j'))
		target = symtab_find(&dso->table, addr);
	if (!target) {
		snprintf(text, size, "%-7s %s", insn->mnemonic, insn->op_str);
		return;
	}
	name = demangle_name(target->name);
	if (addr == target->start)
		snprintf(text, size, "%-7s %llx <%s>", insn->mnemonic, addr,
			 name ? : target->name);
	else
		snprintf(text, size, "%-7s %llx <%s+0x%llx>", insn->mnemonic, addr,
			 name ? : target->name, addr - target->start);
	free(name);
}

int disassemble(const struct dso *dso, unsigned long long start, unsigned long long end,
		instruction_fn fn, void *ctx)
{
	size_t left = end - start;
	const uint8_t *bytes = elf_file_bytes(dso->elf, start, &left);
	uint64_t addr = start;
	char text[512];
	cs_insn *insn;
	csh handle;

	if (!bytes || cs_open(CS_ARCH_X86, elf_file_bits(dso->elf) == 32 ? CS_MODE_32 : CS_MODE_64,
			      &handle))
		return 0;
	cs_option(handle, CS_OPT_SYNTAX, CS_OPT_SYNTAX_ATT);
	insn = cs_malloc(handle);
	while (insn && left) {
		if (cs_disasm_iter(handle, &bytes, &left, &addr, insn)) {
			print_insn(dso, insn, text, sizeof(text));
			fn(ctx, insn->address, text);
			continue;
		}
		/* an instruction of the card's own, or data */
		snprintf(text, sizeof(text), ".byte   0x%02x", *bytes);
		fn(ctx, addr, text);
		bytes++;
		left--;
		addr++;
	}
	cs_free(insn, 1);
	cs_close(&handle);
	return 1;
}
