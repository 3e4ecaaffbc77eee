// SPDX-License-Identifier: GPL-2.0
#include <err.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <knc_pmu.h>

int main(void)
{
	struct knc_pmu_event event = {
		.event = KNC_PMU_EVENT_CODE(0x16, 0), .flags = KNC_PMU_EVENT_USR,
	};
	struct knc_pmu_config config = {
		.flags = KNC_PMU_CONFIG_TASK,
		.events = (uintptr_t)&event, .nr_events = 1, .event_size = sizeof(event),
	};
	struct knc_pmu_thread count;
	struct knc_pmu_read read = {
		.buffer = (uintptr_t)&count, .buffer_size = sizeof(count),
	};
	int fd = open(KNC_PMU_DEVICE, O_RDWR | O_CLOEXEC);
	unsigned int i, sum = 0;

	if (fd < 0)
		err(1, "%s", KNC_PMU_DEVICE);
	if (ioctl(fd, KNC_PMU_IOC_CONFIG, &config) < 0)
		err(1, "CONFIG refused, reason %u", config.reason);
	ioctl(fd, KNC_PMU_IOC_START, 0);
	for (i = 0; i < 100000; i++)
		sum = sum * 31 + i;
	ioctl(fd, KNC_PMU_IOC_STOP, 0);
	if (ioctl(fd, KNC_PMU_IOC_READ, &read) < 0)
		err(1, "READ");
	printf("sum %u: %llu instructions\n", sum, count.value[0]);
	close(fd);
	return 0;
}
