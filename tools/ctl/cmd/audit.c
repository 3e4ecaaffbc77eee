// SPDX-License-Identifier: GPL-2.0
/*
 * knc-pmuctl audit: finds the instructions in an ELF file that Knights Corner lacks
 *
 * It needs neither a card nor a library, because it is run where programs for a card are built.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <knc/lacks.h>

#include "cli/memory.h"
#include "cli/options.h"
#include "profile/machine.h"

/* Room for the kinds of knc_lacks(), and one kind for bytes that are no instruction */
#define MAX_KINDS	32

/**
 * struct kind - one kind of instructions
 * @name: its name in knc_lacks()
 * @nr: how many
 * @first: the address of the first
 * @where: the function that it is in
 */
struct kind {
	const char *name;
	unsigned long nr;
	unsigned long first;
	const char *where;
};

/**
 * struct audit - a file
 * @path: its name
 * @image: its contents
 * @size: its bytes
 * @nr: instructions
 * @functions: functions, or sections, that were read
 * @kinds: what was found
 * @nr_kinds: how many kinds
 */
struct audit {
	const char *path;
	const unsigned char *image;
	size_t size;
	unsigned long nr;
	unsigned long functions;
	struct kind kinds[MAX_KINDS];
	unsigned int nr_kinds;
};

static int verbose;

static const char * const usage[] = {
	"usage: knc-pmuctl audit [-v] FILE...",
	"",
	"Lists the instructions of programs, libraries and modules that Knights Corner lacks: such",
	"a program ends with SIGILL on a card. The files are those of a card (K1OM) or x86-64.",
	"The exit status is 1 if one has such instructions.",
	NULL
};

static const struct opt options[] = {
	{ 'v', "verbose", NULL, FLAG(&verbose),
	  "print each of them, with its address, its kind and its function" },
	END_OF_OPTIONS
};

/* Print the name of the file, cleaned for a terminal */
static void print_name(const char *name)
{
	char text[256];

	kncpmu_clean(name, strlen(name), text, sizeof(text));
	puts(text);
}

static void found(struct audit *a, const char *name, unsigned long address, const char *where)
{
	unsigned int i;

	if (verbose) {
		printf("%lx\t%s\t", address, name);
		print_name(where);
	}
	for (i = 0; i < a->nr_kinds && strcmp(a->kinds[i].name, name); i++)
		;
	if (i == MAX_KINDS)
		return;
	if (i == a->nr_kinds) {
		a->kinds[a->nr_kinds++].name = name;
		a->kinds[i].first = address;
		a->kinds[i].where = where;
	}
	a->kinds[i].nr++;
}

/* Decode one instruction after the other. A byte that begins none is data: continue at the next. */
static void sweep(struct audit *a, const unsigned char *code, size_t size, unsigned long address,
		  const char *where)
{
	struct knc_code c;
	const char *name;
	size_t at = 0;

	a->functions++;
	while (at < size) {
		if (!knc_code_decode(&c, code + at, size - at < 15 ? size - at : 15)) {
			found(a, "not decoded", address + at, where);
			at++;
			continue;
		}
		a->nr++;
		name = knc_lacks(&c);
		if (name)
			found(a, name, address + at, where);
		at += c.size;
	}
}

/* @n elements of @size bytes at @offset of the file; NULL if they are not all within the file */
static const void *part(const struct audit *a, unsigned long offset, unsigned long n,
			unsigned long size)
{
	if (offset > a->size || (n && size > (a->size - offset) / n) || offset % 8)
		return NULL;
	return a->image + offset;
}

/* A text in the string table @strings */
static const char *text_of(const struct audit *a, const Elf64_Shdr *strings, unsigned long at)
{
	if (strings->sh_offset > a->size || strings->sh_size > a->size - strings->sh_offset ||
	    at >= strings->sh_size ||
	    !memchr(a->image + strings->sh_offset + at, 0, strings->sh_size - at))
		return "?";
	return (const char *)a->image + strings->sh_offset + at;
}

/* Is the section's code executed where it is? Alternatives, which replace other code, are not. */
static int is_code(const struct audit *a, const Elf64_Shdr *s, const Elf64_Shdr *names)
{
	return s->sh_type == SHT_PROGBITS && s->sh_flags & SHF_EXECINSTR &&
	       s->sh_offset <= a->size && s->sh_size <= a->size - s->sh_offset &&
	       strcmp(text_of(a, names, s->sh_name), ".altinstr_replacement");
}

/**
 * struct sections - the section headers
 * @s: the headers
 * @nr: how many
 * @names: the section that has their names
 * @relocatable: the file is not linked: addresses are relative to the section
 */
struct sections {
	const Elf64_Shdr *s;
	unsigned int nr;
	const Elf64_Shdr *names;
	int relocatable;
};

static void sweep_function(struct audit *a, const struct sections *all, const Elf64_Sym *sym,
			   const Elf64_Shdr *strings)
{
	const Elf64_Shdr *s = &all->s[sym->st_shndx];
	unsigned long at = all->relocatable ? sym->st_value : sym->st_value - s->sh_addr;

	if (is_code(a, s, all->names) && at < s->sh_size && sym->st_size <= s->sh_size - at)
		sweep(a, a->image + s->sh_offset + at, sym->st_size, sym->st_value,
		      text_of(a, strings, sym->st_name));
}

static int compare_functions(const void *a, const void *b)
{
	const Elf64_Sym *x = *(const Elf64_Sym * const *)a, *y = *(const Elf64_Sym * const *)b;

	if (x->st_shndx != y->st_shndx)
		return x->st_shndx < y->st_shndx ? -1 : 1;
	if (x->st_value != y->st_value)
		return x->st_value < y->st_value ? -1 : 1;
	return (x->st_size < y->st_size) - (x->st_size > y->st_size);
}

/* Decode each function of a symbol table once; padding between functions is never executed */
static void sweep_symbols(struct audit *a, const struct sections *all, const Elf64_Shdr *table)
{
	unsigned long i, n = 0, nr = table->sh_size / sizeof(Elf64_Sym), end = 0;
	const Elf64_Sym *syms = part(a, table->sh_offset, nr, sizeof(*syms));
	const Elf64_Sym **functions;
	unsigned int section = 0;

	if (!syms || table->sh_link >= all->nr)
		return;
	functions = xalloc(nr, sizeof(*functions));
	for (i = 0; i < nr; i++) {
		if ((ELF64_ST_TYPE(syms[i].st_info) == STT_FUNC ||
		     ELF64_ST_TYPE(syms[i].st_info) == STT_GNU_IFUNC) && syms[i].st_size &&
		    syms[i].st_shndx && syms[i].st_shndx < all->nr)
			functions[n++] = &syms[i];
	}
	qsort(functions, n, sizeof(*functions), compare_functions);
	for (i = 0; i < n; i++) {
		/* this symbol is another name of the previous function, or a part of it */
		if (functions[i]->st_shndx == section && functions[i]->st_value < end)
			continue;
		section = functions[i]->st_shndx;
		end = functions[i]->st_value + functions[i]->st_size;
		sweep_function(a, all, functions[i], &all->s[table->sh_link]);
	}
	free(functions);
}

static void sweep_sections(struct audit *a, const struct sections *all)
{
	unsigned int i;

	for (i = 0; i < all->nr; i++) {
		if (is_code(a, &all->s[i], all->names))
			sweep(a, a->image + all->s[i].sh_offset, all->s[i].sh_size,
			      all->s[i].sh_addr, text_of(a, all->names, all->s[i].sh_name));
	}
}

static int report(const struct audit *a, const Elf64_Ehdr *head)
{
	unsigned long nr = 0;
	unsigned int i;

	printf("%s: %s, %lu instructions in %lu %s\n", a->path,
	       head->e_machine == EM_OLD_K1OM ? "K1OM (181)" : "x86-64 (62)", a->nr, a->functions,
	       "functions");
	for (i = 0; i < a->nr_kinds; i++) {
		printf("  %-14s%8lu   the first at %#lx in ", a->kinds[i].name, a->kinds[i].nr,
		       a->kinds[i].first);
		print_name(a->kinds[i].where);
		if (strcmp(a->kinds[i].name, "not decoded"))
			nr += a->kinds[i].nr;
	}
	if (nr)
		printf("%s: %lu instructions that Knights Corner lacks\n", a->path, nr);
	else
		printf("%s: no instruction that Knights Corner lacks\n", a->path);
	return nr ? CTL_FAILED : CTL_OK;
}

static int audit_image(struct audit *a)
{
	const Elf64_Ehdr *head = part(a, 0, 1, sizeof(*head));
	struct sections all;
	unsigned int i;

	if (!head || memcmp(head->e_ident, ELFMAG, SELFMAG) ||
	    head->e_ident[EI_CLASS] != ELFCLASS64 ||
	    (head->e_machine != EM_X86_64 && head->e_machine != EM_OLD_K1OM))
		return complain("%s is no 64-bit ELF file of a card (K1OM) or of x86-64", a->path);
	all.s = part(a, head->e_shoff, head->e_shnum, sizeof(*all.s));
	all.nr = head->e_shnum;
	all.relocatable = head->e_type == ET_REL;
	if (!all.s || !all.nr || head->e_shstrndx >= all.nr)
		return complain("%s has no section headers: take the file from before strip -R or "
				"sstrip",
				a->path);
	all.names = &all.s[head->e_shstrndx];
	for (i = 0; i < all.nr; i++) {
		if (all.s[i].sh_type == SHT_SYMTAB)
			sweep_symbols(a, &all, &all.s[i]);
	}
	if (!a->functions)
		sweep_sections(a, &all);
	return report(a, head);
}

static int audit_file(const char *path)
{
	struct audit a = { .path = path };
	struct stat st;
	void *image;
	int status, fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0 || fstat(fd, &st)) {
		status = complain("can't read %s: %s", path, strerror(errno));
		if (fd >= 0)
			close(fd);
		return status;
	}
	image = S_ISREG(st.st_mode) && st.st_size ?
		mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
	close(fd);
	if (image == MAP_FAILED)
		return complain("%s is no 64-bit ELF file of a card (K1OM) or of x86-64", path);
	a.image = image;
	a.size = st.st_size;
	status = audit_image(&a);
	munmap(image, st.st_size);
	return status;
}

static int run_audit(const struct command *cmd, int argc, char **argv)
{
	int i, status = CTL_OK;

	if (!argc)
		return usage_error(cmd, "audit needs a FILE: a program, a library or a module");
	for (i = 0; i < argc; i++)
		status |= audit_file(argv[i]);
	return status;
}

const struct command audit_command = {
	.name = "audit",
	.summary = "instructions of a file that a card lacks",
	.usage = usage,
	.options = options,
	.operands = 1,
	.run = run_audit,
};
