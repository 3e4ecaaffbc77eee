/* SPDX-License-Identifier: GPL-2.0 */
/* Foreign texts, made clean (kncpmu_clean()) */
#ifndef KNC_CTL_TEXT_H
#define KNC_CTL_TEXT_H

#include <stdarg.h>
#include <stdio.h>

#include "cli/message.h"

/*
 * Return the only copy of a text, cleaned; it is kept until intern_free(). Foreign texts - names of
 * threads, files and symbols, words of the command line, texts of data files - are printed only in
 * this form. complain() and usage_error() clean their lines themselves.
 */
const char *intern(const char *text, size_t size);
const char *intern_text(const char *text);
__printf(1, 2)
const char *intern_format(const char *fmt, ...);
const char *intern_vformat(const char *fmt, va_list ap);
/* "A, B and C" of @nr words; 0: "" */
const char *intern_list(const char * const *words, unsigned int nr);
void intern_free(void);

/* The number of characters of a text, and the bytes of its first @n characters */
unsigned int text_width(const char *text);
size_t text_prefix(const char *text, size_t n);

/* Print @text, and blanks up to @columns */
void print_padded(FILE *f, const char *text, int columns);

/* The text after the last '/' */
const char *base_name(const char *path);

/* Print @text for XML, with &, <, > and quotes replaced */
void print_xml(FILE *f, const char *text);

#endif /* KNC_CTL_TEXT_H */
