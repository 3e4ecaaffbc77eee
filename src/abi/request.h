/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Structs of the ABI are parsed here; the floors below see a struct knc_request
 */
#ifndef KNC_PMU_REQUEST_H
#define KNC_PMU_REQUEST_H

#include <linux/types.h>

#include <knc_pmu.h>

#include "count/request.h"

/* PMUs have the numbers 1 to KNC_NR_PMUS; KNC_PMU_DEFAULT is the first one. */
#define KNC_NR_PMUS		1

struct knc_session;

/* Is there a PMU of this number? */
static inline bool knc_has_pmu(u32 id)
{
	return id <= KNC_NR_PMUS;
}

/**
 * struct knc_room - the caller's array of a struct knc_pmu_list, checked
 * @to: its address
 * @nr: number of entries that fit
 * @size: bytes of each, as the caller knows it
 */
struct knc_room {
	void __user *to;
	u32 nr;
	u32 size;
};

int knc_copy_in(void *to, size_t ksize, const void __user *from,
		unsigned int cmd);
int knc_copy_out(void __user *to, const void *from, size_t ksize,
		 unsigned int cmd);
int knc_room_init(struct knc_room *room, const struct knc_pmu_list *list);
int knc_room_put(const struct knc_room *room, unsigned int i,
		 const void *entry, size_t ksize);

int knc_request_check(struct knc_request *req, struct knc_refusal *why);
long knc_ioctl_config(struct knc_session *s, struct knc_pmu_config __user *arg,
		      unsigned int cmd);

#endif /* KNC_PMU_REQUEST_H */
