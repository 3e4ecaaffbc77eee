// SPDX-License-Identifier: GPL-2.0
/* Tells intervals from events in a list, and finds a named interval */
#include <string.h>

#include "interval-name.h"

int kncpmu_interval_name(const char *text, size_t len)
{
	static const struct {
		const char *name;
		enum kncpmu_interval column;
	} names[] = {
		{ "on", KNCPMU_ON }, { "hi", KNCPMU_HI }, { "high", KNCPMU_HI },
		{ "lo", KNCPMU_LO }, { "low", KNCPMU_LO },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		if (len == strlen(names[i].name) && !strncmp(text, names[i].name, len))
			return names[i].column;
	}
	return -1;
}

int kncpmu_is_interval(const char *text, size_t len)
{
	return kncpmu_interval_name(text, len) >= 0 || (*text >= '0' && *text <= '9');
}
