// SPDX-License-Identifier: GPL-2.0
/* Small things that the files of libkncpmu share */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "private.h"

#ifndef KNCPMU_VERSION
#define KNCPMU_VERSION "unknown"
#endif

const char *kncpmu_version(void)
{
	return KNCPMU_VERSION;
}

int kncpmu_fail(struct kncpmu_error *err, int ret, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(err->text, sizeof(err->text), fmt, ap);
	va_end(ap);
	return ret;
}

int kncpmu_read_line(const char *path, char *line, size_t size)
{
	FILE *f;

	line[0] = '\0';
	f = fopen(path, "re");
	if (!f)
		return -errno;
	if (!fgets(line, size, f))
		line[0] = '\0';
	fclose(f);
	line[strcspn(line, "\n")] = '\0';
	return 0;
}

void kncpmu_process_name(int pid, char *text, size_t size)
{
	char path[32], comm[32];

	if (pid <= 0) {
		snprintf(text, size, "a process that is not visible from here");
		return;
	}
	snprintf(path, sizeof(path), "/proc/%d/comm", pid);
	if (kncpmu_read_line(path, comm, sizeof(comm)))
		snprintf(text, size, "pid %d", pid);
	else
		snprintf(text, size, "pid %d (%s)", pid, comm);
}
