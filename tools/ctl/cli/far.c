// SPDX-License-Identifier: GPL-2.0
/* The card's side of --via: what the commands need to know of the user's machine */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "cli/far.h"

static const struct far *side;

void far_begin(const struct far *far)
{
	side = far;
}

const struct far *far_side(void)
{
	return side;
}

int far_output(void)
{
	return fcntl(side->fd, F_DUPFD_CLOEXEC, 3);
}

void far_keep(void)
{
	ssize_t n;

	do {
		n = write(side->keep, "", 1);
	} while (n < 0 && errno == EINTR);
}

FILE *far_input(const char *name)
{
	unsigned int i;

	for (i = 0; side && i < side->nr_files; i++) {
		/* older C libraries' fmemopen() refuses a size of 0 */
		if (!strcmp(side->files[i].name, name))
			return side->files[i].size ?
			       fmemopen((void *)side->files[i].data, side->files[i].size, "r") :
			       fopen("/dev/null", "re");
	}
	return NULL;
}
