/* SPDX-License-Identifier: GPL-2.0 */
/* What the files of knc-pmuctl doctor share */
#ifndef KNC_CTL_DOCTOR_CHECKS_H
#define KNC_CTL_DOCTOR_CHECKS_H

#include <sys/utsname.h>

#include <kncpmu.h>
#include <card.h>

#include "cli/text.h"
#include "cmd/query.h"

/* From best to worst: examine() compares them */
enum verdict { VERDICT_OK, VERDICT_UNCHECKED, VERDICT_WARNING, VERDICT_FAILED };

/* Version 1 of the architectural PMU has no global registers: the module refuses it */
#define MIN_ARCH	2

/* Processes that a check names one by one */
#define MAX_NAMED	16

/**
 * struct finding - the result of one check
 * @verdict: the verdict
 * @found: what was found, a clean line
 * @command: the command that fixes it; NULL: there is none
 * @nr_pids: processes in @pid
 * @pid: the processes that hold what was checked
 */
struct finding {
	enum verdict verdict;
	const char *found;
	const char *command;
	unsigned int nr_pids;
	int pid[MAX_NAMED];
};

/* Results of a trial that counts instructions of this program to see if counters are free */
enum trial { TRIAL_NONE, TRIAL_COUNTED, TRIAL_BUSY, TRIAL_RESERVED, TRIAL_DENIED, TRIAL_FAILED };

/**
 * struct machine - what several checks ask
 * @knc: the CPU is a Knights Corner
 * @host: another CPU on which the module can count: a module built with PMU=arch
 * @arch: version of the architectural PMU of the CPU (CPUID leaf 0xA); 0: it has none
 * @constant: the rate of the time stamp counter does not depend on the frequency of the core
 * @cpu: the CPU
 * @kernel: the kernel
 * @version: its KERNEL_VERSION()
 * @real_time: it is a PREEMPT_RT kernel
 * @online: the CPUs that are online; empty: /sys does not tell
 * @no_cpus: why @online is empty, a negative errno
 * @varying: the first CPU whose frequency the kernel changes; KNC_PMU_MAX_CPUS: none
 * @governor: what decides on the frequency of @varying
 * @loaded: the module is loaded
 * @hidden: a negative errno: /sys is hidden and the module does not answer
 * @fd: a session that is not configured; or a negative errno
 * @error: 0; or the negative errno of INFO
 * @info: what INFO says
 * @pmu: the PMU of the hardware threads
 * @privileged: this process has CAP_PERFMON, or the capability that older kernels use for it
 * @trial: the result of counting
 * @count: what was counted
 * @why: why nothing was counted
 */
struct machine {
	int knc;
	int host;
	unsigned int arch;
	int constant;
	struct kncpmu_cpu cpu;
	struct utsname kernel;
	unsigned int version;
	int real_time;
	struct kncpmu_cpus online;
	int no_cpus;
	unsigned int varying;
	char governor[32];
	int loaded;
	int hidden;
	int fd;
	int error;
	struct knc_pmu_info info;
	struct knc_pmu_desc pmu;
	int privileged;
	enum trial trial;
	unsigned long long count;
	struct kncpmu_error why;
};

void read_machine(struct machine *m);

/* Set the result of a check; mend() sets the command that fixes what was found */
__printf(3, 4)
void found(struct finding *f, enum verdict v, const char *fmt, ...);
__printf(2, 3)
void mend(struct finding *f, const char *fmt, ...);
/* Add a process to @f->pid */
void add_pid(struct finding *f, int pid);
/* The processes of @f->pid as text: "pid 1 (a), pid 2 (b)" */
const char *name_pids(const struct finding *f);
/* Give "kill 1 2" as the fix, if @f->pid has processes */
void mend_by_kill(struct finding *f);

/* @text as one word of a shell's command line, quoted if necessary */
const char *shell_word(const char *text);

/* Is the program installed? Small cards lack setcap, newgrp and programs that change groups */
int has_program(const char *name);

/* Return nonzero if the check is impossible without the module, or without a session; @f says so */
int not_loaded(const struct machine *m, struct finding *f);
int no_session(const struct machine *m, struct finding *f);

/*
 * Say in @f that @path can't be read, by a negative errno of kncpmu_kernel_line(). Returns 0 for
 * -ENOENT, because then the kernel has no such file.
 */
int is_hidden(const char *path, int error, struct finding *f);

/* The checks */
typedef void check_fn(const struct machine *m, struct finding *f);

check_fn check_cpu, check_kernel, check_threads, check_lockdown, check_paranoid;
check_fn check_frequency, check_idle, check_clock, check_tsc;
check_fn check_module, check_node, check_group, check_rights, check_unprivileged;
check_fn check_rdpmc, check_sessions, check_perf, check_watchdog, check_count, check_pce;

#endif /* KNC_CTL_DOCTOR_CHECKS_H */
