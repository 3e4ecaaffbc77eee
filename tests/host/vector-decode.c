// SPDX-License-Identifier: GPL-2.0
/*
 * Decode the instructions of Knights Corner on the standard input, a line of hexadecimal digits
 * each: prints "BYTES NAME OPERANDS", or "0" if it is none of them, or "more" if a byte is missing.
 * They are at address 0. check-vector compares the lines.
 */
#include <stdio.h>

#include "profile/vector.h"

int main(void)
{
	unsigned char bytes[64];
	struct knc_vector_insn insn;
	char line[256], text[256];
	unsigned int nr, byte;
	int found;

	while (fgets(line, sizeof(line), stdin)) {
		for (nr = 0; nr < sizeof(bytes) && sscanf(line + 2 * nr, "%2x", &byte) == 1; nr++)
			bytes[nr] = byte;
		found = knc_vector_decode(&insn, bytes, nr);
		if (found <= 0) {
			puts(found ? "more" : "0");
			continue;
		}
		vector_operands(&insn, 0, text, sizeof(text));
		printf("%u %s %s\n", insn.length, insn.row->name, text);
	}
	return 0;
}
