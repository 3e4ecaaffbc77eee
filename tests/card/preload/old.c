// SPDX-License-Identifier: GPL-2.0
/*
 * LD_PRELOADed into knc-pmuctl: makes the module look as on a kernel that does not report exec to
 * modules (Linux before 5.0), and whose timers run at the tick, 100 times a second
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <sys/ioctl.h>
#include <time.h>

#include <knc_pmu.h>

int clock_getres(clockid_t clock, struct timespec *ts)
{
	(void)clock;
	*ts = (struct timespec){ .tv_nsec = 10000000 };
	return 0;
}

int ioctl(int fd, unsigned long request, ...)
{
	int (*next)(int fd, unsigned long request, void *arg) = dlsym(RTLD_NEXT, "ioctl");
	struct knc_pmu_config *config;
	struct knc_pmu_info *info;
	va_list args;
	void *arg;

	va_start(args, request);
	arg = va_arg(args, void *);
	va_end(args);
	if (request == KNC_PMU_IOC_INFO) {
		int ret = next(fd, request, arg);

		info = arg;
		info->features &= ~(KNC_PMU_FEATURE_ON_EXEC | KNC_PMU_FEATURE_CALLCHAIN |
				    KNC_PMU_FEATURE_PMI_IRQ);
		return ret;
	}
	config = arg;
	if (request != KNC_PMU_IOC_CONFIG || !(config->flags & KNC_PMU_CONFIG_ON_EXEC))
		return next(fd, request, arg);
	config->reason = KNC_PMU_REASON_TASK_KERNEL;
	errno = EOPNOTSUPP;
	return -1;
}
