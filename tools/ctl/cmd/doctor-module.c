// SPDX-License-Identifier: GPL-2.0
/* doctor: the module, its device node, and what this user may do with it */
#include <errno.h>
#include <grp.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <linux/version.h>
#include <kernel-file.h>

#include "cli/array.h"
#include "cmd/doctor-checks.h"

#define CLASS_DEV	"/sys/class/misc/knc_pmu/dev"
#define GROUP		"kncpmu"
#define MAX_GROUPS	256

#define MODULE_FILE	"knc_pmu.ko"

/* Does modprobe know the module? */
static int is_installed(const struct machine *m)
{
	char path[128], line[4096];
	const char *name;
	int is = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/lib/modules/%s/modules.dep", m->kernel.release);
	f = fopen(path, "re");
	if (!f)
		return 0;
	while (!is && fgets(line, sizeof(line), f)) {
		line[strcspn(line, ":")] = '\0';
		name = strrchr(line, '/') ? : line - 1;
		/* compare only a prefix, to find .ko.xz as well */
		is = !strncmp(name + 1, MODULE_FILE, strlen(MODULE_FILE));
	}
	fclose(f);
	return is;
}

/* The module's file in the working directory or beside this tool, or else just its name */
static const char *find_module(void)
{
	char path[PATH_MAX], *slash;
	ssize_t n;

	if (realpath(MODULE_FILE, path))
		return intern_text(path);
	n = readlink("/proc/self/exe", path, sizeof(path) - sizeof(MODULE_FILE) - 1);
	path[n > 0 ? n : 0] = '\0';
	slash = strrchr(path, '/');
	if (slash) {
		strcpy(slash + 1, MODULE_FILE);
		if (!access(path, R_OK))
			return intern_text(path);
	}
	return MODULE_FILE;
}

/* modprobe finds only installed modules, and on a small card nothing is installed */
static const char *load_command(const struct machine *m)
{
	return is_installed(m) ? "modprobe knc_pmu" :
				 intern_format("insmod %s", shell_word(find_module()));
}

static void mend_by_reload(const struct machine *m, struct finding *f)
{
	mend(f, "rmmod knc_pmu && %s", load_command(m));
}

static void compare_version(const struct machine *m, const char *version, struct finding *f)
{
	if (!strcmp(version, kncpmu_version())) {
		found(f, VERDICT_OK, "knc_pmu %s is loaded, as this tool", version);
		return;
	}
	found(f, VERDICT_WARNING,
	      "knc_pmu is %s and this tool %s: install both from one source, and load the module again",
	      *version ? version : "of no version", kncpmu_version());
	mend_by_reload(m, f);
}

void check_module(const struct machine *m, struct finding *f)
{
	char version[64];

	if (is_hidden("/sys/module", m->hidden, f))
		return;
	if (!m->loaded && (!m->knc || m->real_time)) {
		found(f, VERDICT_UNCHECKED, "not loaded, and refuses to be%s: see %s",
		      m->arch >= MIN_ARCH && !m->knc ? " if it is a card's" : "",
		      m->knc ? "kernel" : "cpu");
		return;
	}
	if (!m->loaded) {
		found(f, VERDICT_FAILED, "knc_pmu is not loaded: load it");
		mend(f, "%s", load_command(m));
		return;
	}
	kncpmu_read_line(MODULE_DIR "/version", version, sizeof(version));
	if (m->fd >= 0 && m->error) {
		found(f, VERDICT_FAILED,
		      "knc_pmu %s does not answer this tool, which is %s (%s): install both from one source",
		      version, kncpmu_version(), strerror(-m->error));
		mend_by_reload(m, f);
	} else if (*version || !is_hidden(MODULE_DIR, kncpmu_kernel_has(MODULE_DIR), f)) {
		compare_version(m, version, f);
	}
}

/* The module's device; 0: the kernel does not tell */
static dev_t module_device(void)
{
	unsigned int major_nr, minor_nr;
	char dev[32];

	kncpmu_read_line(CLASS_DEV, dev, sizeof(dev));
	return sscanf(dev, "%u:%u", &major_nr, &minor_nr) == 2 ? makedev(major_nr, minor_nr) : 0;
}

/* Is this node the module's? If /sys is hidden, a node that answers is */
static int is_right_node(const struct machine *m, const struct stat *st)
{
	dev_t dev = module_device();

	if (!dev && kncpmu_kernel_has(CLASS_DEV) != -ENOENT)
		return !m->error;
	return dev && S_ISCHR(st->st_mode) && st->st_rdev == dev;
}

/* Give commands that create the node as the udev rule does */
static void mend_node(struct finding *f)
{
	dev_t dev = module_device();

	if (dev)
		mend(f, "rm -f " KNC_PMU_DEVICE "; mknod -m 660 " KNC_PMU_DEVICE " c %u %u%s",
		     major(dev), minor(dev),
		     getgrnam(GROUP) ? " && chgrp " GROUP " " KNC_PMU_DEVICE : "");
}

void check_node(const struct machine *m, struct finding *f)
{
	struct stat st;

	if (not_loaded(m, f))
		return;
	if (stat(KNC_PMU_DEVICE, &st)) {
		found(f, VERDICT_FAILED, KNC_PMU_DEVICE " is missing: udev has not made it");
		mend_node(f);
	} else if (!is_right_node(m, &st)) {
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
static const char *group_text(gid_t gid)
{
	struct group *group = getgrgid(gid);

	return group ? intern_text(group->gr_name) : intern_format("%u", gid);
}

static const char *user_text(void)
{
	struct passwd *user = getpwuid(getuid());

	return user ? intern_text(user->pw_name) : intern_format("%u", getuid());
}

/* May the group open the node? */
static int has_group(const struct stat *st)
{
	return (st->st_mode & 060) == 060;
}

/* Is the user a member of the group, even if this login lacks it? */
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

/* If no program can change groups, give the node the user's own group */
static void mend_by_own_group(struct finding *f)
{
	mend(f, "chgrp %u " KNC_PMU_DEVICE " && chmod 660 " KNC_PMU_DEVICE, getgid());
}

static void mend_by_membership(struct finding *f)
{
	if (!has_program("usermod") || !has_program("groupadd")) {
		mend_by_own_group(f);
		return;
	}
	mend(f, "%schgrp " GROUP " " KNC_PMU_DEVICE " && chmod 660 " KNC_PMU_DEVICE
	     " && usermod -aG " GROUP " %s",
	     getgrnam(GROUP) ? "" : "groupadd -r " GROUP " && ", shell_word(user_text()));
}

/* Say how a user who can't open the node gets permission */
static void mend_membership(struct finding *f, const struct stat *st)
{
	const char *group = group_text(st->st_gid), *user = user_text();

	if (!st->st_gid) {
		found(f, VERDICT_FAILED, KNC_PMU_DEVICE " is only for root: give it to group "
		      GROUP ", join that, and log in again");
		mend_by_membership(f);
	} else if (!has_group(st)) {
		found(f, VERDICT_FAILED,
		      KNC_PMU_DEVICE " has mode %04o: group %s can't open it",
		      st->st_mode & 07777, group);
		mend(f, "chmod 660 " KNC_PMU_DEVICE);
	} else if (is_listed(st->st_gid)) {
		found(f, VERDICT_FAILED,
		      "user %s is in group %s, but logged in before that: log in again, or begin a shell in it",
		      user, group);
		if (has_program("newgrp"))
			mend(f, "newgrp %s", shell_word(group));
	} else {
		found(f, VERDICT_FAILED,
		      "user %s is not in group %s and can't open " KNC_PMU_DEVICE
		      ": join it, and log in again",
		      user, group);
		if (has_program("usermod"))
			mend(f, "usermod -aG %s %s", shell_word(group), shell_word(user));
		else
			mend_by_own_group(f);
	}
}

void check_group(const struct machine *m, struct finding *f)
{
	struct stat st;

	if (!m->loaded || stat(KNC_PMU_DEVICE, &st) || !is_right_node(m, &st)) {
		found(f, VERDICT_UNCHECKED, "there is no device node");
		return;
	}
	if (access(KNC_PMU_DEVICE, R_OK | W_OK))
		mend_membership(f, &st);
	else if (m->fd < 0)
		found(f, VERDICT_FAILED, "user %s can't open " KNC_PMU_DEVICE ": %s",
		      user_text(), strerror(-m->fd));
	else if (!st.st_gid || !has_group(&st))
		found(f, VERDICT_OK,
		      "user %s can open " KNC_PMU_DEVICE ", and others than root can't",
		      user_text());
	else
		found(f, VERDICT_OK, "user %s can open " KNC_PMU_DEVICE ", and so can group %s",
		      user_text(), group_text(st.st_gid));
}

#define NOBODY_ELSE							\
	"users without CAP_SYS_ADMIN may count nothing: this kernel tells no module of exec"

/* Does the module refuse every session without CAP_SYS_ADMIN here? */
static int takes_root(const struct machine *m)
{
	return !m->error && !(m->info.features & KNC_PMU_FEATURE_ON_EXEC);
}

static void mend_capability(struct finding *f, int has_perfmon)
{
	char path[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);

	path[n > 0 ? n : 0] = '\0';
	if (n > 0 && has_program("setcap"))
		mend(f, "setcap %s+ep %s", has_perfmon ? "cap_perfmon" : "cap_sys_admin",
		     shell_word(path));
}

void check_rights(const struct machine *m, struct finding *f)
{
	int has_perfmon = m->version >= KERNEL_VERSION(5, 8, 0);
	const char *capability = has_perfmon ? "CAP_PERFMON" : "CAP_SYS_ADMIN";

	if (!m->privileged && takes_root(m)) {
		found(f, VERDICT_FAILED, "no %s: " NOBODY_ELSE, capability);
		mend_capability(f, has_perfmon);
		return;
	}
	if (m->privileged) {
		found(f, VERDICT_OK, "%s: kernel mode, hardware threads and programs of all users",
		      capability);
		return;
	}
	mend_capability(f, has_perfmon);
	found(f, VERDICT_WARNING, "no %s: only user mode of your own programs; %s", capability,
	      f->command ? "this gives more to everybody who runs this tool:" :
			   "root may count more");
}

void check_unprivileged(const struct machine *m, struct finding *f)
{
	static const struct {
		enum verdict verdict;	/* the verdict for a user without CAP_PERFMON */
		const char *text;
	} means[UNPRIVILEGED_UNKNOWN] = {
		[UNPRIVILEGED_ALL] = { VERDICT_OK, "every event" },
		[UNPRIVILEGED_THREAD] = {
			VERDICT_WARNING, "events of one hardware thread only"
		},
		[UNPRIVILEGED_SELF] = {
			VERDICT_WARNING, "only programs that count themselves"
		},
		[UNPRIVILEGED_NONE] = { VERDICT_FAILED, "nothing" },
	};
	enum unprivileged users;
	char word[16];

	if (not_loaded(m, f))
		return;
	if (takes_root(m)) {
		found(f, m->privileged ? VERDICT_OK : VERDICT_FAILED, NOBODY_ELSE);
		return;
	}
	users = read_unprivileged(word, sizeof(word));
	if (users == UNPRIVILEGED_UNKNOWN) {
		if (*word)
			found(f, VERDICT_UNCHECKED, "%s does not know the word unprivileged=%s",
			      PROGRAM, word);
		else
			found(f, VERDICT_UNCHECKED, "the module does not tell");
		return;
	}
	found(f, m->privileged ? VERDICT_OK : means[users].verdict,
	      "users without CAP_PERFMON may count %s (unprivileged=%s)", means[users].text,
	      word);
	if (f->verdict != VERDICT_OK)
		mend(f, "echo all >" MODULE_DIR "/parameters/unprivileged");
}
