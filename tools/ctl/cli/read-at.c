// SPDX-License-Identifier: GPL-2.0
/* Reads a whole piece of a file */
#include <errno.h>
#include <unistd.h>

#include "cli/read-at.h"

ssize_t read_at(int fd, void *to, size_t size, unsigned long long offset)
{
	size_t done = 0;
	ssize_t n;

	while (done < size) {
		n = pread(fd, (char *)to + done, size - done, offset + done);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		if (!n)
			break;
		done += n;
	}
	return done;
}
