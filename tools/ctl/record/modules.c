// SPDX-License-Identifier: GPL-2.0
/*
 * Modules of the kernel that are loaded and removed while it is recorded
 *
 * Another module may get the addresses of one that has gone. The kernel sends an event when a
 * module comes or goes, but without a time: one that came was not there at the last look, one that
 * went may have been there until now. Where the events do not arrive, as in a container, the lists
 * of begin and end are compared.
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

#define KERNEL_GROUP	1	/* of multicast: events of the kernel, not of udev */
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

/* The module that is there now, of this name; NULL: none */
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
 * @from: modules that it finds have come after that
 * @found: it has found some
 */
struct look {
	struct modules *m;
	__u64 now;
	__u64 from;
	int found;
};

/* Note that a module is gone; if it was loaded at the beginning, its functions are known */
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

/* Since Linux 6.4 /proc/modules gives a size that goes beyond the module's code */
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

/* An event "ACTION@/module/NAME" */
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

/* Receive an event; 0: there is none, 1: of a module, or some were lost, 2: another one */
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
