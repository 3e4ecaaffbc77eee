/* SPDX-License-Identifier: GPL-2.0 */
/* JSON in which all texts are clean, in and out */
#ifndef KNC_CTL_JSON_H
#define KNC_CTL_JSON_H

#include <jansson.h>
#include <stdio.h>

#include "cli/text.h"

/* @text, clean, as JSON */
json_t *text_json(const char *text);

/*
 * json_loadb() with all its texts clean, keys too. @blanks: for prose and formulas, in which
 * tabs and newlines are blanks
 */
json_t *load_json(const char *text, size_t size, size_t flags, int blanks, json_error_t *err);

/* The value and a newline; frees it. Returns an exit status */
int print_json(FILE *f, json_t *value, size_t flags);

/* KNCPMU_SRC_*, an array of words */
json_t *sources_json(unsigned int sources);

#endif /* KNC_CTL_JSON_H */
