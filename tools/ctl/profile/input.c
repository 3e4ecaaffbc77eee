// SPDX-License-Identifier: GPL-2.0
/* Opens the file of a command once, because it may be a pipe */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/message.h"
#include "profile/input.h"

#define BLOCK	65536

/* Copy a pipe; returns 0, or an errno */
static int copy_pipe(int fd, FILE *to)
{
	static char block[BLOCK];
	ssize_t n;

	do {
		n = read(fd, block, sizeof(block));
		if (n > 0 && fwrite(block, n, 1, to) != 1)
			return errno;
	} while (n > 0 || (n < 0 && errno == EINTR));
	if (n < 0 || fflush(to))
		return errno;
	rewind(to);
	return 0;
}

/* Copy the rest of the pipe @fd to a temporary file, and close the pipe */
static int keep_pipe(int fd, const char *path)
{
	struct pollfd pipe = { .fd = fd, .events = POLLIN };
	int kept = -1, why;
	FILE *to;

	/* undo input_open()'s O_NONBLOCK, to wait for a FIFO's writer */
	fcntl(fd, F_SETFL, 0);
	poll(&pipe, 1, -1);
	to = tmpfile();
	why = to ? copy_pipe(fd, to) : errno;
	if (!why) {
		kept = fcntl(fileno(to), F_DUPFD_CLOEXEC, 0);
		why = kept < 0 ? errno : 0;
	}
	if (to)
		fclose(to);
	close(fd);
	if (why)
		complain("can't make a temporary copy of %s: %s%s", path, strerror(why),
			 remedy(why));
	return kept;
}

int input_open(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;

	if (fd < 0) {
		complain("can't open %s: %s%s", path, strerror(errno),
			 errno == ENOENT ? "; record it, or name another file (-i)" :
			 errno == EACCES ? "; read it as the user that recorded it, or as root" :
			 remedy(errno));
		return -1;
	}
	if (!fstat(fd, &st)) {
		if (S_ISREG(st.st_mode))
			return fd;
		if (S_ISFIFO(st.st_mode))
			return keep_pipe(fd, path);
		complain("can't read %s: it is no file; write it to one first", path);
	} else {
		complain("can't read %s: %s", path, strerror(errno));
	}
	close(fd);
	return -1;
}

int input_begins(int fd, const char *text)
{
	size_t len = strlen(text);
	char begin[32];

	return pread(fd, begin, len, 0) == (ssize_t)len && !memcmp(begin, text, len);
}
