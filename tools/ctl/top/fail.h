/* SPDX-License-Identifier: GPL-2.0 */
/* Messages of failed sessions */
#ifndef KNC_CTL_TOP_FAIL_H
#define KNC_CTL_TOP_FAIL_H

#include "top/top.h"

/* Write the message to @err. Returns -EPERM if the reason is KNC_PMU_REASON_PRIVILEGE, else -1 */
int top_fail(struct kncpmu_error *err, enum kncpmu_op op, int error,
	     const struct knc_pmu_config *config, const struct knc_pmu_event *events);
/* Does the refusal concern only the session's own row? Then @note gets the reason */
int top_fails_alone(int error, const struct knc_pmu_config *config);
void top_note(char *note, size_t size, int error, const struct knc_pmu_config *config);

#endif /* KNC_CTL_TOP_FAIL_H */
