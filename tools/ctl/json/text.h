/* SPDX-License-Identifier: GPL-2.0 */
/* Reading and writing JSON */
#ifndef KNC_CTL_JSON_TEXT_H
#define KNC_CTL_JSON_TEXT_H

#include <stdio.h>

#include "json/value.h"

/* Parse JSON; on failure returns NULL, and *@error (@error may be NULL) says why */
json_t *json_loadb(const char *text, size_t size, size_t flags, json_error_t *error);

/* Write JSON to @f; returns -1 if that fails */
int json_dumpf(const json_t *value, FILE *f, size_t flags);
/* JSON as a malloc()ed string, or NULL */
char *json_dumps(const json_t *value, size_t flags);

#endif /* KNC_CTL_JSON_TEXT_H */
