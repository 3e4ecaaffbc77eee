// SPDX-License-Identifier: GPL-2.0
/* Texts as fields of CSV */
#include <string.h>

#include "cli/csv.h"

void csv_text(FILE *f, const char *sep, const char *text)
{
	if (!strstr(text, sep) && !strpbrk(text, "\"\r\n")) {
		fputs(text, f);
		return;
	}
	fputc('"', f);
	for (; *text; text++)
		fprintf(f, *text == '"' ? "\"%c" : "%c", *text);
	fputc('"', f);
}
