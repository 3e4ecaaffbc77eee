// SPDX-License-Identifier: GPL-2.0
/* A program that opens a session for itself and reads it without system calls */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <knc_pmu.h>
#include <knc/ring3.h>

#define N	4000

static int values[N];

/* Instructions and branches of this thread, in user mode: no privilege is needed */
static int open_session(void)
{
	struct knc_pmu_event event[2];
	struct knc_pmu_config config;
	int fd = open(KNC_PMU_DEVICE, O_RDWR | O_CLOEXEC);

	memset(event, 0, sizeof(event));
	event[0].event = 0x16;
	event[0].flags = KNC_PMU_EVENT_USR;
	event[1].event = 0x12;
	event[1].flags = KNC_PMU_EVENT_USR;
	memset(&config, 0, sizeof(config));
	config.flags = KNC_PMU_CONFIG_TASK | KNC_PMU_CONFIG_RDPMC;
	config.nr_events = 2;
	config.events = (unsigned long)event;
	config.event_size = sizeof(event[0]);
	if (fd < 0 || ioctl(fd, KNC_PMU_IOC_CONFIG, &config) ||
	    ioctl(fd, KNC_PMU_IOC_START, 0)) {
		perror("sort: " KNC_PMU_DEVICE);
		return -1;
	}
	return fd;
}

static void sort(int n)
{
	int gap, i, j, v;

	for (gap = n / 2; gap; gap /= 2) {
		for (i = gap; i < n; i++) {
			v = values[i];
			for (j = i; j >= gap && values[j - gap] > v; j -= gap)
				values[j] = values[j - gap];
			values[j] = v;
		}
	}
}

int main(void)
{
	unsigned long before[2], after[2];
	int n, i, fd = open_session();
	struct knc_self self;

	if (fd < 0)
		return 1;
	knc_self_open(&self, fd);
	for (n = N / 4; n <= N; n *= 2) {
		for (i = 0; i < n; i++)
			values[i] = i * 7919 % n;
		if (knc_read(&self, before))
			return 1;
		sort(n);
		knc_read(&self, after);
		printf("%d elements: %lu instructions, %lu branches\n", n,
		       after[0] - before[0], after[1] - before[1]);
	}
	knc_self_close(&self);
	close(fd);
	return 0;
}
