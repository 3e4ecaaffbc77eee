// SPDX-License-Identifier: GPL-2.0
/*
 * Source lines of an ELF file whose compiler wrote no address table
 *
 * libdw finds the compilation unit of an address only through .debug_aranges, which LLVM (clang,
 * Rust, D) does not write. Therefore all units are read once, with their own ranges.
 */
#include <stdlib.h>
#include <string.h>

#include <dwarf.h>

#include "cli/memory.h"
#include "profile/lines.h"

/**
 * struct unit - a piece of code of a compilation unit
 * @start: its first address
 * @end: its last address + 1
 * @die: the unit
 */
struct unit {
	GElf_Addr start;
	GElf_Addr end;
	Dwarf_Die die;
};

static void add_ranges(struct lines *lines, Dwarf_Die *die, GElf_Addr bias)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t at = 0;
	struct unit *unit;

	while ((at = dwarf_ranges(die, at, &base, &start, &end)) > 0) {
		/* 0: code that the linker has dropped */
		if (start >= end || !start)
			continue;
		lines->units = xgrow(lines->units, lines->nr, &lines->room, sizeof(*unit));
		unit = &lines->units[lines->nr++];
		unit->start = start + bias;
		unit->end = end + bias;
		unit->die = *die;
	}
}

static int compare_units(const void *a, const void *b)
{
	const struct unit *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

static void read_units(struct lines *lines, Dwfl_Module *module)
{
	Dwarf_Die *die = NULL;
	Dwarf_Addr bias;

	lines->read = 1;
	while ((die = dwfl_module_nextcu(module, die, &bias)))
		add_ranges(lines, die, bias);
	if (lines->nr)
		qsort(lines->units, lines->nr, sizeof(*lines->units), compare_units);
}

/* The unit of an address: the last one that begins at or before it, because units don't overlap */
static struct unit *find_unit(struct lines *lines, GElf_Addr addr)
{
	size_t low = 0, high = lines->nr, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (lines->units[mid].start <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	return low && addr < lines->units[low - 1].end ? &lines->units[low - 1] : NULL;
}

const char *lines_find(struct lines *lines, Dwfl_Module *module, GElf_Addr addr, int *line,
		       const char **dir)
{
	Dwarf_Attribute attr;
	Dwarf_Addr bias = 0;
	struct unit *unit;
	Dwarf_Line *found;

	if (!lines->read)
		read_units(lines, module);
	unit = find_unit(lines, addr);
	if (!unit || !dwfl_module_getdwarf(module, &bias))
		return NULL;
	found = dwarf_getsrc_die(&unit->die, addr - bias);
	if (!found || dwarf_lineno(found, line))
		return NULL;
	*dir = dwarf_formstring(dwarf_attr(&unit->die, DW_AT_comp_dir, &attr));
	return dwarf_linesrc(found, NULL, NULL);
}

void lines_free(struct lines *lines)
{
	free(lines->units);
	memset(lines, 0, sizeof(*lines));
}
