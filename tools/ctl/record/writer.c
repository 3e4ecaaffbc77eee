// SPDX-License-Identifier: GPL-2.0
/*
 * Writes data files, each chunk with one call: a truncated file can be read up to its last complete
 * chunk
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "cli/array.h"
#include "cli/crc.h"
#include "cli/far.h"
#include "cli/json.h"
#include "json/text.h"
#include "record/writer.h"

#define PADDING(size)	(-(size) & 7)

static int is_file(const char *path)
{
	struct stat st;

	return !lstat(path, &st) && S_ISREG(st.st_mode);
}

/* Write everything; returns 0 or an errno */
static int write_all(int fd, struct iovec *iov, int nr)
{
	ssize_t n;

	while (nr) {
		if (!iov->iov_len) {
			iov++;
			nr--;
			continue;
		}
		n = writev(fd, iov, nr);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? errno : ENOSPC;
		for (; nr && (size_t)n >= iov->iov_len; iov++, nr--)
			n -= iov->iov_len;
		if (nr) {
			iov->iov_base = (char *)iov->iov_base + n;
			iov->iov_len -= n;
		}
	}
	return 0;
}

/* Append everything, or leave the file as it was */
static int append(struct data_writer *file, struct iovec *iov, int nr)
{
	unsigned long long size = 0;
	int i;

	for (i = 0; i < nr; i++)
		size += iov[i].iov_len;
	file->error = write_all(file->fd, iov, nr);
	if (!file->error) {
		file->size += size;
		return 0;
	}
	/* if this fails the incomplete chunk is harmless: readers ignore it */
	if (ftruncate(file->fd, file->size))
		return -1;
	lseek(file->fd, file->size, SEEK_SET);
	return -1;
}

/*
 * If the file exists, create a new one beside it with an unused name: an earlier recorder with the
 * same pid may have been killed. If @path is a symbolic link, the new file is beside the link's
 * target, and the link stays.
 */
static int make_draft(struct data_writer *file)
{
	struct stat st;

	if (stat(file->path, &st) || !S_ISREG(st.st_mode))
		return 0;
	file->target = is_file(file->path) ? strdup(file->path) : realpath(file->path, NULL);
	/* an open file without a name, such as /dev/stdout, can't be replaced */
	if (!file->target && errno != ENOMEM)
		return 0;
	if (!file->target ||
	    asprintf(&file->draft, "%s.XXXXXX", file->target) < 0) {
		file->draft = NULL;
		return complain("out of memory");
	}
	return 0;
}

static int open_new(struct data_writer *file)
{
	if (far_side())
		return far_output();
	/* readable for its owner only: it has addresses, and activities of other users */
	return file->draft ? mkostemp(file->draft, O_CLOEXEC) :
	       open(file->path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
}

int writer_open(struct data_writer *file, const char *path)
{
	memset(file, 0, sizeof(*file));
	file->fd = -1;
	file->path = path;
	/* on the card's side of --via the user's machine makes the draft */
	if (!far_side() && make_draft(file))
		return CTL_FAILED;
	file->fd = open_new(file);
	return file->fd < 0 ? cant_write(path, errno, "-o") : 0;
}

int writer_append(struct data_writer *file, const void *data, size_t size)
{
	struct iovec iov = { .iov_base = (void *)data, .iov_len = size };

	return file->error ? -1 : append(file, &iov, 1);
}

static int create(struct data_writer *file, const char *path, unsigned int version)
{
	struct data_header header = {
		.version = version,
		.header_size = sizeof(header),
	};

	if (writer_open(file, path))
		return CTL_FAILED;
	memcpy(header.magic, DATA_MAGIC, sizeof(header.magic));
	if (writer_append(file, &header, sizeof(header)))
		return cant_write(path, file->error, "-o");
	return 0;
}

int writer_create(struct data_writer *file, const char *path)
{
	return create(file, path, DATA_VERSION);
}

int writer_create_merged(struct data_writer *file, const char *path)
{
	return create(file, path, DATA_MERGED);
}

static void free_names(struct data_writer *file)
{
	free(file->draft);
	free(file->target);
	file->draft = NULL;
	file->target = NULL;
}

/* Keep an existing file as TARGET.old */
static int keep_old(const struct data_writer *file)
{
	char *old;
	int why;

	if (asprintf(&old, "%s.old", file->target) < 0)
		return -1;
	why = rename(file->target, old) ? errno : 0;
	free(old);
	errno = why;
	return why && why != ENOENT ? -1 : 0;
}

int writer_keep(struct data_writer *file)
{
	if (far_side())
		far_keep();
	if (!file->draft)
		return 0;
	if (keep_old(file) || rename(file->draft, file->target)) {
		complain("can't rename '%s': %s; the samples are in '%s'",
			 file->target, strerror(errno), file->draft);
		file->path = file->draft;
		file->draft = NULL;
		free_names(file);
		return CTL_FAILED;
	}
	free_names(file);
	return 0;
}

int writer_put(struct data_writer *file, enum data_type type, const void *head,
	       size_t head_size, const void *payload, size_t size)
{
	static const char zeros[8];
	size_t padding = PADDING(head_size + size);
	struct data_chunk chunk = {
		.type = type,
		.size = head_size + size + padding,
	};
	struct iovec iov[] = {
		{ .iov_base = &chunk, .iov_len = sizeof(chunk) },
		{ .iov_base = (void *)head, .iov_len = head_size },
		{ .iov_base = (void *)payload, .iov_len = size },
		{ .iov_base = (void *)zeros, .iov_len = padding },
	};

	if (file->error)
		return -1;
	chunk.crc = add_crc(0, head, head_size);
	chunk.crc = add_crc(chunk.crc, payload, size);
	chunk.crc = add_crc(chunk.crc, zeros, padding);
	return append(file, iov, ARRAY_SIZE(iov));
}

int writer_put_json(struct data_writer *file, enum data_type type, json_t *value)
{
	char *text = value ? json_dumps(value, JSON_COMPACT) : NULL;
	int ret;

	json_decref(value);
	if (!text) {
		file->error = ENOMEM;
		return -1;
	}
	ret = writer_put(file, type, NULL, 0, text, strlen(text));
	free(text);
	return ret;
}

int writer_close(struct data_writer *file)
{
	if (file->fd >= 0 && close(file->fd) && !file->error)
		file->error = errno;
	file->fd = -1;
	return file->error ? -1 : 0;
}

void writer_discard(struct data_writer *file)
{
	/* a link that dangled points to the new file now */
	char *name = file->fd < 0 || far_side() ? NULL :
		     realpath(file->draft ? file->draft : file->path, NULL);

	writer_close(file);
	if (name && is_file(name))
		unlink(name);
	free(name);
	free_names(file);
}
