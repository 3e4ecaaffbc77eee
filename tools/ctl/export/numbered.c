// SPDX-License-Identifier: GPL-2.0
/* Tables that number texts, files, functions and places, as formats need it */
#include "export/numbered.h"

unsigned int number_of(struct numbered **all, const void *what, struct place *place, int *fresh)
{
	struct numbered *found;

	HASH_FIND_PTR(*all, &what, found);
	*fresh = !found;
	if (found)
		return found->number;
	found = xalloc(1, sizeof(*found));
	found->what = what;
	found->place = place;
	found->number = HASH_COUNT(*all);
	HASH_ADD_PTR(*all, what, found);
	return found->number;
}

const void *numbered_function(const struct place *place)
{
	return place->symbol ? (const void *)place->symbol : place->label;
}

const char *numbered_function_name(const struct place *place)
{
	return place->symbol ? place->name : place->label->key.text;
}
