// SPDX-License-Identifier: GPL-2.0
/* The files of metrics (Documentation/metrics.rst): where they are */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/far.h"
#include "cli/pmu.h"
#include "metric/files.h"

#define MAX_FILE	(1 << 20)	/* bytes */
#define PATH_SIZE	4096

static void read_built_in(struct metrics *ms, const struct metric_own_file *own)
{
	size_t size = 0, len = 0;
	unsigned int i;
	char *text;

	if (!metric_pmu_is_used(ms->pmu, own->pmu))
		return;
	for (i = 0; i < own->nr; i++)
		size += strlen(own->lines[i]) + 1;
	text = malloc(size + 1);
	if (!text) {
		metric_problem(ms, "built in", "out of memory");
		return;
	}
	for (i = 0; i < own->nr; i++)
		len += sprintf(text + len, "%s\n", own->lines[i]);
	metric_text_read(ms, "built in", text, len, 0);
	free(text);
}

/* The file that metric_pmu_of() has read, until metric_files_read() takes it */
static struct {
	const char *path;
	char *text;
	size_t size;
} kept;

/* Read a file's text; NULL: @err says why that can't be done */
static char *file_text(const char *path, size_t *size, struct kncpmu_error *err)
{
	const char *why = NULL;
	char *text = kept.text;
	FILE *f;

	if (text && path == kept.path) {
		*size = kept.size;
		kept.text = NULL;
		return text;
	}
	f = far_input(path);
	if (!f)
		f = fopen(path, "re");
	text = malloc(MAX_FILE + 1);
	*size = f && text ? fread(text, 1, MAX_FILE + 1, f) : 0;
	if (!f || !text || ferror(f))
		why = strerror(errno);
	if (f)
		fclose(f);
	if (why)
		snprintf(err->text, sizeof(err->text), "it can't be read: %s", why);
	else if (*size > MAX_FILE)
		snprintf(err->text, sizeof(err->text), "it has more than %d bytes", MAX_FILE);
	else
		return text;
	free(text);
	return NULL;
}

/* Returns 0 if the file is for another PMU, which is an error if @named */
static int read_file(struct metrics *ms, const char *path, int named)
{
	struct kncpmu_error err;
	size_t size;
	char *text = file_text(path, &size, &err);
	int ret = -1;

	if (text)
		ret = metric_text_read(ms, path, text, size, named);
	else
		metric_problem(ms, path, "%s", err.text);
	free(text);
	return ret;
}

/* Keeps the file's text for metric_files_read(), because a pipe can be read only once */
void metric_pmu_of(const char *path, struct kncpmu_pmu *pmu)
{
	struct kncpmu_error err;
	json_error_t json_err;
	json_t *root = NULL;

	kept.path = path;
	kept.text = file_text(path, &kept.size, &err);
	if (kept.text)
		root = metric_text_parse(kept.text, kept.size, &json_err);
	if (!root || named_pmu(metric_root_pmu(root), pmu))
		*pmu = *own_pmu();
	json_decref(root);
}

static int is_data_file(const struct dirent *entry)
{
	size_t len = strlen(entry->d_name);

	return len > 5 && entry->d_name[0] != '.' &&
	       !strcmp(entry->d_name + len - 5, ".json");
}

/* Is this the tool's own file for another PMU? Then don't open it, because a card may lack it */
static int is_for_another(const struct kncpmu_pmu *pmu, const char *name)
{
	const struct metric_own_file *own;
	unsigned int i;
	char its_name[32];

	for (i = 0; (own = metric_own_file(i)); i++) {
		snprintf(its_name, sizeof(its_name), "%s.json", own->pmu);
		if (!strcmp(its_name, name))
			return !metric_pmu_is_used(pmu, own->pmu);
	}
	return 0;
}

/*
 * Read all files of a directory, ordered by name; returns how many are for this PMU. @own: the
 * directory of the tool's own files
 */
static int read_directory(struct metrics *ms, const char *directory, int own)
{
	struct dirent **entries;
	char path[PATH_SIZE + 256];
	int i, nr, found = 0;

	nr = scandir(directory, &entries, is_data_file, alphasort);
	for (i = 0; i < nr; i++) {
		snprintf(path, sizeof(path), "%s/%s", directory, entries[i]->d_name);
		if (!(own && is_for_another(ms->pmu, entries[i]->d_name)) &&
		    read_file(ms, path, 0))
			found++;
		free(entries[i]);
	}
	if (nr >= 0)
		free(entries);
	return found;
}

/* "PREFIX/share/knc-pmu/metrics" of a tool in PREFIX/bin; 0: not known */
static int installed_directory(char *path, size_t size)
{
	const char *directory = getenv("KNC_PMU_METRICS");
	char exe[PATH_SIZE], *slash;
	unsigned int i;
	ssize_t len;

	if (directory && *directory)
		return snprintf(path, size, "%s", directory) < (int)size;
	len = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	if (len <= 0)
		return 0;
	exe[len] = '\0';
	for (i = 0; i < 2; i++) {	/* cut off the tool's name, then "bin" */
		slash = strrchr(exe, '/');
		if (slash)
			*slash = '\0';
	}
	return snprintf(path, size, "%s/share/knc-pmu/metrics", exe) < (int)size;
}

static int user_directory(char *path, size_t size)
{
	const char *base = getenv("XDG_CONFIG_HOME"), *tail = "";

	/* ignore relative paths (XDG Base Directory Specification) */
	if (!base || *base != '/') {
		base = getenv("HOME");
		tail = "/.config";
	}
	return base && *base == '/' &&
	       snprintf(path, size, "%s%s/knc-pmu/metrics", base, tail) < (int)size;
}

void metric_files_read(struct metrics *ms, const char * const *files,
		       unsigned int nr_files)
{
	const struct metric_own_file *own;
	char path[PATH_SIZE];
	unsigned int i;

	if (!installed_directory(path, sizeof(path)) || !read_directory(ms, path, 1)) {
		for (i = 0; (own = metric_own_file(i)); i++)
			read_built_in(ms, own);
	}
	if (user_directory(path, sizeof(path)))
		read_directory(ms, path, 0);
	for (i = 0; i < nr_files; i++)
		read_file(ms, files[i], 1);
}
