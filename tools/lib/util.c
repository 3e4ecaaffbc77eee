// SPDX-License-Identifier: GPL-2.0
/* The library's version, error lines, the first line of a file, names of threads and processes */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "private.h"
#include "kernel-file.h"

#ifndef KNCPMU_VERSION
#define KNCPMU_VERSION "unknown"
#endif

const char *kncpmu_version(void)
{
	return KNCPMU_VERSION;
}

int kncpmu_fail(struct kncpmu_error *err, int ret, const char *fmt, ...)
{
	char text[sizeof(err->text)];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	kncpmu_clean(text, strlen(text), err->text, sizeof(err->text));
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

/* Get the clean name of a thread; returns 0, or a negative errno and leaves @text */
static int thread_name(int tid, char *text, size_t size)
{
	char path[32], name[64];
	int ret;

	snprintf(path, sizeof(path), "/proc/%d/comm", tid);
	ret = kncpmu_proc_own() ? : kncpmu_read_line(path, name, sizeof(name));
	if (!ret)
		kncpmu_clean(name, strlen(name), text, size);
	return ret;
}

void kncpmu_process_name(int pid, char *text, size_t size)
{
	char name[KNCPMU_COMM_LEN], whole[KNCPMU_PROCESS_LEN];

	if (pid <= 0) {
		snprintf(text, size, "a process that is not visible from here");
		return;
	}
	if (thread_name(pid, name, sizeof(name)))
		snprintf(whole, sizeof(whole), "pid %d", pid);
	else
		snprintf(whole, sizeof(whole), "pid %d (%s)", pid, name);
	/* kncpmu_clean() cuts between characters; snprintf() would cut within one */
	kncpmu_clean(whole, strlen(whole), text, size);
}
