// SPDX-License-Identifier: GPL-2.0
/* doctor: the module, its device node, and what this user may do with it */
#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "cli/array.h"
#include "cmd/doctor.h"

#define CLASS_DEV	"/sys/class/misc/knc_pmu/dev"
#define GROUP		"kncpmu"
#define MAX_GROUPS	256

#define RELOAD		"rmmod knc_pmu && modprobe knc_pmu"

void check_module(const struct machine *m, struct finding *f)
{
	char version[64];

	if (!m->loaded && (!m->knc || m->real_time)) {
		found(f, VERDICT_UNCHECKED, "not loaded, and refuses to be: see %s",
		      m->knc ? "kernel" : "cpu");
		return;
	}
	if (!m->loaded) {
		found(f, VERDICT_FAILED, "knc_pmu is not loaded: load it; one that is not "
					 "installed with insmod knc_pmu.ko");
		mend(f, "modprobe knc_pmu");
		return;
	}
	kncpmu_read_line(MODULE_DIR "/version", version, sizeof(version));
	if (m->fd >= 0 && m->error) {
		found(f, VERDICT_FAILED,
		      "knc_pmu %s does not answer this tool, which is %s (%s): install both from one source",
		      version, kncpmu_version(), strerror(-m->error));
		mend(f, RELOAD);
	} else if (strcmp(version, kncpmu_version())) {
		found(f, VERDICT_WARNING,
		      "knc_pmu is %s and this tool %s: install both from one source, and load the module again",
		      *version ? version : "of no version", kncpmu_version());
		mend(f, RELOAD);
	} else {
		found(f, VERDICT_OK, "knc_pmu %s is loaded, as this tool", version);
	}
}

/* Is the node that of the module? */
static int is_right_node(const struct stat *st)
{
	unsigned int major_nr, minor_nr;
	char dev[32];

	if (!S_ISCHR(st->st_mode) || kncpmu_read_line(CLASS_DEV, dev, sizeof(dev)) ||
	    sscanf(dev, "%u:%u", &major_nr, &minor_nr) != 2)
		return 0;
	return st->st_rdev == makedev(major_nr, minor_nr);
}

/* A node as the udev rule makes it */
static void mend_node(struct finding *f)
{
	unsigned int major_nr, minor_nr;
	char dev[32];

	if (kncpmu_read_line(CLASS_DEV, dev, sizeof(dev)) ||
	    sscanf(dev, "%u:%u", &major_nr, &minor_nr) != 2)
		return;
	mend(f, "rm -f " KNC_PMU_DEVICE "; mknod -m 660 " KNC_PMU_DEVICE " c %u %u%s", major_nr,
	     minor_nr, getgrnam(GROUP) ? " && chgrp " GROUP " " KNC_PMU_DEVICE : "");
}

void check_node(const struct machine *m, struct finding *f)
{
	struct stat st;

	if (!m->loaded) {
		found(f, VERDICT_UNCHECKED, "module knc_pmu is not loaded");
	} else if (stat(KNC_PMU_DEVICE, &st)) {
		found(f, VERDICT_FAILED, KNC_PMU_DEVICE " is missing: udev has not made it");
		mend_node(f);
	} else if (!is_right_node(&st)) {
		found(f, VERDICT_FAILED, KNC_PMU_DEVICE " is not the device of this module");
		mend_node(f);
	} else if (st.st_mode & 06) {
		found(f, VERDICT_WARNING, KNC_PMU_DEVICE " has mode %04o: every user can open it",
		      st.st_mode & 07777);
		mend(f, "chmod 660 " KNC_PMU_DEVICE);
	} else {
		found(f, VERDICT_OK, KNC_PMU_DEVICE ", mode %04o", st.st_mode & 07777);
	}
}

/* The group's name, or its number */
static const char *group_text(gid_t gid, char *text, size_t size)
{
	struct group *group = getgrgid(gid);

	if (group)
		snprintf(text, size, "%s", group->gr_name);
	else
		snprintf(text, size, "%u", gid);
	return text;
}

static const char *user_text(char *text, size_t size)
{
	struct passwd *user = getpwuid(getuid());

	if (user)
		snprintf(text, size, "%s", user->pw_name);
	else
		snprintf(text, size, "%u", getuid());
	return text;
}

/* Does the system's list of groups have the user, who began to work before that? */
static int is_listed(gid_t gid)
{
	struct passwd *user = getpwuid(getuid());
	gid_t list[MAX_GROUPS];
	int nr = MAX_GROUPS;

	if (!user || getgrouplist(user->pw_name, user->pw_gid, list, &nr) < 0)
		return 0;
	while (nr--) {
		if (list[nr] == gid)
			return 1;
	}
	return 0;
}

/* The user can't open the node */
static void mend_membership(struct finding *f, const struct stat *st)
{
	char group[128], user[128], word[WORD_LEN], name[WORD_LEN];

	group_text(st->st_gid, group, sizeof(group));
	user_text(user, sizeof(user));
	if (!st->st_gid) {
		found(f, VERDICT_FAILED, KNC_PMU_DEVICE " is only for root: give it to group "
		      GROUP ", join that, and log in again");
		mend(f, "%schgrp " GROUP " " KNC_PMU_DEVICE " && chmod 660 " KNC_PMU_DEVICE
		     " && usermod -aG " GROUP " %s",
		     getgrnam(GROUP) ? "" : "groupadd -r " GROUP " && ",
		     shell_word(user, word, sizeof(word)));
	} else if (is_listed(st->st_gid)) {
		found(f, VERDICT_FAILED,
		      "user %s is in group %s, but logged in before that: log in again, or begin a shell in it",
		      user, group);
		mend(f, "newgrp %s", shell_word(group, word, sizeof(word)));
	} else {
		found(f, VERDICT_FAILED,
		      "user %s is not in group %s and can't open " KNC_PMU_DEVICE
		      ": join it, and log in again",
		      user, group);
		mend(f, "usermod -aG %s %s", shell_word(group, word, sizeof(word)),
		     shell_word(user, name, sizeof(name)));
	}
}

void check_group(const struct machine *m, struct finding *f)
{
	char group[128], user[128];
	struct stat st;

	if (!m->loaded || stat(KNC_PMU_DEVICE, &st) || !is_right_node(&st)) {
		found(f, VERDICT_UNCHECKED, "there is no device node");
		return;
	}
	group_text(st.st_gid, group, sizeof(group));
	if (access(KNC_PMU_DEVICE, R_OK | W_OK))
		mend_membership(f, &st);
	else if (m->fd < 0)
		found(f, VERDICT_FAILED, "user %s can't open " KNC_PMU_DEVICE ": %s",
		      user_text(user, sizeof(user)), strerror(-m->fd));
	else if (!st.st_gid)
		found(f, VERDICT_OK,
		      "user %s can open " KNC_PMU_DEVICE ", and others than root can't",
		      user_text(user, sizeof(user)));
	else
		found(f, VERDICT_OK, "user %s can open " KNC_PMU_DEVICE ", and so can group %s",
		      user_text(user, sizeof(user)), group);
}

/* CAP_PERFMON is there since 5.8 */
static int has_perfmon(void)
{
	unsigned int a = 0, b = 0;
	struct utsname name;

	if (!uname(&name))
		sscanf(name.release, "%u.%u", &a, &b);
	return a > 5 || (a == 5 && b >= 8);
}

void check_rights(const struct machine *m, struct finding *f)
{
	const char *capability = has_perfmon() ? "CAP_PERFMON" : "CAP_SYS_ADMIN";
	char path[128], word[WORD_LEN];
	ssize_t n;

	if (m->may) {
		found(f, VERDICT_OK, "%s: kernel mode, hardware threads and programs of all users",
		      capability);
		return;
	}
	found(f, VERDICT_WARNING,
	      "no %s: only user mode of your own programs; every user of this file has more with",
	      capability);
	n = readlink("/proc/self/exe", path, sizeof(path) - 1);
	path[n > 0 ? n : 0] = '\0';
	if (n > 0)
		mend(f, "setcap cap_%s+ep %s", has_perfmon() ? "perfmon" : "sys_admin",
		     shell_word(path, word, sizeof(word)));
}

void check_unprivileged(const struct machine *m, struct finding *f)
{
	static const struct {
		const char *word;
		enum verdict verdict;	/* for a user without CAP_PERFMON */
		const char *text;
	} means[] = {
		{ "all", VERDICT_OK, "every event" },
		{ "thread", VERDICT_WARNING, "events of one hardware thread only" },
		{ "none", VERDICT_FAILED, "nothing" },
	};
	char word[16];
	unsigned int i;

	if (!m->loaded || !read_unprivileged(word, sizeof(word))) {
		found(f, VERDICT_UNCHECKED, m->loaded ? "the module does not tell" :
		      "module knc_pmu is not loaded");
		return;
	}
	for (i = 0; i < ARRAY_SIZE(means) - 1; i++) {
		if (!strcmp(word, means[i].word))
			break;
	}
	found(f, m->may ? VERDICT_OK : means[i].verdict,
	      "users without CAP_PERFMON may count %s (unprivileged=%s)", means[i].text, word);
	if (f->verdict != VERDICT_OK)
		mend(f, "echo all >" MODULE_DIR "/parameters/unprivileged");
}
