// SPDX-License-Identifier: GPL-2.0
/*
 * Demangles the names of C++, Rust and D functions with libiberty, as binutils does: a static
 * library of C, without a C++ runtime.
 *
 * A file of its own, because libiberty's header has macros of the same names.
 */
#include <setjmp.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <libiberty/demangle.h>

/*
 * A substitution doubles the text with every few characters of the mangled name: c++filt writes
 * gigabytes for 200 characters. A name that becomes longer than this stays mangled.
 */
#define MOST_TEXT	4096

/*
 * libiberty has no bound and no callback for D. Its text is at most e^(n/e) times as long as the
 * name, of n back references.
 */
#define MOST_D_NAME	4096
#define MOST_D_REFERENCES	24

char *demangle_name(const char *name);

/**
 * struct demangled - the text so far
 * @size: bytes of @text
 * @text: the text, without its NUL
 * @too_long: longjmp()'s target if the text becomes too long
 */
struct demangled {
	size_t size;
	char text[MOST_TEXT];
	jmp_buf too_long;
};

/* longjmp() is safe here and the only way to stop libiberty, which holds no memory meanwhile */
static void add_text(const char *text, size_t size, void *ctx)
{
	struct demangled *d = ctx;

	if (size >= sizeof(d->text) - d->size)
		longjmp(d->too_long, 1);
	memcpy(d->text + d->size, text, size);
	d->size += size;
}

typedef int (*demangle_fn)(const char *name, int options, demangle_callbackref callback, void *ctx);

static char *demangle_with(demangle_fn fn, const char *name)
{
	struct demangled d;

	d.size = 0;
	if (setjmp(d.too_long) || !fn(name, DMGL_PARAMS | DMGL_ANSI, add_text, &d))
		return NULL;
	return strndup(d.text, d.size);
}

/* Is it D's mangled name: "_Dmain", or _D and the length of the first part? */
static int is_d(const char *name)
{
	return !strcmp(name, "_Dmain") ||
	       (!strncmp(name, "_D", 2) && name[2] >= '0' && name[2] <= '9');
}

static char *demangle_d(const char *name)
{
	unsigned int references = 0;
	const char *at;

	for (at = name; *at; at++)
		references += *at == 'Q';
	if (references > MOST_D_REFERENCES || at - name > MOST_D_NAME)
		return NULL;
	return dlang_demangle(name, DMGL_PARAMS | DMGL_ANSI);
}

/* The demangled name, to be freed; NULL: @name is not mangled, or too long when demangled */
char *demangle_name(const char *name)
{
	char *text;

	if (is_d(name))
		return demangle_d(name);
	/* try Rust first, because its legacy names are valid C++ names with a hash at the end */
	text = demangle_with(rust_demangle_callback, name);
	return text ? : demangle_with(cplus_demangle_v3_callback, name);
}
