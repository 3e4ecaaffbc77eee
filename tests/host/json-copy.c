// SPDX-License-Identifier: GPL-2.0
/*
 * Read JSON as knc-pmuctl does, and write it
 *
 *   json-copy FLAGS <TEXT
 *   json-copy FLAGS none	no text: a list with NaN and infinity, for which JSON has no number
 *
 * prints the value, or "LINE:COLUMN" and ends with 1
 */
#include <stdlib.h>

#include "json/text.h"

int main(int argc, char **argv)
{
	static char text[1 << 22];
	size_t size = fread(text, 1, sizeof(text), stdin);
	json_error_t error = { .line = 0 };
	json_t *value;

	if (argc > 2)
		value = json_pack("[f, f, f]", 0.0 / 0.0, 1.0 / 0.0, 1.5);
	else
		value = json_loadb(text, size, JSON_DECODE_ANY, &error);
	if (!value) {
		printf("%d:%d\n", error.line, error.column);
		return 1;
	}
	if (argc > 1)
		json_dumpf(value, stdout, strtoul(argv[1], NULL, 0));
	json_decref(value);
	return 0;
}
