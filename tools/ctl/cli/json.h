/* SPDX-License-Identifier: GPL-2.0 */
/* Reading and writing JSON whose texts are clean */
#ifndef KNC_CTL_JSON_H
#define KNC_CTL_JSON_H

#include "json/value.h"
#include <stdio.h>

#include "cli/text.h"

/* Clean @text as a JSON string */
json_t *text_json(const char *text);

/*
 * json_loadb() with all texts and keys clean. @blanks: replace tabs and newlines by blanks, for
 * prose and formulas
 */
json_t *load_json(const char *text, size_t size, size_t flags, int blanks, json_error_t *err);

/* The text of an object's member; "" if it has none */
const char *member_text(const json_t *object, const char *key);

/* Print clean @text as a JSON string, for output that is written piece by piece */
void put_json_text(FILE *f, const char *text);

/* Print the value and a newline, and free the value; returns an exit status */
int print_json(FILE *f, json_t *value, size_t flags);

/* KNCPMU_SRC_* as an array of words */
json_t *sources_json(unsigned int sources);

#endif /* KNC_CTL_JSON_H */
