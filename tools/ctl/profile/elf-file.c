// SPDX-License-Identifier: GPL-2.0
/* Functions and source lines of ELF files, through elfutils */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>
#include <elfutils/libdwelf.h>
#include <elfutils/libdwfl.h>

#include "cli/text.h"
#include "profile/elf-file.h"

struct elf_file {
	Dwfl_Callbacks callbacks;
	Dwfl *dwfl;
	Dwfl_Module *module;
	Elf *elf;
};

void elf_file_close(struct elf_file *file)
{
	if (!file)
		return;
	dwfl_end(file->dwfl);
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

/* Preference among the names of an address: functions, global ones, without underscores */
static unsigned int rank(const GElf_Sym *sym, const char *name)
{
	int bind = GELF_ST_BIND(sym->st_info);

	return (GELF_ST_TYPE(sym->st_info) != STT_NOTYPE) << 5 |
	       (sym->st_size > 0) << 4 |
	       (bind == STB_GLOBAL ? 2 : bind == STB_WEAK) << 2 |
	       (name[0] != '_' ? 2 : name[1] != '_');
}

static void add_symbol(struct dso *dso, Elf *elf, const GElf_Sym *sym,
		       GElf_Word section, const char *name, GElf_Addr addr)
{
	if (!name || !*name || !is_code(elf, sym, section))
		return;
	symtab_add(&dso->table, name, addr, sym->st_size)->rank = rank(sym, name);
}

static void read_symbols(struct dso *dso, struct elf_file *file)
{
	int nr = dwfl_module_getsymtab(file->module), i;
	GElf_Word section = 0;
	const char *name;
	GElf_Addr addr;
	GElf_Sym sym;
	Elf *elf;

	for (i = 1; i < nr; i++) {
		name = dwfl_module_getsym_info(file->module, i, &sym, &addr, &section,
					       &elf, NULL);
		add_symbol(dso, elf, &sym, section, name, addr);
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

static int same_build_id(const struct dso *dso, Elf *elf)
{
	const void *id;
	ssize_t size;

	if (!dso->build_id_size)
		return 1;
	size = dwelf_elf_gnu_build_id(elf, &id);
	if (size > (ssize_t)sizeof(dso->build_id))
		size = sizeof(dso->build_id);
	return size == (ssize_t)dso->build_id_size && !memcmp(id, dso->build_id, size);
}

/* Open a regular file, without waiting if it is a FIFO; -1: failed */
static int open_file(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;

	if (fd < 0)
		return -1;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode))
		return fd;
	close(fd);
	return -1;
}

/* Report the file to libdwfl without a bias: addresses are those of its own headers */
static int report(struct elf_file *file, const char *path, int fd)
{
	GElf_Addr bias;

	file->callbacks.find_elf = dwfl_build_id_find_elf;
	file->callbacks.find_debuginfo = dwfl_standard_find_debuginfo;
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
	int fd = open_file(path);

	if (fd < 0)
		return ELF_NONE;
	file = xalloc(1, sizeof(*file));
	file->callbacks.debuginfo_path = debug;
	if (!report(file, path, fd)) {
		elf_file_close(file);
		return ELF_NONE;
	}
	if (!same_build_id(dso, file->elf)) {
		elf_file_close(file);
		return ELF_CHANGED;
	}
	read_symbols(dso, file);
	symtab_sort(&dso->table, last_addr(file->elf));
	dso->elf = file;
	return ELF_GOOD;
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
	enum elf_result result = ELF_CHANGED;
	size_t i;
	Elf *elf;

	if (!image || !dso->build_id_size)
		return ELF_NONE;
	elf_version(EV_CURRENT);
	/* the section headers are at its end, and tell its size */
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
		result = ELF_GOOD;
	}
	elf_end(elf);
	return result;
}

const char *elf_file_line(struct elf_file *file, unsigned long long addr, int *line,
			  const char **dir)
{
	Dwfl_Line *l = dwfl_module_getsrc(file->module, addr);

	*dir = l ? dwfl_line_comp_dir(l) : NULL;
	return l ? dwfl_lineinfo(l, NULL, line, NULL, NULL, NULL) : NULL;
}

int elf_file_bits(const struct elf_file *file)
{
	return gelf_getclass(file->elf) == ELFCLASS32 ? 32 : 64;
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
