// SPDX-License-Identifier: GPL-2.0
/* Text for people, as wide as their terminal */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <kncpmu.h>
#include <names.h>

#include "cli/message.h"
#include "cli/print.h"

void print_wrapped(FILE *f, const char *text, unsigned int indent,
		   unsigned int width)
{
	unsigned int column = indent, len;

	while (*text) {
		len = strcspn(text, " ");
		if (column > indent && width && column + 1 + len > width) {
			fprintf(f, "\n%*s", (int)indent, "");
			column = indent;
		}
		column += fprintf(f, "%s%.*s", column > indent ? " " : "",
				  (int)len, text);
		text += len + (text[len] == ' ');
	}
	fputc('\n', f);
}

void sources_text(unsigned int sources, char *text, size_t size)
{
	unsigned int bit;
	size_t len = 0;

	text[0] = '\0';
	for (bit = 0; kncpmu_source_name(bit) && len < size; bit++) {
		if (sources & 1U << bit)
			len += snprintf(text + len, size - len, "%s%s",
					len ? "," : "", kncpmu_source_name(bit));
	}
}

int close_output(FILE *f, const char *path)
{
	int error = fflush(f) || ferror(f);

	error = fclose(f) || error;
	if (!error)
		return CTL_OK;
	return complain("can't write %s: free space on its disk, or name another file", path);
}
