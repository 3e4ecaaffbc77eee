// SPDX-License-Identifier: GPL-2.0
/* A file for node_exporter's textfile collector, which must never read a half-written one */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "serve/serve.h"
#include "top/signals.h"

/* Write PATH.new, which node_exporter ignores, and rename it. Returns 0 or a negative errno */
static int write_new(const char *path, const char *text, size_t size)
{
	char name[4096];
	FILE *f;
	int failed;

	if (snprintf(name, sizeof(name), "%s.new", path) >= (int)sizeof(name))
		return -ENAMETOOLONG;
	f = fopen(name, "w");
	if (!f)
		return -errno;
	failed = fwrite(text, 1, size, f) != size ? -errno : 0;
	if (fclose(f) && !failed)
		failed = -errno;
	if (!failed && rename(name, path))
		failed = -errno;
	if (failed)
		unlink(name);
	return failed;
}

int serve_textfile(struct serve_counts *c, const char *path, unsigned int seconds,
		   const char *card)
{
	struct pollfd fd = { .fd = top_signal_fd(), .events = POLLIN };
	int failed = 0;
	size_t size;
	char *text;

	while (!failed && !top_signal()) {
		serve_read(c);
		text = serve_text(c, 0, card, &size);
		if (!text)
			return complain("out of memory");
		failed = write_new(path, text, size);
		free(text);
		if (!failed)
			poll(&fd, 1, (int)seconds * 1000);
	}
	/* old counts that stay in the file would look like an idle card */
	unlink(path);
	return failed ? cant_write(path, -failed, "--textfile") : CTL_OK;
}
