/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Policy: what the administrator and the kernel's lockdown forbid
 */
#ifndef KNC_PMU_POLICY_H
#define KNC_PMU_POLICY_H

#include <linux/types.h>

#include "request/request.h"

int knc_policy_unprivileged(const struct knc_request *req,
			    struct knc_refusal *why);
bool knc_policy_self(void);
int knc_policy_lockdown(const struct knc_request *req,
			struct knc_refusal *why);

#endif /* KNC_PMU_POLICY_H */
