// SPDX-License-Identifier: GPL-2.0
/*
 * Modules that are loaded or removed during the recording
 *
 * A module may get the addresses of another that was removed. The kernel's events of loading and
 * removing have no time: a loaded one was absent at the last look, a removed one may have been
 * present until now. Where events do not arrive, as in a container, the lists of begin and end are
 * compared.
 */
#include <errno.h>
#include <linux/netlink.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cli/clock.h"
#include "record/kernel.h"

#define KERNEL_GROUP	1	/* multicast group of the kernel's events, as opposed to udev's */
#define MAX_EVENT	8192

static int open_events(void)
{
	struct sockaddr_nl address = { .nl_family = AF_NETLINK, .nl_groups = KERNEL_GROUP };
	int fd = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK,
			NETLINK_KOBJECT_UEVENT);

	if (fd >= 0 && bind(fd, (struct sockaddr *)&address, sizeof(address))) {
		close(fd);
		fd = -1;
	}
	return fd;
}

/* Find the present module of this name; NULL: there is none */
static struct module *find_module(const struct modules *m, const char *name)
{
	struct module *module = m->all;

	while (module && (~module->to || strcmp(module->place.name, name)))
		module = module->next;
	return module;
}

/**
 * struct look - a look at /proc/modules
 * @m: the modules
 * @now: its time
 * @from: modules that it finds were loaded after this time
 * @found: it has found a new module
 */
struct look {
	struct modules *m;
	__u64 now;
	__u64 from;
	int found;
};

/* Note that a module was removed; if it was loaded at the beginning its functions are known */
static void has_gone(struct modules *m, struct module *module, __u64 now)
{
	module->to = now;
	if (!module->from && m->functions.nr)
		kallsyms_of_module(&module->functions, &m->functions, module);
}

static void take_place(void *ctx, const struct module_place *place)
{
	struct look *look = ctx;
	struct module *module = find_module(look->m, place->name);

	if (module && module->place.start == place->start && module->place.end == place->end) {
		module->seen = look->now;
		return;
	}
	module = place->leaves ? NULL : calloc(1, sizeof(*module));
	if (!module)
		return;
	module->place = *place;
	module->end = place->end;
	module->seen = look->now;
	module->from = look->from;
	module->to = ~0ULL;
	module->next = look->m->all;
	look->m->all = module;
	look->found = 1;
}

/* Correct the ends of modules: since Linux 6.4 the size in /proc/modules exceeds the code */
static void cut_ends(struct modules *m)
{
	const struct module *other;
	struct module *module;

	for (module = m->all; module; module = module->next) {
		for (other = m->all; other && !~module->to; other = other->next) {
			if (!~other->to && other->place.start > module->place.start &&
			    other->place.start < module->end)
				module->end = other->place.start;
		}
	}
}

void modules_name(struct modules *m, const struct kallsyms *functions)
{
	struct module *module;

	for (module = m->all; module; module = module->next) {
		if (module->from && !~module->to && !module->functions.text)
			kallsyms_of_module(&module->functions, functions, module);
	}
}

static void look_now(struct modules *m, __u64 from)
{
	struct look look = { .m = m, .now = now_ns(), .from = from };
	struct module *module;
	struct kallsyms functions;

	each_module(take_place, &look);
	for (module = m->all; module; module = module->next) {
		if (!~module->to && module->seen != look.now)
			has_gone(m, module, look.now);
	}
	cut_ends(m);
	if (!from || !look.found || !m->names)
		return;
	kallsyms_read(&functions);
	modules_name(m, &functions);
	kallsyms_free(&functions);
}

void modules_begin(struct modules *m, int names)
{
	m->events = open_events();
	m->quiet = now_ns();
	m->names = names;
	look_now(m, 0);
	if (names && m->all)
		kallsyms_read(&m->functions);
}

/* Take an event "ACTION@/module/NAME" */
static int take_event(struct modules *m, const char *event, __u64 now)
{
	const char *path = strchr(event, '@');
	struct module *module;

	if (!path || strncmp(path, "@/module/", 9))
		return 0;
	module = strncmp(event, "remove@", 7) ? NULL : find_module(m, path + 9);
	if (module)
		has_gone(m, module, now);
	return 1;
}

/* Receive an event; 0: none, 1: of a module, or events were lost, 2: another event */
static int receive(struct modules *m, __u64 now)
{
	struct sockaddr_nl from;
	socklen_t length = sizeof(from);
	char event[MAX_EVENT];
	ssize_t size;

	size = recvfrom(m->events, event, sizeof(event) - 1, 0, (struct sockaddr *)&from,
			&length);
	if (size < 0)
		return errno == ENOBUFS;
	event[size] = '\0';
	return from.nl_pid || !take_event(m, event, now) ? 2 : 1;
}

void modules_drain(struct modules *m)
{
	__u64 now = now_ns(), from = m->quiet;
	int ret, changed = 0;

	if (m->events < 0)
		return;
	while ((ret = receive(m, now)))
		changed |= ret == 1;
	m->quiet = now;
	if (changed)
		look_now(m, from);
}

void modules_end(struct modules *m)
{
	modules_drain(m);
	look_now(m, m->quiet);
}

void modules_free(struct modules *m)
{
	struct module *module;

	while ((module = m->all)) {
		m->all = module->next;
		kallsyms_free(&module->functions);
		free(module);
	}
	kallsyms_free(&m->functions);
	if (m->events >= 0)
		close(m->events);
}
