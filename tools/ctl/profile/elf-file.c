// SPDX-License-Identifier: GPL-2.0
/* Functions and source lines of ELF files, through elfutils */
#include <fcntl.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>
#include <elfutils/libdwelf.h>
#include <elfutils/libdwfl.h>

#include "cli/clock.h"
#include "cli/file-id.h"
#include "cli/text.h"
#include "profile/debug-file.h"
#include "profile/elf-file.h"
#include "profile/lines.h"
#include "profile/plt.h"
#include "profile/unwound.h"

#define MOST_NOTES	(64U << 10)	/* bytes of a segment of notes */
#define MOST_FRAME	(16U << 10)	/* bytes of libdw's unwinding rules for an address */
#define ENTRY_SIZE	64		/* bytes of a program's first instructions */
/* the most ns for the unwinding tables of one file, because a hostile file could take hours */
#define MOST_TABLES	10000000000ULL

struct elf_file {
	Dwfl_Callbacks callbacks;
	Dwfl *dwfl;
	Dwfl_Module *module;
	Elf *elf;
	struct lines lines;
	Dwarf_CFI *cfi;		/* the vdso's unwinding tables; libdwfl has no module for it */
	unsigned long long tables_ns;
};

void elf_file_close(struct elf_file *file)
{
	if (!file)
		return;
	lines_free(&file->lines);
	if (file->dwfl)
		dwfl_end(file->dwfl);
	else
		elf_end(file->elf);
	if (file->cfi)
		dwarf_cfi_end(file->cfi);
	free(file);
}

int elf_file_addr(const struct elf_file *file, unsigned long long offset,
		  unsigned long long *addr)
{
	size_t nr, i;
	GElf_Phdr ph;

	if (elf_getphdrnum(file->elf, &nr))
		return 0;
	for (i = 0; i < nr; i++) {
		if (!gelf_getphdr(file->elf, i, &ph) || ph.p_type != PT_LOAD ||
		    offset < ph.p_offset || offset - ph.p_offset >= ph.p_filesz)
			continue;
		*addr = offset - ph.p_offset + ph.p_vaddr;
		return 1;
	}
	return 0;
}

/* Is the symbol a function, or a label in code? */
static int is_code(Elf *elf, const GElf_Sym *sym, GElf_Word section)
{
	int type = GELF_ST_TYPE(sym->st_info);
	GElf_Shdr sh;

	if (sym->st_shndx == SHN_UNDEF)
		return 0;
	if (type == STT_FUNC || type == STT_GNU_IFUNC)
		return 1;
	return type == STT_NOTYPE && elf && section < SHN_LORESERVE &&
	       gelf_getshdr(elf_getscn(elf, section), &sh) &&
	       (sh.sh_flags & SHF_EXECINSTR);
}

/* Rank several names of an address: prefer functions, global names, no leading underscore */
static unsigned int rank(const GElf_Sym *sym, const char *name)
{
	int bind = GELF_ST_BIND(sym->st_info);

	return (GELF_ST_TYPE(sym->st_info) != STT_NOTYPE) << 5 |
	       (sym->st_size > 0) << 4 |
	       (bind == STB_GLOBAL ? 2 : bind == STB_WEAK) << 2 |
	       (name[0] != '_' ? 2 : name[1] != '_');
}

/* The end of the section of a symbol at @addr; 0: not known */
static GElf_Addr section_end(Elf *elf, const GElf_Sym *sym, GElf_Word section, GElf_Addr addr)
{
	GElf_Shdr sh;

	if (!elf || section >= SHN_LORESERVE || !gelf_getshdr(elf_getscn(elf, section), &sh) ||
	    sym->st_value < sh.sh_addr || sym->st_value - sh.sh_addr >= sh.sh_size)
		return 0;
	return addr + (sh.sh_addr + sh.sh_size - sym->st_value);
}

/* Drop a default version from the name: "malloc" of "malloc@@GLIBC_2.2.5" */
static const char *without_version(const char *name)
{
	const char *at = strchr(name, '@');

	return at && at > name && at[1] == '@' ? intern(name, at - name) : name;
}

static struct symbol *add_symbol(struct dso *dso, Elf *elf, const GElf_Sym *sym,
				 GElf_Word section, const char *name, GElf_Addr addr)
{
	struct symbol *symbol;

	if (!name || !*name || !is_code(elf, sym, section))
		return NULL;
	symbol = symtab_add(&dso->table, without_version(name), addr, sym->st_size);
	symbol->rank = rank(sym, name);
	symbol->limit = section_end(elf, sym, section, addr);
	return symbol;
}

/* End a symbol without a size where the next function begins, even one without a symbol */
static void limit_symbol(const struct elf_file *file, struct symbol *symbol)
{
	GElf_Addr end = unwound_end(file->module, file->elf, symbol->start);

	if (end && (!symbol->limit || end < symbol->limit))
		symbol->limit = end;
}

static void read_symbols(struct dso *dso, struct elf_file *file)
{
	int nr = dwfl_module_getsymtab(file->module), i;
	GElf_Word section = 0;
	struct symbol *symbol;
	const char *name;
	GElf_Addr addr;
	GElf_Sym sym;
	Elf *elf;

	for (i = 1; i < nr; i++) {
		name = dwfl_module_getsym_info(file->module, i, &sym, &addr, &section,
					       &elf, NULL);
		symbol = add_symbol(dso, elf, &sym, section, name, addr);
		if (symbol && !sym.st_size)
			limit_symbol(file, symbol);
	}
}

/* The end of the last executable segment */
static GElf_Addr last_addr(Elf *elf)
{
	GElf_Addr end = 0;
	size_t nr, i;
	GElf_Phdr ph;

	if (elf_getphdrnum(elf, &nr))
		return 0;
	for (i = 0; i < nr; i++) {
		if (gelf_getphdr(elf, i, &ph) && ph.p_type == PT_LOAD &&
		    (ph.p_flags & PF_X) && ph.p_vaddr + ph.p_filesz > end)
			end = ph.p_vaddr + ph.p_filesz;
	}
	return end;
}

/* Read the id of a file; returns its bytes, 0: it has none */
static unsigned int read_id(Elf *elf, unsigned char id[FILE_ID_SIZE])
{
	unsigned int size = 0;
	Elf_Data *data;
	size_t nr, i;
	GElf_Phdr ph;

	if (elf_getphdrnum(elf, &nr))
		return 0;
	for (i = 0; i < nr && !size; i++) {
		if (!gelf_getphdr(elf, i, &ph) || ph.p_type != PT_NOTE)
			continue;
		if (ph.p_filesz > MOST_NOTES)
			continue;
		data = elf_getdata_rawchunk(elf, ph.p_offset, ph.p_filesz, ELF_T_BYTE);
		if (data && data->d_buf)
			size = id_of_notes(data->d_buf, data->d_size, ph.p_align == 8 ? 8 : 4, id);
	}
	return size;
}

static int same_build_id(const struct dso *dso, Elf *elf)
{
	unsigned char id[FILE_ID_SIZE];

	return read_id(elf, id) == dso->build_id_size &&
	       !memcmp(id, dso->build_id, dso->build_id_size);
}

/* Compare size and time, because a copy of the file in another place has another inode */
static int same_identity(const struct dso *dso, const struct stat *st)
{
	return (__u64)st->st_size == dso->identity.size &&
	       modified_ns(st) == dso->identity.modified &&
	       (!dso->same_system || st->st_ino == dso->identity.inode);
}

/* Is it the recorded file? Yes if neither id nor identity was recorded */
static int is_recorded(const struct dso *dso, Elf *elf, const struct stat *st)
{
	if (dso->build_id_size)
		return same_build_id(dso, elf);
	if (dso->has_identity)
		return same_identity(dso, st);
	complain("warning: nothing tells whether %s is the file that was recorded: "
		 "it has no build id", dso->name);
	return 1;
}

/* Open a regular file, without waiting if it is a FIFO; -1: failed */
static int open_file(const char *path, struct stat *st)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	if (fd < 0)
		return -1;
	if (!fstat(fd, st) && S_ISREG(st->st_mode))
		return fd;
	close(fd);
	return -1;
}

/* Report the file to libdwfl with a bias of 0: addresses are then those of its headers */
static int report(struct elf_file *file, const char *path, int fd)
{
	GElf_Addr bias;

	file->callbacks.find_elf = dwfl_build_id_find_elf;
	file->callbacks.find_debuginfo = find_debug_file;
	file->callbacks.section_address = dwfl_offline_section_address;
	file->dwfl = dwfl_begin(&file->callbacks);
	if (!file->dwfl) {
		close(fd);
		return 0;
	}
	dwfl_report_begin(file->dwfl);
	file->module = dwfl_report_elf(file->dwfl, base_name(path), path, fd, 0, true);
	dwfl_report_end(file->dwfl, NULL, NULL);
	if (!file->module) {
		close(fd);
		return 0;
	}
	file->elf = dwfl_module_getelf(file->module, &bias);
	return !!file->elf;
}

enum elf_result elf_file_open(struct dso *dso, const char *path, char **debug)
{
	struct elf_file *file;
	struct stat st;
	int fd = open_file(path, &st);

	if (fd < 0)
		return ELF_NONE;
	file = xalloc(1, sizeof(*file));
	file->callbacks.debuginfo_path = debug;
	if (!report(file, path, fd)) {
		elf_file_close(file);
		return ELF_NONE;
	}
	if (!is_recorded(dso, file->elf, &st)) {
		elf_file_close(file);
		return ELF_CHANGED;
	}
	read_symbols(dso, file);
	symtab_sort(&dso->table, last_addr(file->elf));
	/* before the PLT is added, whose functions have two entries with IBT */
	symtab_find_twins(&dso->table);
	plt_symbols(&dso->table, file->elf);
	symtab_sort(&dso->table, last_addr(file->elf));
	dso->elf = file;
	return ELF_GOOD;
}

/* Set an id that no file has, because the file at the path is not the recorded one */
static void no_file_has(struct dso *dso)
{
	dso->other_id_size = FILE_ID_SIZE;
	memcpy(dso->other_id, &dso->identity, FILE_ID_SIZE);
}

/*
 * Set the id for other tools. They know only GNU's build id, and without one accept any file of the
 * path
 */
static void take_other_id(struct dso *dso, Elf *elf, const struct stat *st)
{
	const void *bits;

	if (!dso->build_id_size) {
		if (dso->has_identity && !same_identity(dso, st))
			no_file_has(dso);
		return;
	}
	if (same_build_id(dso, elf) && dwelf_elf_gnu_build_id(elf, &bits) <= 0)
		dso->other_id_size = 0;
}

void elf_file_other_id(struct dso *dso, const char *path)
{
	struct stat st;
	int fd = open_file(path, &st);
	Elf *elf;

	dso->other_id_known = 1;
	dso->other_id_size = dso->build_id_size < FILE_ID_SIZE ? dso->build_id_size : FILE_ID_SIZE;
	memcpy(dso->other_id, dso->build_id, dso->other_id_size);
	if (fd < 0)
		return;
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	if (elf && elf_kind(elf) == ELF_K_ELF)
		take_other_id(dso, elf, &st);
	elf_end(elf);
	close(fd);
}

static void read_dynsym(struct dso *dso, Elf *elf)
{
	Elf_Scn *scn = NULL;
	Elf_Data *data;
	GElf_Shdr sh;
	GElf_Sym sym;
	size_t i;

	while ((scn = elf_nextscn(elf, scn))) {
		if (!gelf_getshdr(scn, &sh) || sh.sh_type != SHT_DYNSYM || !sh.sh_entsize)
			continue;
		data = elf_getdata(scn, NULL);
		for (i = 1; data && i < sh.sh_size / sh.sh_entsize; i++) {
			if (!gelf_getsym(data, i, &sym))
				continue;
			add_symbol(dso, elf, &sym, sym.st_shndx,
				   elf_strptr(elf, sh.sh_link, sym.st_name),
				   sym.st_value);
		}
	}
}

enum elf_result elf_vdso(struct dso *dso)
{
	Elf64_Ehdr *image = (Elf64_Ehdr *)getauxval(AT_SYSINFO_EHDR);
	size_t i;
	Elf *elf;

	if (!image || !dso->build_id_size)
		return ELF_NONE;
	elf_version(EV_CURRENT);
	/* the image ends with the section headers, which give its size */
	elf = elf_memory((char *)image, image->e_shoff +
			 image->e_shnum * image->e_shentsize);
	if (!elf)
		return ELF_NONE;
	if (same_build_id(dso, elf)) {
		read_dynsym(dso, elf);
		/* elf_end() frees the strings */
		for (i = 0; i < dso->table.nr; i++)
			dso->table.symbols[i].name =
				intern_text(dso->table.symbols[i].name);
		symtab_sort(&dso->table, last_addr(elf));
		dso->image = xalloc(1, sizeof(*dso->image));
		dso->image->elf = elf;
		return ELF_GOOD;
	}
	elf_end(elf);
	return ELF_CHANGED;
}

/* libdw allocates rules up to the highest register in a table: refuse a hostile table's 2^31 */
static Dwarf_Frame *frame_of(Dwarf_CFI *cfi, GElf_Addr addr)
{
	Dwarf_Frame *frame;

	if (!cfi || dwarf_cfi_addrframe(cfi, addr, &frame))
		return NULL;
	if (malloc_usable_size(frame) <= MOST_FRAME)
		return frame;
	free(frame);
	return NULL;
}

static Dwarf_Frame *find_frame(struct elf_file *file, GElf_Addr addr)
{
	GElf_Addr bias = 0;
	Dwarf_Frame *frame;
	Dwarf_CFI *cfi;

	if (!file->module) {
		if (!file->cfi)
			file->cfi = dwarf_getcfi_elf(file->elf);
		return frame_of(file->cfi, addr);
	}
	cfi = dwfl_module_eh_cfi(file->module, &bias);
	frame = frame_of(cfi, addr - bias);
	if (frame)
		return frame;
	cfi = dwfl_module_dwarf_cfi(file->module, &bias);
	return frame_of(cfi, addr - bias);
}

Dwarf_Frame *elf_file_frame(struct elf_file *file, unsigned long long addr)
{
	unsigned long long began = now_ns();
	Dwarf_Frame *frame;

	if (file->tables_ns > MOST_TABLES)
		return NULL;
	frame = find_frame(file, addr);
	file->tables_ns += now_ns() - began;
	return frame;
}

/* A relative path starts where the file was compiled, @dir; NULL: not known */
static void set_path(struct source *source, const char *path, const char *dir)
{
	size_t length = dir ? strlen(dir) : 0;

	if (asprintf(&source->path, "%s%s%s", *path != '/' && dir ? dir : "",
		     *path != '/' && dir ? "/" : "", path) < 0)
		out_of_memory();
	/* for DWARF 5 elfutils has already joined @dir and @path: find the part after @dir */
	source->given = source->path;
	if (length && !strncmp(source->path, dir, length) && source->path[length] == '/')
		source->given += length + 1;
}

int elf_file_line(struct elf_file *file, unsigned long long addr, struct source *source)
{
	Dwfl_Line *l = dwfl_module_getsrc(file->module, addr);
	const char *path, *dir = NULL;

	if (l) {
		dir = dwfl_line_comp_dir(l);
		path = dwfl_lineinfo(l, NULL, &source->line, NULL, NULL, NULL);
	} else {
		path = lines_find(&file->lines, file->module, addr, &source->line, &dir);
	}
	if (path)
		set_path(source, path, dir);
	return !!path;
}

int elf_file_bits(const struct elf_file *file)
{
	return gelf_getclass(file->elf) == ELFCLASS32 ? 32 : 64;
}

unsigned int elf_file_machine(const struct elf_file *file)
{
	GElf_Ehdr ehdr;

	return gelf_getehdr(file->elf, &ehdr) ? ehdr.e_machine : EM_NONE;
}

int elf_file_is_entry(const struct elf_file *file, unsigned long long addr)
{
	GElf_Ehdr ehdr;

	return gelf_getehdr(file->elf, &ehdr) && ehdr.e_entry && addr >= ehdr.e_entry &&
	       addr - ehdr.e_entry < ENTRY_SIZE;
}

const unsigned char *elf_file_bytes(const struct elf_file *file, unsigned long long addr,
				    size_t *size)
{
	Elf_Data *data;
	size_t nr, i;
	GElf_Phdr ph;

	if (elf_getphdrnum(file->elf, &nr))
		return NULL;
	for (i = 0; i < nr; i++) {
		if (!gelf_getphdr(file->elf, i, &ph) || ph.p_type != PT_LOAD ||
		    addr < ph.p_vaddr || addr - ph.p_vaddr >= ph.p_filesz)
			continue;
		addr -= ph.p_vaddr;
		if (*size > ph.p_filesz - addr)
			*size = ph.p_filesz - addr;
		data = elf_getdata_rawchunk(file->elf, ph.p_offset + addr, *size, ELF_T_BYTE);
		return data ? data->d_buf : NULL;
	}
	return NULL;
}
