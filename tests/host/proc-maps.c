// SPDX-License-Identifier: GPL-2.0
/* knc-pmuctl record: lines of /proc/PID/maps, the last of which may be cut off */
#include <stdio.h>
#include <string.h>

#include "../../tools/ctl/record/proc.c"

static char found[256];

void buffer_put(struct sideband *sb, struct data_task *task, size_t size, const char *text,
		size_t max)
{
	(void)sb;
	(void)task;
	(void)size;
	(void)text;
	(void)max;
}

void buffer_put_map(struct sideband *sb, struct identified_mmap *map, const char *name,
		    unsigned long long inode)
{
	size_t len = strlen(found);

	(void)sb;
	snprintf(found + len, sizeof(found) - len, "%llx+%llx %llu %s;",
		 (unsigned long long)map->map.start, (unsigned long long)map->map.length, inode,
		 name);
}

void jit_note(int pid, const char *name)
{
	(void)pid;
	(void)name;
}

static int check(const char *name, const char *lines, const char *wanted)
{
	char *maps = strdup(lines);
	int good;

	found[0] = '\0';
	put_maps(NULL, 1, 0, maps);
	free(maps);
	good = !strcmp(found, wanted);
	printf(good ? "ok proc-maps.%s\n" : "not ok proc-maps.%s: '%s'\n", name, found);
	return !good;
}

#define WHOLE	"1000-3000 r-xp 00000000 08:01 7   /bin/true\n"

int main(void)
{
	return check("none", "", "") | check("whole", WHOLE WHOLE, "1000+2000 7 /bin/true;"
					     "1000+2000 7 /bin/true;") |
	       check("anonymous", "1000-2000 r-xp 00000000 00:00 0\040\n", "1000+1000 0 //anon;") |
	       check("cut-name", WHOLE "4000-5000 r-xp 00000000 08:01 8   /bin/fal",
		     "1000+2000 7 /bin/true;4000+1000 8 /bin/fal;") |
	       check("cut-number", WHOLE "4000-5000 r-xp 000", "1000+2000 7 /bin/true;") |
	       check("cut-first", "40", "");
}
