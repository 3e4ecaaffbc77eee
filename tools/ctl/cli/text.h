/* SPDX-License-Identifier: GPL-2.0 */
/* Texts of others, fit to be shown */
#ifndef KNC_CTL_TEXT_H
#define KNC_CTL_TEXT_H

#include <stdio.h>

#include "cli/message.h"

/*
 * The one copy of a text, for good, as kncpmu_clean() has it. Names of threads, files and
 * symbols, words of the command line and texts of data files come from somebody else, and
 * are printed only in this form; complain() and usage_error() do it themselves.
 */
const char *intern(const char *text, size_t size);
const char *intern_text(const char *text);
__printf(1, 2)
const char *intern_format(const char *fmt, ...);
void intern_free(void);

/* Characters, not bytes, of a text; bytes of the first @n of them */
unsigned int text_width(const char *text);
size_t text_prefix(const char *text, size_t n);

/* The text behind the last '/' */
const char *base_name(const char *path);

/* @text for XML, with &, <, > and quotes replaced */
void print_xml(FILE *f, const char *text);

#endif /* KNC_CTL_TEXT_H */
