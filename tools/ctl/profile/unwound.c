// SPDX-License-Identifier: GPL-2.0
/*
 * The ends of functions without a size, by the unwinding tables
 *
 * A label of assembler code has no size, and in a stripped file the next symbol may be far away.
 * The functions in between must not get its name.
 */
#include <stdlib.h>
#include <string.h>

#include <dwarf.h>

#include "profile/unwound.h"

/* The head of .eh_frame_hdr, in the only encoding that linkers write: 4-byte differences */
struct eh_frame_hdr {
	unsigned char version;
	unsigned char frame_encoding;
	unsigned char count_encoding;
	unsigned char table_encoding;
	Elf32_Sword frame;
	Elf32_Word count;
};

/* An entry, sorted by @start: a function and its frame, as offsets from .eh_frame_hdr */
struct eh_frame_entry {
	Elf32_Sword start;
	Elf32_Sword frame;
};

static GElf_Addr covered_until(Dwfl_Module *module, GElf_Addr addr)
{
	Dwarf_Addr start, end;
	Dwarf_Frame *frame;
	GElf_Addr bias;
	Dwarf_CFI *cfi;

	cfi = dwfl_module_eh_cfi(module, &bias);
	if (!cfi || dwarf_cfi_addrframe(cfi, addr - bias, &frame))
		return 0;
	end = dwarf_frame_info(frame, &start, &end, NULL) < 0 ? 0 : end + bias;
	free(frame);
	return end;
}

static Elf_Data *find_hdr(Elf *elf, GElf_Addr *addr)
{
	size_t nr, i;
	GElf_Phdr ph;

	if (elf_getphdrnum(elf, &nr))
		return NULL;
	for (i = 0; i < nr; i++) {
		if (!gelf_getphdr(elf, i, &ph) || ph.p_type != PT_GNU_EH_FRAME)
			continue;
		*addr = ph.p_vaddr;
		return elf_getdata_rawchunk(elf, ph.p_offset, ph.p_filesz, ELF_T_BYTE);
	}
	return NULL;
}

/* The start of the first function after @addr that has an entry; 0: there is none */
static GElf_Addr next_start(Elf *elf, GElf_Addr addr)
{
	const struct eh_frame_entry *entry;
	struct eh_frame_hdr head;
	GElf_Addr base = 0;
	Elf_Data *data = find_hdr(elf, &base);
	size_t low = 0, high, mid, nr;

	if (!data || data->d_size < sizeof(head))
		return 0;
	memcpy(&head, data->d_buf, sizeof(head));
	if (head.version != 1 || head.count_encoding != DW_EH_PE_udata4 ||
	    head.table_encoding != (DW_EH_PE_datarel | DW_EH_PE_sdata4))
		return 0;
	entry = (const void *)((const char *)data->d_buf + sizeof(head));
	high = (data->d_size - sizeof(head)) / sizeof(*entry);
	if (high > head.count)
		high = head.count;
	nr = high;
	while (low < high) {
		mid = low + (high - low) / 2;
		if (base + entry[mid].start <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	return low < nr ? base + entry[low].start : 0;
}

GElf_Addr unwound_end(Dwfl_Module *module, Elf *elf, GElf_Addr addr)
{
	return covered_until(module, addr) ? : next_start(elf, addr);
}
