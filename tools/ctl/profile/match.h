/* SPDX-License-Identifier: GPL-2.0 */
/* Names of functions as people write them */
#ifndef KNC_CTL_MATCH_H
#define KNC_CTL_MATCH_H

#include <stddef.h>

/**
 * enum match - how a word names a function, from not at all to best
 * @MATCH_NONE: not at all
 * @MATCH_PART: the word is some part of the name
 * @MATCH_UNQUALIFIED: the name without namespaces, classes and arguments
 * @MATCH_WHOLE: the name, with or without arguments
 */
enum match {
	MATCH_NONE,
	MATCH_PART,
	MATCH_UNQUALIFIED,
	MATCH_WHOLE
};

enum match match_name(const char *name, const char *word);

/* The part of the name without namespaces, classes and arguments, of *@length bytes */
const char *unqualified(const char *name, size_t *length);

#endif /* KNC_CTL_MATCH_H */
