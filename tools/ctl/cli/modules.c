// SPDX-License-Identifier: GPL-2.0
/* The kernel's modules, from /proc/modules */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <kncpmu.h>
#include <kernel-file.h>

#include "cli/modules.h"

/* Parse "NAME SIZE USES BY STATE ADDRESS". The name is only a key: it is never printed from here */
static int take_line(const char *line, struct module_place *place)
{
	const char *rest = strchr(line, ' ');
	unsigned long long size;
	int state = 0;

	memset(place, 0, sizeof(*place));
	if (!rest || rest - line >= MODULE_NAME ||
	    sscanf(rest, "%llu %*s %*s %n%*s %llx", &size, &state, &place->start) != 2)
		return 0;
	memcpy(place->name, line, rest - line);
	place->end = place->start + size;
	place->leaves = !strncmp(rest + state, "Unloading ", strlen("Unloading "));
	return place->start != 0;
}

int each_module(void (*fn)(void *ctx, const struct module_place *place), void *ctx)
{
	int error;
	FILE *f = kncpmu_kernel_open("/proc/modules", &error);
	struct module_place place;
	char *line = NULL;
	size_t room = 0;

	if (!f)
		return -1;
	while (getline(&line, &room, f) > 0) {
		if (take_line(line, &place))
			fn(ctx, &place);
	}
	free(line);
	fclose(f);
	return 0;
}
