// SPDX-License-Identifier: GPL-2.0
/* Reads the layouts of structs from debug information */
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "structs.h"

/* The most types within types; a damaged file may have a loop */
#define MAX_DEPTH 32

/* A type without its qualifiers, arrays and pointers */
struct peeled {
	Dwarf_Die die;
	bool pointer;
	bool array;
	bool is_struct;
	char *key;
};

static bool is_struct(int tag)
{
	return tag == DW_TAG_structure_type || tag == DW_TAG_union_type ||
	       tag == DW_TAG_enumeration_type || tag == DW_TAG_class_type;
}

/* The key of struct layout; NULL: the type has no name */
static char *key_of(Dwarf_Die *die, const char *typedef_name)
{
	const char *name = dwarf_diename(die);
	char text[512];

	if (!name)
		return typedef_name ? copy(typedef_name, strlen(typedef_name)) : NULL;
	snprintf(text, sizeof(text), "%s %s",
		 dwarf_tag(die) == DW_TAG_union_type ? "union" :
		 dwarf_tag(die) == DW_TAG_enumeration_type ? "enum" : "struct", name);
	return copy(text, strlen(text));
}

static Dwarf_Die *type_of(Dwarf_Die *die, Dwarf_Die *type)
{
	Dwarf_Attribute attr;

	return dwarf_formref_die(dwarf_attr(die, DW_AT_type, &attr), type);
}

/* Peel the type of @die, a member or a variable */
static void peel(Dwarf_Die *die, struct peeled *p)
{
	const char *typedef_name = NULL;
	int depth;

	memset(p, 0, sizeof(*p));
	if (!type_of(die, &p->die))
		return;
	for (depth = 0; depth < MAX_DEPTH; depth++) {
		switch (dwarf_tag(&p->die)) {
		case DW_TAG_pointer_type:
			p->pointer = true;
			typedef_name = NULL;
			break;
		case DW_TAG_typedef:
			typedef_name = dwarf_diename(&p->die);
			break;
		case DW_TAG_array_type:
			p->array = true;
			break;
		case DW_TAG_const_type:
		case DW_TAG_volatile_type:
		case DW_TAG_restrict_type:
			break;
		default:
			p->is_struct = is_struct(dwarf_tag(&p->die));
			if (p->is_struct)
				p->key = key_of(&p->die, typedef_name);
			return;
		}
		if (!type_of(&p->die, &p->die))
			return;
	}
}

static uint64_t number(Dwarf_Die *die, unsigned int name, uint64_t otherwise)
{
	Dwarf_Attribute attr;
	Dwarf_Word value;

	if (!dwarf_attr(die, name, &attr) || dwarf_formudata(&attr, &value))
		return otherwise;
	return value;
}

/* The first byte of a member; in DWARF 2 it is an expression */
static uint64_t offset_of(Dwarf_Die *die)
{
	Dwarf_Attribute attr;
	Dwarf_Op *ops;
	size_t nr;

	if (dwarf_attr(die, DW_AT_data_member_location, &attr) &&
	    !dwarf_getlocation(&attr, &ops, &nr) && nr && ops[0].atom == DW_OP_plus_uconst)
		return ops[0].number;
	return number(die, DW_AT_data_member_location, 0);
}

/* The first bit of a member, and its number of bits */
static void place_of(Dwarf_Die *die, uint64_t *at, uint64_t *bits)
{
	uint64_t bit_size = number(die, DW_AT_bit_size, 0);
	Dwarf_Word size = 0;
	Dwarf_Die type;

	*at = offset_of(die) * 8;
	if (type_of(die, &type) && dwarf_aggregate_size(&type, &size))
		size = 0;
	*bits = bit_size ? bit_size : size * 8;
	if (!bit_size)
		return;
	/* DWARF 2 and 3 count bits from the high end of the storage unit */
	size = number(die, DW_AT_byte_size, size);
	if (dwarf_hasattr(die, DW_AT_data_bit_offset))
		*at = number(die, DW_AT_data_bit_offset, 0);
	else
		*at += size * 8 - number(die, DW_AT_bit_offset, 0) - bit_size;
}

static void add_member(struct layout *to, const char *prefix, const char *name, struct member m)
{
	char text[512];

	if ((to->nr & (to->nr - 1)) == 0) {
		to->members = realloc(to->members, (to->nr ? 2 * to->nr : 1) * sizeof(m));
		if (!to->members)
			die("out of memory");
	}
	snprintf(text, sizeof(text), "%s%s", prefix, name);
	m.name = copy(text, strlen(text));
	to->members[to->nr++] = m;
}

/* Add members of @die, which begins at bit @base of @to, and those of unnamed types within it */
static void add_members(struct layout *to, Dwarf_Die *die, const char *prefix, uint64_t base,
			int depth)
{
	struct peeled type;
	char below[256];
	struct member m;
	const char *name;
	Dwarf_Die child;

	if (depth > MAX_DEPTH || dwarf_child(die, &child))
		return;
	do {
		name = dwarf_diename(&child);
		memset(&m, 0, sizeof(m));
		if (dwarf_tag(&child) == DW_TAG_enumerator && name) {
			m.at = number(&child, DW_AT_const_value, 0);
			add_member(to, prefix, name, m);
		}
		if (dwarf_tag(&child) != DW_TAG_member)
			continue;
		place_of(&child, &m.at, &m.size);
		m.at += base;
		peel(&child, &type);
		m.type = type.key;
		m.pointer = type.pointer;
		m.nested = type.is_struct && !type.pointer && !type.array;
		if (name)
			add_member(to, prefix, name, m);
		if (type.is_struct && !type.pointer && (!name || !type.key)) {
			snprintf(below, sizeof(below), "%s%s%s", prefix, name ? name : "",
				 name ? "." : "");
			add_members(to, &type.die, below, m.at, depth + 1);
		}
	} while (!dwarf_siblingof(&child, &child));
}

static struct layout *layout_of(Dwarf_Die *die, const char *key)
{
	struct layout *new = allocate(sizeof(*new));
	int size = dwarf_bytesize(die);

	new->key = copy(key, strlen(key));
	new->size = size < 0 ? 0 : size;
	add_members(new, die, "", 0, 0);
	return new;
}

static bool is_equal(const struct layout *a, const struct layout *b)
{
	size_t i;

	if (a->size != b->size || a->nr != b->nr)
		return false;
	for (i = 0; i < a->nr; i++)
		if (strcmp(a->members[i].name, b->members[i].name) ||
		    a->members[i].at != b->members[i].at ||
		    a->members[i].size != b->members[i].size)
			return false;
	return true;
}

static void free_layout(struct layout *l)
{
	size_t i;

	for (i = 0; i < l->nr; i++) {
		free(l->members[i].name);
		free(l->members[i].type);
	}
	free(l->members);
	free(l->key);
	free(l);
}

/*
 * The struct, union or enum that @die defines; it may be a typedef of one without a name. False: it
 * defines none
 */
static bool definition(Dwarf_Die *die, Dwarf_Die *type, char **key)
{
	const char *name = NULL;

	*type = *die;
	if (dwarf_tag(die) == DW_TAG_typedef) {
		name = dwarf_diename(die);
		if (!type_of(die, type) || !is_struct(dwarf_tag(type)) || dwarf_diename(type))
			return false;
	}
	if (!is_struct(dwarf_tag(type)) || dwarf_hasattr(type, DW_AT_declaration))
		return false;
	*key = key_of(type, name);
	return *key;
}

/* A definition in vmlinux. Source files of the kernel may define different structs of one name. */
static void compare_definition(struct layouts *all, Dwarf_Die *die)
{
	struct layout *ours, *theirs;
	Dwarf_Die type;
	char *key;

	if (!definition(die, &type, &key))
		return;
	ours = find(all, key, false);
	if (ours && !ours->equal) {
		theirs = layout_of(&type, key);
		ours->equal = is_equal(ours, theirs);
		if (!ours->vmlinux)
			ours->vmlinux = theirs;
		else
			free_layout(theirs);
	}
	free(key);
}

static void add_definition(struct layouts *all, Dwarf_Die *die)
{
	struct layout *entry, *new;
	Dwarf_Die type;
	char *key;

	if (!definition(die, &type, &key))
		return;
	entry = find(all, key, true);
	if (!entry->nr) {
		new = layout_of(&type, key);
		entry->size = new->size;
		entry->members = new->members;
		entry->nr = new->nr;
		free(new->key);
		free(new);
	}
	free(key);
}

/* The struct of a variable or parameter is used, and whole if the module has memory of that type */
static void use_variable(struct layouts *all, Dwarf_Die *die)
{
	struct peeled type;
	struct layout *entry;

	peel(die, &type);
	if (!type.key)
		return;
	entry = find(all, type.key, true);
	entry->used = true;
	if (!type.pointer && !dwarf_hasattr(die, DW_AT_declaration))
		entry->whole = true;
	free(type.key);
}

/* Note that the object contains this function, as its own code or inlined */
static void note_inlined(struct inlined **inlined, Dwarf_Die *die)
{
	const char *file = dwarf_decl_file(die);
	struct inlined *new;
	int line;

	if (!file || dwarf_decl_line(die, &line) || dwarf_hasattr(die, DW_AT_declaration))
		return;
	new = allocate(sizeof(*new));
	new->file = copy(file, strlen(file));
	new->line = line;
	new->next = *inlined;
	*inlined = new;
}

static void read_tree(struct layouts *all, struct inlined **inlined, Dwarf_Die *die, int depth)
{
	Dwarf_Die child;

	if (depth > MAX_DEPTH || dwarf_child(die, &child))
		return;
	do {
		switch (dwarf_tag(&child)) {
		case DW_TAG_structure_type:
		case DW_TAG_union_type:
		case DW_TAG_enumeration_type:
		case DW_TAG_typedef:
			add_definition(all, &child);
			break;
		case DW_TAG_subprogram:
			note_inlined(inlined, &child);
			read_tree(all, inlined, &child, depth + 1);
			break;
		case DW_TAG_variable:
		case DW_TAG_formal_parameter:
			use_variable(all, &child);
			break;
		case DW_TAG_lexical_block:
		case DW_TAG_inlined_subroutine:
			read_tree(all, inlined, &child, depth + 1);
			break;
		}
	} while (!dwarf_siblingof(&child, &child));
}

/*
 * Resolve references from a section of debug information to other sections. libdwfl could do it,
 * but not for objects of machine K1OM, whose relocations are those of x86-64.
 */
static void relocate(Elf *elf, Elf_Scn *scn, const GElf_Shdr *shdr)
{
	Elf_Scn *target = elf_getscn(elf, shdr->sh_info);
	Elf_Data *to = target ? elf_getdata(target, NULL) : NULL;
	Elf_Data *symbols = elf_getdata(elf_getscn(elf, shdr->sh_link), NULL);
	Elf_Data *data = elf_getdata(scn, NULL);
	uint64_t value;
	size_t i, size;
	GElf_Rela rela;
	GElf_Sym sym;

	for (i = 0; data && to && symbols && gelf_getrela(data, i, &rela); i++) {
		if (!gelf_getsym(symbols, GELF_R_SYM(rela.r_info), &sym))
			continue;
		value = sym.st_value + rela.r_addend;
		size = GELF_R_TYPE(rela.r_info) == R_X86_64_64 ? 8 :
		       GELF_R_TYPE(rela.r_info) == R_X86_64_32 ? 4 : 0;
		if (size && rela.r_offset + size <= to->d_size)
			memcpy((char *)to->d_buf + rela.r_offset, &value, size);
	}
}

static void relocate_debug(Elf *elf)
{
	Elf_Scn *scn = NULL, *target;
	GElf_Shdr shdr, what;
	const char *name;
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		return;
	while ((scn = elf_nextscn(elf, scn))) {
		if (!gelf_getshdr(scn, &shdr) || shdr.sh_type != SHT_RELA)
			continue;
		target = elf_getscn(elf, shdr.sh_info);
		if (!target || !gelf_getshdr(target, &what))
			continue;
		/* compressed, for example, with CONFIG_DEBUG_INFO_COMPRESSED */
		if (what.sh_flags & SHF_COMPRESSED)
			elf_compress(target, 0, 0);
		name = elf_strptr(elf, names, what.sh_name);
		if (name && !strncmp(name, ".debug_", 7))
			relocate(elf, scn, &shdr);
	}
}

struct file {
	int fd;
	Elf *elf;
	Dwarf *dwarf;
};

static void close_file(struct file *f)
{
	dwarf_end(f->dwarf);
	elf_end(f->elf);
	close(f->fd);
}

/* False: the file has no debug information, and is closed */
static bool open_file(struct file *f, const char *path)
{
	GElf_Ehdr ehdr;

	elf_version(EV_CURRENT);
	f->fd = open(path, O_RDONLY);
	if (f->fd < 0)
		die("%s: %s", path, strerror(errno));
	/* private, because relocate() writes to the file's pages in memory */
	f->elf = elf_begin(f->fd, ELF_C_READ_MMAP_PRIVATE, NULL);
	if (!f->elf || !gelf_getehdr(f->elf, &ehdr))
		die("%s is no ELF file", path);
	if (ehdr.e_type == ET_REL)
		relocate_debug(f->elf);
	f->dwarf = dwarf_begin_elf(f->elf, DWARF_C_READ, NULL);
	if (!f->dwarf)
		close_file(f);
	return f->dwarf;
}

/* Get the compilation unit at @offset, and move @offset to the next one; false: there is none */
static bool next_unit(Dwarf *dwarf, Dwarf_Off *offset, Dwarf_Die *unit)
{
	Dwarf_Off at = *offset;
	size_t header;

	return !dwarf_nextcu(dwarf, at, offset, &header, NULL, NULL, NULL) &&
	       dwarf_offdie(dwarf, at + header, unit);
}

/* Add the structs and functions of an object of the module; false: it has no debug information */
bool read_object(struct layouts *all, struct inlined **inlined, const char *path)
{
	Dwarf_Off offset = 0;
	struct file f;
	Dwarf_Die unit;

	if (!open_file(&f, path))
		return false;
	while (next_unit(f.dwarf, &offset, &unit))
		read_tree(all, inlined, &unit, 0);
	close_file(&f);
	return true;
}

/* Compare the structs with those of the same name in vmlinux */
void read_vmlinux(struct layouts *all, const char *path)
{
	Dwarf_Off offset = 0;
	Dwarf_Die unit, child;
	struct file f;

	if (!open_file(&f, path))
		die("%s has no debug information: it is that of a kernel with CONFIG_DEBUG_INFO=y",
		    path);
	while (next_unit(f.dwarf, &offset, &unit)) {
		if (dwarf_child(&unit, &child))
			continue;
		do {
			compare_definition(all, &child);
		} while (!dwarf_siblingof(&child, &child));
	}
	close_file(&f);
}
