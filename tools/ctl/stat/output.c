// SPDX-License-Identifier: GPL-2.0
/*
 * The output file of stat. An existing file keeps its contents until the command has been executed
 * and there are counts.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/far.h"
#include "cli/message.h"
#include "stat/output.h"

#define UNKNOWN	(-1)

static int open_file(struct output *out)
{
	int flags = O_WRONLY | O_CLOEXEC | (out->append ? O_APPEND : 0);
	int fd;

	if (far_side())
		return far_output();
	fd = open(out->path, flags);
	if (fd >= 0 || errno != ENOENT)
		return fd;
	fd = open(out->path, flags | O_CREAT | O_EXCL, 0666);
	out->created = fd >= 0;
	/* EEXIST: another process has just created the file, or it is a dangling link */
	return fd < 0 && errno == EEXIST ? open(out->path, flags | O_CREAT, 0666) : fd;
}

int output_open(struct output *out, const char *path, int append)
{
	int fd;

	memset(out, 0, sizeof(*out));
	out->file = stderr;
	out->path = path;
	out->append = append;
	if (!path)
		return 0;
	fd = open_file(out);
	out->file = fd >= 0 ? fdopen(fd, append ? "a" : "w") : NULL;
	if (out->file)
		return 0;
	return cant_write(path, errno, "-o");
}

void output_begin(struct output *out)
{
	struct stat st;
	int fd = fileno(out->file);

	if (out->begun)
		return;
	out->begun = 1;
	if (out->path && far_side())
		far_keep();
	if (!out->path || out->append || fstat(fd, &st) || !S_ISREG(st.st_mode))
		return;
	if (ftruncate(fd, 0))
		out->error = errno;
}

void output_flush(struct output *out)
{
	if (out->error)
		return;
	/* the errno of an earlier write, when a buffer became full, is not known */
	out->error = ferror(out->file) ? UNKNOWN : 0;
	errno = 0;
	if (fflush(out->file))
		out->error = errno;
}

int output_close(struct output *out, int status)
{
	output_flush(out);
	if (!out->path)
		return out->error && !status ? CTL_FAILED : status;
	errno = 0;
	if (fclose(out->file) && !out->error)
		out->error = errno ? errno : UNKNOWN;
	if (!out->begun && out->created)
		unlink(out->path);
	if (!out->error)
		return status;
	return complain("can't write to '%s': %s%ssome of the counts are missing; free space, "
			"or choose another file with -o", out->path,
			out->error > 0 ? strerror(out->error) : "",
			out->error > 0 ? "; " : "");
}
