/* SPDX-License-Identifier: GPL-2.0 */
/* Which tests tests/run was asked for */
#ifndef KNC_TEST_ASKED_H
#define KNC_TEST_ASKED_H

#include <stdlib.h>
#include <string.h>

/*
 * Is this test among KNC_TEST_ONLY's NAME|NAME..., or has a name that begins with one of them and a
 * dot? All are, if there is no KNC_TEST_ONLY.
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
