/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * The second words of Westmere's offcore events: kinds of requests, and where they were answered
 *
 * Names are perf's. Both parts are masks: some names stand for several bits.
 */
#ifndef KNC_WESTMERE_OFFCORE_H
#define KNC_WESTMERE_OFFCORE_H

/* The rows of one request: RESPONSE(request, its bits, response, its bits) */
#define WSM_RESPONSES(RESPONSE, request, bits)					\
	RESPONSE(request, bits, "LLC_HIT_NO_OTHER_CORE", 0x100)			\
	RESPONSE(request, bits, "LLC_HIT_OTHER_CORE_HIT", 0x200)		\
	RESPONSE(request, bits, "LLC_HIT_OTHER_CORE_HITM", 0x400)		\
	RESPONSE(request, bits, "REMOTE_CACHE_HITM", 0x800)			\
	RESPONSE(request, bits, "LOCAL_DRAM_AND_REMOTE_CACHE_HIT", 0x1000)	\
	RESPONSE(request, bits, "REMOTE_DRAM", 0x2000)				\
	RESPONSE(request, bits, "OTHER_LOCAL_DRAM", 0x4000)			\
	RESPONSE(request, bits, "IO_CSR_MMIO", 0x8000)				\
	RESPONSE(request, bits, "LOCAL_CACHE", 0x700)				\
	RESPONSE(request, bits, "ANY_DRAM_AND_REMOTE_FWD", 0x3000)		\
	RESPONSE(request, bits, "ALL_LOCAL_DRAM_AND_REMOTE_CACHE_HIT", 0x5000)	\
	RESPONSE(request, bits, "ANY_CACHE_DRAM", 0x7f00)			\
	RESPONSE(request, bits, "ANY_LLC_MISS", 0xf800)				\
	RESPONSE(request, bits, "ANY_LOCATION", 0xff00)

/* All rows */
#define WSM_OFFCORE(RESPONSE)							\
	WSM_RESPONSES(RESPONSE, "DEMAND_DATA_RD", 0x1)				\
	WSM_RESPONSES(RESPONSE, "DEMAND_RFO", 0x2)				\
	WSM_RESPONSES(RESPONSE, "DEMAND_IFETCH", 0x4)				\
	WSM_RESPONSES(RESPONSE, "COREWB", 0x8)					\
	WSM_RESPONSES(RESPONSE, "PF_DATA_RD", 0x10)				\
	WSM_RESPONSES(RESPONSE, "PF_RFO", 0x20)					\
	WSM_RESPONSES(RESPONSE, "PF_IFETCH", 0x40)				\
	WSM_RESPONSES(RESPONSE, "OTHER", 0x80)					\
	WSM_RESPONSES(RESPONSE, "DEMAND_DATA", 0x3)				\
	WSM_RESPONSES(RESPONSE, "ANY_DATA", 0x11)				\
	WSM_RESPONSES(RESPONSE, "ANY_RFO", 0x22)				\
	WSM_RESPONSES(RESPONSE, "DATA_IN", 0x33)				\
	WSM_RESPONSES(RESPONSE, "ANY_IFETCH", 0x44)				\
	WSM_RESPONSES(RESPONSE, "PF_DATA", 0x50)				\
	WSM_RESPONSES(RESPONSE, "PREFETCH", 0x70)				\
	WSM_RESPONSES(RESPONSE, "DATA_IFETCH", 0x77)				\
	WSM_RESPONSES(RESPONSE, "ANY_REQUEST", 0xff)

#endif /* KNC_WESTMERE_OFFCORE_H */
