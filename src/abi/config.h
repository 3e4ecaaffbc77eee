/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Parses CONFIG; the floors below get a struct knc_request
 */
#ifndef KNC_PMU_CONFIG_H
#define KNC_PMU_CONFIG_H

#include <linux/types.h>

#include <knc_pmu.h>

#include "request/request.h"

struct knc_session;

int knc_config_check(struct knc_request *req, struct knc_refusal *why);
long knc_config_ioctl(struct knc_session *s, struct knc_pmu_config __user *arg,
		      unsigned int cmd);

#endif /* KNC_PMU_CONFIG_H */
