// SPDX-License-Identifier: GPL-2.0
/* doctor: the CPU, the kernel and its settings, power management, clocks */
#include <errno.h>
#include <stdio.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <linux/magic.h>
#include <linux/version.h>
#include <kernel-file.h>

#include "cli/clock.h"
#include "cmd/doctor-checks.h"

#define CLOCK_DIR	"/sys/devices/system/clocksource/clocksource0"
#define SECURITY	"/sys/kernel/security"
#define LOCKDOWN	SECURITY "/lockdown"
#define PARANOID	"/proc/sys/kernel/perf_event_paranoid"

#define PATH_LEN	128
#define MAX_IDLE	10	/* CPUIDLE_STATE_MAX of the kernel */

#define TSC_TIME	(2 * NSEC_PER_MSEC)	/* how long the TSC's rate is measured */
#define TSC_PARTS	100	/* tolerated difference: 1/TSC_PARTS of the rate */

/* "PMUs westmere and uncore"; if the module can't be asked, the PMU that every host has */
static const char *pmus_text(const struct machine *m)
{
	struct knc_pmu_desc desc[KNCPMU_MAX_PMUS];
	const char *names[KNCPMU_MAX_PMUS];
	int nr = m->fd < 0 ? 0 : kncpmu_pmus(m->fd, desc, KNCPMU_MAX_PMUS), i;

	if (nr <= 0)
		return "the architectural PMU";
	if (nr > KNCPMU_MAX_PMUS)
		nr = KNCPMU_MAX_PMUS;
	for (i = 0; i < nr; i++)
		names[i] = intern(desc[i].name, strnlen(desc[i].name, sizeof(desc[i].name)));
	return intern_format("PMU%s %s", plural_of(nr), intern_list(names, nr));
}

void check_cpu(const struct machine *m, struct finding *f)
{
	if (m->knc) {
		found(f, VERDICT_OK, "Knights Corner (family %u model %u)%s", m->cpu.family,
		      m->cpu.model, m->cpu.hypervisor ? ", emulated" : "");
		return;
	}
	if (m->host) {
		found(f, VERDICT_OK, "a host (family %u model %u) with %s", m->cpu.family,
		      m->cpu.model, pmus_text(m));
		return;
	}
	if (m->arch >= MIN_ARCH) {
		found(f, VERDICT_FAILED,
		      "family %u model %u is not a Knights Corner, but a host with an architectural PMU of version %u: module knc_pmu counts there if it was built with PMU=arch",
		      m->cpu.family, m->cpu.model, m->arch);
		mend(f, "make module PMU=arch && insmod knc_pmu.ko");
		return;
	}
	found(f, VERDICT_FAILED,
	      "family %u model %u is not a Knights Corner, and module knc_pmu refuses it; the emulated card is one",
	      m->cpu.family, m->cpu.model);
	mend(f, "tools/knc-vm -- knc-pmuctl doctor");
}

void check_kernel(const struct machine *m, struct finding *f)
{
	const char *release = m->kernel.release;

	if (m->real_time)
		found(f, VERDICT_FAILED,
		      "Linux %s is a real-time kernel (PREEMPT_RT), and module knc_pmu refuses it: boot one without",
		      release);
	else if (m->version < KERNEL_VERSION(2, 6, 38))
		found(f, VERDICT_FAILED,
		      "Linux %s is too old for module knc_pmu: boot 2.6.38 or a later one",
		      release);
	else
		found(f, VERDICT_OK, "Linux %s, not real-time", release);
}

/* CPU_DIR/present lists all hardware threads of the machine, offline ones included */
void check_threads(const struct machine *m, struct finding *f)
{
	char list[CPUS_TEXT], present[4096];
	struct kncpmu_error err;
	struct kncpmu_cpus off;
	unsigned int nr;

	if (is_hidden(CPU_DIR "/online", m->no_cpus, f))
		return;
	kncpmu_read_line(CPU_DIR "/present", present, sizeof(present));
	if (kncpmu_cpus_parse(present, &off, &err))
		off = m->online;
	kncpmu_cpus_andnot(&off, &m->online);
	nr = kncpmu_cpus_count(&off);
	kncpmu_cpus_format(nr ? &off : &m->online, list, sizeof(list));
	if (!nr) {
		found(f, VERDICT_OK, "all %u are online (%s)", kncpmu_cpus_count(&m->online),
		      list);
		return;
	}
	found(f, VERDICT_WARNING, "CPU%s %s %s offline: nothing is counted there", plural(&off),
	      list, nr == 1 ? "is" : "are");
	if (nr == 1)
		mend(f, "echo 1 >" CPU_DIR "/cpu%u/online", first_cpu(&off));
	else
		mend(f, "for f in " CPU_DIR "/cpu*/online; do echo 1 >$f; done");
}

/* Lockdown can't be ended while the kernel runs: say how to boot without it */
static void find_confidentiality(struct finding *f)
{
	char line[4096];
	int by_parameter;

	kncpmu_read_line("/proc/cmdline", line, sizeof(line));
	by_parameter = !!strstr(line, "lockdown=confidentiality");
	found(f, VERDICT_WARNING,
	      "confidentiality: no samples show the kernel, not even to root; sample user mode, or boot Linux %s",
	      by_parameter ? "without lockdown=confidentiality" : "again");
	if (!by_parameter)
		mend(f, "reboot");
}

void check_lockdown(const struct machine *m, struct finding *f)
{
	int ret = kncpmu_kernel_has(SECURITY);
	struct statfs fs;
	char line[64];

	if (is_hidden(SECURITY, ret, f))
		return;
	if (!statfs(SECURITY, &fs) && fs.f_type != SECURITYFS_MAGIC) {
		found(f, VERDICT_UNCHECKED, "unknown: securityfs is not mounted");
		mend(f, "mount -t securityfs none " SECURITY);
	} else if (kncpmu_read_line(LOCKDOWN, line, sizeof(line))) {
		found(f, VERDICT_OK, "this kernel can't be locked down");
	} else if (strstr(line, "[confidentiality]")) {
		find_confidentiality(f);
	} else if (strstr(line, "[integrity]") && !m->loaded) {
		found(f, VERDICT_WARNING,
		      "integrity: a module that is not signed does not load; sign knc_pmu.ko (make sign), or boot Linux without lockdown");
	} else {
		found(f, VERDICT_OK, "%s: counts and samples are not restricted",
		      strstr(line, "[integrity]") ? "integrity" : "none");
	}
}

void check_paranoid(const struct machine *m, struct finding *f)
{
	char line[16];
	int ret = kncpmu_kernel_line(PARANOID, line, sizeof(line));

	if (is_hidden(PARANOID, ret, f))
		return;
	if (ret) {
		found(f, VERDICT_OK, "this kernel has no perf");
	} else if (m->privileged || atoi(line) <= 2) {
		found(f, VERDICT_OK, "kernel.perf_event_paranoid is %s; knc_pmu does not read it",
		      line);
	} else {
		found(f, VERDICT_WARNING,
		      "kernel.perf_event_paranoid is %s: 'record' can't learn from perf what programs map, and names of programs that end soon may be missing",
		      line);
		mend(f, "sysctl -w kernel.perf_event_paranoid=2");
	}
}

void check_frequency(const struct machine *m, struct finding *f)
{
	if (is_hidden(CPU_DIR "/online", m->no_cpus, f))
		return;
	if (m->varying == KNC_PMU_MAX_CPUS) {
		found(f, VERDICT_OK, "the kernel does not change it");
		return;
	}
	if (m->constant) {
		found(f, VERDICT_OK,
		      "the kernel changes it (governor %s on CPU %u), but not the rate of the time stamp counter",
		      m->governor, m->varying);
		return;
	}
	found(f, VERDICT_WARNING,
	      "the kernel changes it (governor %s on CPU %u): cycles of two runs don't compare, and the time stamp counter changes its rate",
	      m->governor, m->varying);
	mend(f, "for f in " CPU_DIR "/cpu*/cpufreq/scaling_governor; do echo performance >$f; "
				    "done");
}

/*
 * Find the idle states of CPU 0 that are enabled and switch the core off: their numbers, how many
 */
static unsigned int deep_states(char *digits, char *name, size_t size)
{
	char path[PATH_LEN], word[32];
	unsigned int i, n = 0;

	for (i = 0; i < MAX_IDLE; i++) {
		snprintf(path, sizeof(path), CPU_DIR "/cpu0/cpuidle/state%u/name", i);
		kncpmu_read_line(path, word, sizeof(word));
		if (!strstr(word, "C6"))
			continue;
		snprintf(name, size, "%s", word);
		snprintf(path, sizeof(path), CPU_DIR "/cpu0/cpuidle/state%u/disable", i);
		if (kncpmu_read_line(path, word, sizeof(word)) || word[0] == '0')
			digits[n++] = '0' + i;
	}
	digits[n] = '\0';
	return n;
}

void check_idle(const struct machine *m, struct finding *f)
{
	char digits[MAX_IDLE + 1], name[32] = "";

	if (m->host) {
		found(f, VERDICT_OK, "cores of hosts that are switched off keep their registers");
		return;
	}
	if (is_hidden(CPU_DIR "/online", m->no_cpus, f))
		return;
	if (!deep_states(digits, name, sizeof(name))) {
		found(f, VERDICT_OK, "idle cores are not switched off");
		return;
	}
	found(f, VERDICT_WARNING,
	      "idle cores are switched off (%s): an overflow that is pending then may be lost",
	      name);
	if (!access(CPU_DIR "/cpu0/cpuidle/state0/disable", F_OK))
		mend(f, "for f in " CPU_DIR "/cpu*/cpuidle/state[%s]/disable; do echo 1 >$f; done",
		     digits);
}

/* Choose a clock of @available that is precise and independent of the core's frequency */
static const char *better_clock(char *available)
{
	char *word, *rest = NULL;

	for (word = strtok_r(available, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
		if (!strstr(word, "tsc") && !strstr(word, "jiffies"))
			return word;
	}
	return NULL;
}

void check_clock(const struct machine *m, struct finding *f)
{
	char now[32], available[256];
	const char *better, *why = NULL;

	if (is_hidden(CLOCK_DIR, kncpmu_kernel_has(CLOCK_DIR), f))
		return;
	if (kncpmu_read_line(CLOCK_DIR "/current_clocksource", now, sizeof(now))) {
		found(f, VERDICT_UNCHECKED, "the kernel does not tell which clock it uses");
		return;
	}
	if (strstr(now, "jiffies"))
		why = "it goes in steps of a timer interrupt";
	else if (strstr(now, "tsc") && m->varying < KNC_PMU_MAX_CPUS && !m->constant)
		why = "it counts core clocks, and their frequency changes";
	if (!why) {
		found(f, VERDICT_OK, "the kernel's clock is %s", now);
		return;
	}
	found(f, VERDICT_WARNING, "the kernel's clock is %s, by which times are wrong: %s", now,
	      why);
	kncpmu_read_line(CLOCK_DIR "/available_clocksource", available, sizeof(available));
	better = better_clock(available);
	if (better)
		mend(f, "echo %s >" CLOCK_DIR "/current_clocksource", shell_word(better));
}

/* Measure the rate in kHz. Busy-wait, because the counter may stop while the core sleeps */
static unsigned long long measure_tsc(void)
{
	unsigned long long begin_ns = 0, end_ns = 0, ticks = read_clocks(&begin_ns);

	while (now_ns() < begin_ns + TSC_TIME)
		;
	ticks = read_clocks(&end_ns) - ticks;
	return end_ns > begin_ns ? ticks * (NSEC_PER_SEC / 1000) / (end_ns - begin_ns) : 0;
}

/* Compare a measured rate with INFO's, both on @cpu: INFO reports the rate of the CPU it runs on */
static int tsc_differs(const struct machine *m, unsigned int cpu, unsigned long long *told,
		       unsigned long long *measured)
{
	struct kncpmu_cpus here = { { 0 } };
	struct knc_pmu_info info;
	unsigned long long apart;

	kncpmu_cpus_set(&here, cpu);
	if (sched_setaffinity(0, sizeof(here.bits), (cpu_set_t *)here.bits) ||
	    kncpmu_info(m->fd, &info))
		return 0;
	*measured = measure_tsc();
	*told = info.tsc_khz;
	apart = *told > *measured ? *told - *measured : *measured - *told;
	return !*told || apart * TSC_PARTS > *told;
}

/* A CPU whose TSC rate differs from the module's value; KNC_PMU_MAX_CPUS: none */
static unsigned int differing_cpu(const struct machine *m, unsigned long long *told,
				  unsigned long long *measured)
{
	struct kncpmu_cpus old;
	unsigned int cpu;

	if (sched_getaffinity(0, sizeof(old.bits), (cpu_set_t *)old.bits) < 0)
		return KNC_PMU_MAX_CPUS;
	for (cpu = first_cpu(&m->online); cpu < KNC_PMU_MAX_CPUS; cpu = next_cpu(&m->online, cpu)) {
		if (tsc_differs(m, cpu, told, measured))
			break;
	}
	sched_setaffinity(0, sizeof(old.bits), (cpu_set_t *)old.bits);
	return cpu;
}

void check_tsc(const struct machine *m, struct finding *f)
{
	unsigned long long told = m->info.tsc_khz, measured = 0;
	unsigned int cpu;

	if (no_session(m, f) || is_hidden(CPU_DIR "/online", m->no_cpus, f))
		return;
	cpu = differing_cpu(m, &told, &measured);
	if (cpu == KNC_PMU_MAX_CPUS) {
		found(f, VERDICT_OK, "%llu kHz, as the kernel's clock has it", told);
		return;
	}
	if (!told) {
		found(f, VERDICT_FAILED,
		      "the kernel has not calibrated the time stamp counter: counts are right, times are "
		      "not; boot Linux with tsc_early_khz=%llu", measured);
		return;
	}
	found(f, VERDICT_WARNING,
	      "on CPU %u it goes at %llu kHz, and at its last calibration it was %llu: times can be wrong at first",
	      cpu, measured, told);
	mend(f, "for c in " CPU_DIR "/cpu[0-9]*; do %s stat -o /dev/null --pin ${c##*/cpu} -- "
				    "timeout 1 sh -c 'while :; do :; done' & done; wait",
	     shell_word(program_invocation_name));
}
