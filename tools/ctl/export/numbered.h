/* SPDX-License-Identifier: GPL-2.0 */
/* Tables that number texts, files, functions and places, as formats need it */
#ifndef KNC_CTL_NUMBERED_H
#define KNC_CTL_NUMBERED_H

#include "cli/hash.h"
#include "profile/symbols.h"

/**
 * struct numbered - something that has a number in its table
 * @what: a text, a file, a function or a place: equal ones have the same address
 * @place: a place in this file or function; NULL: not needed
 * @number: its number, from 0 on
 * @hh: in a hash, by @what, in the order of numbers
 */
struct numbered {
	const void *what;
	struct place *place;
	unsigned int number;
	UT_hash_handle hh;
};

/* The number of @what in the table *@all; *@fresh: @what was not there before */
unsigned int number_of(struct numbered **all, const void *what, struct place *place, int *fresh);
/* The function of a place; all functions of a file without symbols are one */
const void *numbered_function(const struct place *place);
const char *numbered_function_name(const struct place *place);

#endif /* KNC_CTL_NUMBERED_H */
