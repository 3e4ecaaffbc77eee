// SPDX-License-Identifier: GPL-2.0
/* A line on the terminal that says how far a long command is */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <kncpmu.h>

#include "cli/progress.h"
#include "cli/terminal.h"

#define MANY	(16ULL << 20)	/* bytes; smaller files are read at once */
#define NAME	40		/* bytes of the file's name: the line must fit one row */

/* Does the terminal show the line? */
static int shown;

void progress(const char *doing, const char *path, unsigned long long done,
	      unsigned long long all)
{
	const char *slash, *base;
	static int last = -1;
	char name[4 * NAME + 1];
	int part;

	if (all < MANY)
		return;
	part = 100.0 * done / all;
	if (part == last)
		return;
	last = part;
	if (!terminal_escapes(stderr))
		return;
	shown = 1;
	slash = strrchr(path, '/');
	base = slash ? slash + 1 : path;
	kncpmu_clean(base, strnlen(base, NAME), name, sizeof(name));
	fprintf(stderr, "\r\033[K%s: %s %s: %d %%", program_invocation_short_name, doing,
		name, part);
}

void progress_end(void)
{
	if (shown)
		fputs("\r\033[K", stderr);
	shown = 0;
}
