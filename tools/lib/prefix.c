// SPDX-License-Identifier: GPL-2.0
/* Lists of events with the name of their PMU: PMU/EVENT/[:MODIFIERS] */
#include <errno.h>
#include <string.h>

#include "pmus.h"
#include "private.h"

/* Length of the PMU name and slash with which @text begins; 0: it begins with none */
static size_t prefix_of(const char *text)
{
	static const char * const names[] = { "knc/", "arch/", "westmere/", "uncore/" };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		if (!strncmp(text, names[i], strlen(names[i])))
			return strlen(names[i]);
	}
	return 0;
}

/* Copy an event without its PMU; returns the end of the copied text, or NULL */
static const char *copy_event(const char *text, size_t prefix, char *list, size_t size)
{
	size_t len = strcspn(text, ",{}"), name = prefix ? strcspn(text + prefix, "/,{}") : len;
	size_t used = strlen(list), rest;
	const char *after = text + prefix + name;

	if (prefix && *after++ != '/')
		return NULL;
	rest = prefix ? text + len - after : 0;
	if (used + name + rest >= size)
		return NULL;
	strncat(list, text + prefix, name);
	strncat(list, after, rest);
	return text + len;
}

/* Copy the list without the name of its PMU: @name and its slash are @prefix characters long */
static int strip(const char *text, size_t prefix, const char *name, char *list, size_t size,
		 struct kncpmu_error *err)
{
	size_t len;

	while (*text) {
		/* keep the modifiers of a {group} too */
		len = strspn(text, ",{}");
		if (len && text[len - 1] == '}')
			len += strcspn(text + len, ",");
		strncat(list, text, len);
		text += len;
		if (len || !*text)
			continue;
		if (prefix_of(text) != prefix || strncmp(text, name, prefix - 1))
			return kncpmu_fail(err, -EINVAL,
					   "event list: all events are of one PMU, as %s/EVENT/,%s/EVENT/: count those of another PMU in another run",
					   name, name);
		text = copy_event(text, prefix, list, size);
		if (!text)
			return kncpmu_fail(err, -EINVAL,
					   "event list: an event of PMU %s is written %s/EVENT/, and modifiers may follow: %s/EVENT/:MODIFIERS",
					   name, name, name);
	}
	return 0;
}

/* Returns 0, or a negative errno if the machine has no such PMU */
static int get(const char *name, struct kncpmu_pmu *pmu)
{
	struct kncpmu_pmu named;
	int fd, err;

	if (!strcmp(name, pmu->name))
		return 0;
	fd = kncpmu_open(NULL);
	if (fd < 0)
		return fd;
	err = kncpmu_pmu_get(fd, name, &named);
	kncpmu_close(fd);
	if (!err)
		*pmu = named;
	return err;
}

int kncpmu_list_pmu(struct kncpmu_pmu *pmu, const char *text, char *list, size_t size,
		    struct kncpmu_error *err)
{
	const char *first = text + strspn(text, "{");
	size_t prefix = prefix_of(first);
	char name[16] = "";
	int ret;

	list[0] = '\0';
	if (strlen(text) >= size)
		return kncpmu_fail(err, -EINVAL, "event list: it is longer than %u characters",
				   (unsigned int)size - 1);
	if (!prefix) {
		memcpy(list, text, strlen(text) + 1);
		return 0;
	}
	memcpy(name, first, prefix - 1);
	ret = strip(text, prefix, name, list, size, err);
	if (!ret && get(name, pmu))
		ret = kncpmu_fail(err, -ENODEV,
				  "this machine has no PMU %s: 'knc-pmuctl info' lists those it has",
				  name);
	return ret;
}
