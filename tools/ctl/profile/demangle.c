// SPDX-License-Identifier: GPL-2.0
/*
 * Demangles the names of C++, Rust and D functions with libiberty, as binutils does: a static
 * library of C, without a C++ runtime.
 *
 * A file of its own, because libiberty's header has macros of the same names.
 */
#include <stddef.h>
#include <libiberty/demangle.h>

char *demangle_name(const char *name);

/* The demangled name, to be freed; NULL: @name is not mangled */
char *demangle_name(const char *name)
{
	return cplus_demangle(name, DMGL_PARAMS | DMGL_ANSI | DMGL_AUTO);
}
