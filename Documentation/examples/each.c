// SPDX-License-Identifier: GPL-2.0
/* Branches of each thread of this process, with its name, and the sum of those that ended */
#include <kncpmu.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#define THREADS	3

static pthread_barrier_t barrier;

static void *work(void *arg)
{
	volatile unsigned int i, n = 100000 * (1 + (long)arg);
	char name[16];

	snprintf(name, sizeof(name), "worker %ld", (long)arg);
	prctl(PR_SET_NAME, name);
	for (i = 0; i < n; i++)
		;
	pthread_barrier_wait(&barrier);		/* it has worked */
	pthread_barrier_wait(&barrier);		/* it may end */
	return NULL;
}

static int print_tasks(int fd)
{
	__u64 records[(THREADS + 2) * (KNC_PMU_THREAD_SIZE(1) + KNC_PMU_NAME_SIZE) / 8];
	const struct knc_pmu_thread *thread;
	const char *name;
	char text[32];
	int nr, i;

	nr = kncpmu_read(fd, records, sizeof(records), KNC_PMU_READ_TASKS | KNC_PMU_READ_NAMES);
	for (i = 0; i < nr; i++) {
		thread = kncpmu_named_record(records, KNC_PMU_THREAD_SIZE(1), i, &name);
		kncpmu_clean(name, strlen(name), text, sizeof(text));
		printf("%12llu  %s\n", thread->value[0], *text ? text : "ended");
	}
	return nr;
}

int main(void)
{
	struct knc_pmu_config config;
	struct knc_pmu_event event;
	__u64 records[KNC_PMU_THREAD_SIZE(1) / 8];
	pthread_t threads[THREADS];
	struct kncpmu_error err;
	struct kncpmu_pmu pmu;
	int fd = kncpmu_open(NULL), error = fd;
	long i;

	kncpmu_pmu_get(fd, NULL, &pmu);
	kncpmu_spec_parse(&pmu, "BRANCHES:u", &event, &err);
	if (fd >= 0)
		error = kncpmu_config_task(fd, getpid(), &event, 1,
					   KNC_PMU_CONFIG_PROCESS | KNC_PMU_CONFIG_INHERIT,
					   &config);
	if (error < 0)
		return fprintf(stderr, "each: %s\n",
			       kncpmu_strerror(KNCPMU_OP_CONFIG, error, &err)) > 0;
	pthread_barrier_init(&barrier, NULL, THREADS + 1);
	kncpmu_start(fd);
	for (i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, work, (void *)i);
	pthread_barrier_wait(&barrier);
	print_tasks(fd);
	pthread_barrier_wait(&barrier);
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	/* without READ_TASKS there is one record, the sum */
	if (kncpmu_read(fd, records, sizeof(records), 0) == 1)
		printf("%12llu  in all\n", kncpmu_record(records, 1, 0)->value[0]);
	kncpmu_close(fd);
	return 0;
}
