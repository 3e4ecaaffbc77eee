// SPDX-License-Identifier: GPL-2.0
/*
 * Users and groups for a static knc-pmuctl. The C library's functions load the modules of
 * /etc/nsswitch.conf, shared libraries that bring in the C library of the machine. Where that is
 * not the version that was linked in, as on a card, a static program dies of SIGSEGV.
 */
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>

struct passwd *getpwuid(uid_t uid)
{
	FILE *f = fopen("/etc/passwd", "re");
	struct passwd *user = NULL;

	if (!f)
		return NULL;
	do {
		user = fgetpwent(f);
	} while (user && user->pw_uid != uid);
	fclose(f);
	return user;
}

static int is_named(const struct group *group, const void *name)
{
	return !strcmp(group->gr_name, name);
}

static int has_gid(const struct group *group, const void *gid)
{
	return group->gr_gid == *(const gid_t *)gid;
}

static int has_member(const struct group *group, const void *name)
{
	char **member = group->gr_mem;

	while (*member && strcmp(*member, name))
		member++;
	return !!*member;
}

/* The next group for which @is returns true */
static struct group *next_group(FILE *f, int (*is)(const struct group *group, const void *what),
				const void *what)
{
	struct group *group;

	do {
		group = fgetgrent(f);
	} while (group && !is(group, what));
	return group;
}

static struct group *find_group(int (*is)(const struct group *group, const void *what),
				const void *what)
{
	FILE *f = fopen("/etc/group", "re");
	struct group *group;

	if (!f)
		return NULL;
	group = next_group(f, is, what);
	fclose(f);
	return group;
}

struct group *getgrnam(const char *name)
{
	return find_group(is_named, name);
}

struct group *getgrgid(gid_t gid)
{
	return find_group(has_gid, &gid);
}

int getgrouplist(const char *user, gid_t own, gid_t *groups, int *nr)
{
	FILE *f = fopen("/etc/group", "re");
	struct group *group;
	int room = *nr;

	*nr = 1;
	if (room > 0)
		groups[0] = own;
	while (f && (group = next_group(f, has_member, user))) {
		if (group->gr_gid == own)
			continue;
		if (*nr < room)
			groups[*nr] = group->gr_gid;
		++*nr;
	}
	if (f)
		fclose(f);
	return *nr > room ? -1 : *nr;
}
