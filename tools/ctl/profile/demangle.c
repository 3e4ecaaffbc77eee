// SPDX-License-Identifier: GPL-2.0
/*
 * Names of C++ (and Rust, D) functions as people wrote them: with libiberty, as
 * binutils does; it is a static library of C, no C++ runtime comes with it.
 *
 * Apart from the rest because its header has macros of the same names.
 */
#include <stddef.h>
#include <libiberty/demangle.h>

char *demangle_name(const char *name);

/* NULL: it is none of those; else to be freed */
char *demangle_name(const char *name)
{
	return cplus_demangle(name, DMGL_PARAMS | DMGL_ANSI | DMGL_AUTO);
}
