/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * ring3.h with KNC_NO_INSTRUMENT: all its names expand to no code. Only ring3.h includes this.
 */
#ifndef KNC_RING3_NONE_H
#define KNC_RING3_NONE_H

#ifdef __cplusplus
extern "C"
#endif
int knc_ring3_never(void);

/* Expand to no code, without a warning about an unused value in C and in C++ */
#if defined(__clang__) || defined(__cplusplus)
#define KNC_R3_NOT(value)	(1 ? (value) : knc_ring3_never())
#else
#define KNC_R3_NOT(value)	__extension__ ({ (value); })
#endif

/* A type for declarations; no function uses its members */
struct knc_self {
	int fd;
};

#define KNC_R3_UNUSED(a, b)						\
	KNC_R3_NOT(0 * (int)sizeof(*(a)) * (int)sizeof(b) - KNC_RING3_OFF)

#define knc_ring3_init()		KNC_R3_NOT(KNC_RING3_OFF)
#define knc_self_open(self, fd)		KNC_R3_UNUSED(self, fd)
#define knc_self_close(self)		((void)sizeof(*(self)))
#define knc_read(self, count)		KNC_R3_UNUSED(self, *(count))
#define knc_read1(self, event, count)	KNC_R3_UNUSED(self, *(count))
#define knc_read_times(self, enabled, running)				\
	KNC_R3_UNUSED(self, *(enabled) + *(running))
#define knc_ring3_status()		KNC_RING3_OFF
#define knc_ring3_available()		0
#define knc_rdpmc(n)			0UL
#define knc_rdpmc_fixed(n)		0UL
#define knc_rdtsc()			0UL
#define knc_diff39(later, earlier)	0UL
#define knc_diff31(later, earlier)	0UL
#define knc_spflt_on()			((void)0)
#define knc_spflt_off()			((void)0)
#define knc_delay(cycles)		((void)0)
#define knc_regions_label(n, name)	((void)0)
#define knc_regions_report(file, format) ((void)0)
#define KNC_REGION(name)
#define KNC_SCOPE(name)
#define KNC_BEGIN(name)
#define KNC_END(name)

#endif /* KNC_RING3_NONE_H */
