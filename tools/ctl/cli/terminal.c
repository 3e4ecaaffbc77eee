// SPDX-License-Identifier: GPL-2.0
/* What the user's terminal can do, also if a pager is between */
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/terminal.h"

/* The terminal on which the pager shows standard output; -1: there is no pager */
static int paged = -1;
/* Does the pager show colours, instead of their escape sequences? */
static int paged_colours;

/* The terminal to which @f is written; -1: none */
static int terminal_of(FILE *f)
{
	if (f == stdout && paged >= 0)
		return paged;
	return isatty(fileno(f)) ? fileno(f) : -1;
}

void terminal_paged(int fd, int colours)
{
	paged = fd;
	paged_colours = colours;
}

int terminal_escapes(FILE *f)
{
	const char *term = getenv("TERM");

	return terminal_of(f) >= 0 && term && *term && strcmp(term, "dumb");
}

int terminal_colours(FILE *f)
{
	const char *no = getenv("NO_COLOR");

	if (f == stdout && paged >= 0 && !paged_colours)
		return 0;
	return terminal_escapes(f) && !(no && *no);
}

unsigned int terminal_width(FILE *f)
{
	const char *columns = getenv("COLUMNS");
	struct winsize size;

	if (terminal_of(f) < 0)
		return 0;
	if (columns && atoi(columns) > 0)
		return atoi(columns);
	if (ioctl(terminal_of(f), TIOCGWINSZ, &size) || !size.ws_col)
		return 80;
	return size.ws_col;
}
