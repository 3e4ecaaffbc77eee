/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the test programs for hosts share. Those on the card have tests/card/guest/lib.h, which also
 * checks the card's registers after each test.
 */
#ifndef KNC_ARCH_TEST_LIB_H
#define KNC_ARCH_TEST_LIB_H

#include <kncpmu.h>

#define __noreturn	__attribute__((__noreturn__))
#define __printf(a, b)	__attribute__((__format__(printf, a, b)))
#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#define BIT(n)		(1ULL << (n))

#define USR		KNC_PMU_EVENT_USR

struct test {
	const char *name;
	void (*run)(void);
};

/* Run a test in a process with a time limit, after @before (or NULL). Returns 1 if it failed */
int run_test(const struct test *test, void (*before)(void));
/* Run the tests @names, which end with NULL, or all tests. Returns the exit status */
int run_tests(const struct test *tests, unsigned int nr, char **names, void (*before)(void));
int is_named(const char *name, char **names);

/* Report the reason and end the test */
__noreturn __printf(1, 2) void fail(const char *fmt, ...);
void expect(const char *what, long long got, long long want);
void within(const char *what, long long got, long long least, long long most);

void pin(unsigned int cpu);
void set_online(unsigned int cpu, int online);
/* n times {dec, jnz} */
void loop(unsigned long n);
void read_leaf(unsigned int leaf, unsigned int regs[4]);

/* The device, for a new session */
int device(void);
/* CONFIG of a session on a hardware thread; returns kncpmu_config()'s result */
int config_cpu(int fd, unsigned int cpu, struct knc_pmu_event *events, unsigned int nr,
	       struct knc_pmu_config *config);
/* A session for the caller, or on a hardware thread */
int task_session(struct knc_pmu_event *events, unsigned int nr);
int cpu_session(unsigned int cpu, struct knc_pmu_event *events, unsigned int nr);

/* Access MSRs of a hardware thread; results are 0 or -errno, -EIO for #GP */
void open_msr(unsigned int cpu);
int read_msr(unsigned int msr, unsigned long long *value);
unsigned long long value_of(unsigned int msr);
/* Check that writing @value gives the result @want */
void writing(unsigned int msr, unsigned long long value, int want);

#endif /* KNC_ARCH_TEST_LIB_H */
