/* SPDX-License-Identifier: GPL-2.0 */
/* Which tests tests/run was asked for */
#ifndef KNC_TEST_ASKED_H
#define KNC_TEST_ASKED_H

#include <stdlib.h>
#include <string.h>

/*
 * Was this test asked for? KNC_TEST_ONLY has NAME|NAME...; a NAME also stands for all tests that
 * begin with NAME and a dot. Without KNC_TEST_ONLY every test was asked for.
 */
static inline int is_asked_for(const char *name)
{
	const char *only = getenv("KNC_TEST_ONLY");
	size_t len;

	if (!only || !*only)
		return 1;
	for (; *only; only += len + (only[len] == '|')) {
		len = strcspn(only, "|");
		if (!strncmp(name, only, len) && (!name[len] || name[len] == '.'))
			return 1;
	}
	return 0;
}

#endif /* KNC_TEST_ASKED_H */
