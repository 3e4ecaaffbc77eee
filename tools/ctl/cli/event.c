// SPDX-License-Identifier: GPL-2.0
/* Events and targets of all commands that count: modifiers, flags, the right to kernel mode */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli/event.h"
#include "cli/message.h"

int add_modifier(const struct kncpmu_pmu *pmu, struct kncpmu_item *item, char letter)
{
	char name[KNCPMU_SPEC_LEN];
	struct kncpmu_error err;
	size_t size = sizeof(name);

	if ((size_t)snprintf(name, size, "%s:%c", item->name, letter) >= size ||
	    kncpmu_spec_parse(pmu, name, &item->event, &err))
		return 0;
	memcpy(item->name, name, size);
	return 1;
}

unsigned int follow_flags(enum target target, int inherit)
{
	unsigned int flags = 0;

	if (target == TARGET_COMMAND)
		flags |= KNC_PMU_CONFIG_ON_EXEC;
	if (target == TARGET_PROCESS)
		flags |= KNC_PMU_CONFIG_PROCESS;
	if (inherit)
		flags |= KNC_PMU_CONFIG_INHERIT;
	return flags;
}

int leave_exec_out(unsigned int *flags, int error, const struct knc_pmu_config *config)
{
	if (error != -EOPNOTSUPP || config->reason != KNC_PMU_REASON_TASK_KERNEL ||
	    !(*flags & KNC_PMU_CONFIG_ON_EXEC))
		return 0;
	*flags &= ~KNC_PMU_CONFIG_ON_EXEC;
	complain("this kernel tells no module of exec: what " PROGRAM
		 " does in the command's process to execute it is counted too");
	return 1;
}

/* Find out by configuring a session that counts kernel mode */
int may_count_kernel(void)
{
	struct knc_pmu_event event = {
		.flags = KNC_PMU_EVENT_USR | KNC_PMU_EVENT_OS,
	};
	struct knc_pmu_config config;
	int ret, fd = kncpmu_open(NULL);

	if (fd < 0)
		return 1;
	ret = kncpmu_config_task(fd, 0, &event, 1, 0, &config);
	kncpmu_close(fd);
	return ret != -EPERM || config.reason != KNC_PMU_REASON_PRIVILEGE;
}
