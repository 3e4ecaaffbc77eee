// SPDX-License-Identifier: GPL-2.0
/*
 * Names of the procedure linkage table (PLT), which has no symbols
 *
 * An entry jumps to the target of a slot in the global offset table; the slot's relocation names
 * the function. Entries are matched by their instructions, not by order, because linkers have
 * several layouts (lazy, -z now, IBT, retpolines of lld).
 */
#include <stdlib.h>
#include <string.h>

#include "cli/memory.h"
#include "cli/text.h"
#include "profile/machine.h"
#include "profile/plt.h"

#define DEFAULT_ENTRY	16

/**
 * struct slot - a slot of the global offset table
 * @addr: its address
 * @name: the function whose address it has
 */
struct slot {
	GElf_Addr addr;
	const char *name;
};

/**
 * struct plt - the file
 * @elf: the file
 * @table: its functions, sorted
 * @shstrndx: the section with the names of sections
 * @got: the address of .got.plt, or of .got: entries of 32-bit libraries are relative to it
 * @slots: all slots with a function, by address
 * @nr_slots: number of @slots
 * @room_slots: elements of @slots
 * @lazy: the names of the relocations that lazy entries have a number of, NULL: no function
 * @nr_lazy: number of @lazy
 * @room_lazy: elements of @lazy
 */
struct plt {
	Elf *elf;
	const struct symtab *table;
	size_t shstrndx;
	GElf_Addr got;
	struct slot *slots;
	size_t nr_slots;
	size_t room_slots;
	const char **lazy;
	size_t nr_lazy;
	size_t room_lazy;
};

static const char *section_name(const struct plt *p, const GElf_Shdr *sh)
{
	return elf_strptr(p->elf, p->shstrndx, sh->sh_name) ? : "";
}

static int wants_function(GElf_Half machine, unsigned int type)
{
	if (machine == EM_386)
		return type == R_386_JMP_SLOT || type == R_386_GLOB_DAT || type == R_386_IRELATIVE;
	return type == R_X86_64_JUMP_SLOT || type == R_X86_64_GLOB_DAT ||
	       type == R_X86_64_IRELATIVE;
}

static int is_irelative(GElf_Half machine, unsigned int type)
{
	return type == (machine == EM_386 ? R_386_IRELATIVE : R_X86_64_IRELATIVE);
}

/* The 32-bit word at an address of the file; 0: there is none */
static GElf_Addr word_at(const struct plt *p, GElf_Addr addr)
{
	Elf_Data *data;
	size_t nr, i;
	GElf_Phdr ph;
	Elf32_Word word;

	if (elf_getphdrnum(p->elf, &nr))
		return 0;
	for (i = 0; i < nr; i++) {
		if (!gelf_getphdr(p->elf, i, &ph) || ph.p_type != PT_LOAD || addr < ph.p_vaddr ||
		    ph.p_filesz < sizeof(word) || addr - ph.p_vaddr > ph.p_filesz - sizeof(word))
			continue;
		data = elf_getdata_rawchunk(p->elf, ph.p_offset + addr - ph.p_vaddr, sizeof(word),
					    ELF_T_BYTE);
		if (!data)
			return 0;
		memcpy(&word, data->d_buf, sizeof(word));
		return word;
	}
	return 0;
}

/* The function that a relocation names, or whose ifunc resolver it calls */
static const char *relocated(const struct plt *p, GElf_Half machine, const GElf_Shdr *sh,
			     const GElf_Rela *rela)
{
	Elf_Scn *scn = elf_getscn(p->elf, sh->sh_link);
	Elf_Data *data = scn ? elf_getdata(scn, NULL) : NULL;
	const struct symbol *symbol;
	GElf_Shdr symbols;
	GElf_Sym sym;

	if (is_irelative(machine, GELF_R_TYPE(rela->r_info))) {
		symbol = symtab_find(p->table, rela->r_addend);
		return symbol && symbol->start == (GElf_Addr)rela->r_addend ? symbol->name : NULL;
	}
	if (!data || !gelf_getshdr(scn, &symbols) ||
	    !gelf_getsym(data, GELF_R_SYM(rela->r_info), &sym))
		return NULL;
	return elf_strptr(p->elf, symbols.sh_link, sym.st_name);
}

static void add_relocation(struct plt *p, GElf_Half machine, const GElf_Shdr *sh,
			   const GElf_Rela *rela, int lazy)
{
	const char *name = NULL;

	if (wants_function(machine, GELF_R_TYPE(rela->r_info)))
		name = relocated(p, machine, sh, rela);
	if (name && !*name)
		name = NULL;
	if (lazy) {
		p->lazy = xgrow(p->lazy, p->nr_lazy, &p->room_lazy, sizeof(*p->lazy));
		p->lazy[p->nr_lazy++] = name;
	}
	if (!name)
		return;
	p->slots = xgrow(p->slots, p->nr_slots, &p->room_slots, sizeof(*p->slots));
	p->slots[p->nr_slots].addr = rela->r_offset;
	p->slots[p->nr_slots++].name = name;
}

static void read_relocations(struct plt *p, GElf_Half machine, Elf_Scn *scn, const GElf_Shdr *sh)
{
	const char *name = section_name(p, sh);
	int lazy = !strcmp(name, ".rela.plt") || !strcmp(name, ".rel.plt");
	Elf_Data *data = elf_getdata(scn, NULL);
	GElf_Rela rela;
	GElf_Rel rel;
	size_t i, nr;

	nr = data && sh->sh_entsize ? sh->sh_size / sh->sh_entsize : 0;
	for (i = 0; i < nr; i++) {
		if (sh->sh_type == SHT_RELA) {
			if (!gelf_getrela(data, i, &rela))
				return;
		} else {
			if (!gelf_getrel(data, i, &rel))
				return;
			rela.r_offset = rel.r_offset;
			rela.r_info = rel.r_info;
			rela.r_addend = is_irelative(machine, GELF_R_TYPE(rel.r_info)) ?
					word_at(p, rel.r_offset) : 0;
		}
		add_relocation(p, machine, sh, &rela, lazy);
	}
}

static int compare_slots(const void *a, const void *b)
{
	const struct slot *x = a, *y = b;

	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

static const char *slot_name(const struct plt *p, GElf_Addr addr)
{
	struct slot key = { .addr = addr }, *slot;

	if (!p->nr_slots)
		return NULL;
	slot = bsearch(&key, p->slots, p->nr_slots, sizeof(key), compare_slots);
	return slot ? slot->name : NULL;
}

static Elf32_Sword read_word(const unsigned char *at)
{
	Elf32_Sword word;

	memcpy(&word, at, sizeof(word));
	return word;
}

/*
 * The function of the entry at @addr, by the slot that it jumps or calls through, or by the number
 * that it pushes
 */
static const char *entry_name(const struct plt *p, GElf_Half machine, const unsigned char *code,
			      size_t size, GElf_Addr addr)
{
	const char *name = NULL;
	GElf_Addr slot;
	size_t i;

	for (i = 0; i + 6 <= size && !name; i++) {
		if (code[i] != 0xff)
			continue;
		slot = read_word(code + i + 2);
		/* jmp *slot(%rip), jmp *slot and jmp *slot(%ebx) */
		if (code[i + 1] == 0x25 && machine != EM_386)
			name = slot_name(p, addr + i + 6 + slot);
		else if (code[i + 1] == 0x25)
			name = slot_name(p, (Elf32_Word)slot);
		else if (code[i + 1] == 0xa3 && machine == EM_386)
			name = slot_name(p, (Elf32_Word)(p->got + slot));
	}
	/* push number: with IBT the jump through the slot is in .plt.sec */
	for (i = 0; i + 5 <= size && !name && (i == 0 || i == 4); i += 4) {
		slot = (Elf32_Word)read_word(code + i + 1);
		if (machine == EM_386)
			slot /= sizeof(Elf32_Rel);
		if (code[i] == 0x68 && slot < p->nr_lazy)
			name = p->lazy[slot];
	}
	return name;
}

static void add_entries(struct symtab *table, const struct plt *p, GElf_Half machine,
			Elf_Scn *scn, const GElf_Shdr *sh)
{
	Elf_Data *data = elf_rawdata(scn, NULL);
	size_t step = sh->sh_entsize, at;
	const char *name;

	/* the size of entries may be wrong: some linkers write 4 if sizes differ */
	if (step < 8 || step > 64)
		step = DEFAULT_ENTRY;
	for (at = 0; data && data->d_buf && at + step <= data->d_size; at += step) {
		name = entry_name(p, machine, (const unsigned char *)data->d_buf + at, step,
				  sh->sh_addr + at);
		if (name)
			symtab_add(table, intern_format("%s@plt", name), sh->sh_addr + at, step);
	}
}

static int is_plt(const struct plt *p, const GElf_Shdr *sh)
{
	const char *name = section_name(p, sh);

	return sh->sh_type == SHT_PROGBITS && (sh->sh_flags & SHF_EXECINSTR) &&
	       (!strcmp(name, ".plt") || !strcmp(name, ".plt.sec") || !strcmp(name, ".plt.got") ||
		!strcmp(name, ".iplt"));
}

static void read_slots(struct plt *p, GElf_Half machine)
{
	Elf_Scn *scn = NULL;
	const char *name;
	GElf_Shdr sh;

	while ((scn = elf_nextscn(p->elf, scn))) {
		if (!gelf_getshdr(scn, &sh))
			continue;
		name = section_name(p, &sh);
		if (!strcmp(name, ".got.plt") || (!strcmp(name, ".got") && !p->got))
			p->got = sh.sh_addr;
		if ((sh.sh_type == SHT_RELA || sh.sh_type == SHT_REL) && (sh.sh_flags & SHF_ALLOC))
			read_relocations(p, machine, scn, &sh);
	}
	if (p->nr_slots)
		qsort(p->slots, p->nr_slots, sizeof(*p->slots), compare_slots);
}

void plt_symbols(struct symtab *table, Elf *elf)
{
	struct plt p = { .elf = elf, .table = table };
	struct symtab entries = { 0 };
	Elf_Scn *scn = NULL;
	GElf_Ehdr ehdr;
	GElf_Shdr sh;
	size_t i;

	if (!gelf_getehdr(elf, &ehdr) || elf_getshdrstrndx(elf, &p.shstrndx))
		return;
	if (ehdr.e_machine != EM_X86_64 && ehdr.e_machine != EM_386 &&
	    ehdr.e_machine != EM_OLD_K1OM)
		return;
	read_slots(&p, ehdr.e_machine);
	while ((scn = elf_nextscn(elf, scn))) {
		if (gelf_getshdr(scn, &sh) && is_plt(&p, &sh))
			add_entries(&entries, &p, ehdr.e_machine, scn, &sh);
	}
	/* add these last, because relocations are looked up in the sorted table */
	for (i = 0; i < entries.nr; i++)
		symtab_add(table, entries.symbols[i].name, entries.symbols[i].start,
			   entries.symbols[i].end - entries.symbols[i].start);
	symtab_free(&entries);
	free(p.slots);
	free(p.lazy);
}
