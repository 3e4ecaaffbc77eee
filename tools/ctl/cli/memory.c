// SPDX-License-Identifier: GPL-2.0
/* Allocation that ends the program if it fails */
#include <stdlib.h>

#include "cli/memory.h"
#include "cli/message.h"

void __noreturn out_of_memory(void)
{
	exit(complain("out of memory"));
}

void *xalloc(size_t n, size_t size)
{
	void *p = calloc(n ? : 1, size);

	if (!p)
		out_of_memory();
	return p;
}

char *xcopy(const char *text)
{
	char *s = strdup(text);

	if (!s)
		out_of_memory();
	return s;
}

void *xgrow(void *array, size_t nr, size_t *room, size_t size)
{
	if (nr < *room)
		return array;
	*room = *room ? *room * 2 : 16;
	array = *room > (size_t)-1 / size ? NULL : realloc(array, *room * size);
	if (!array)
		out_of_memory();
	return array;
}
