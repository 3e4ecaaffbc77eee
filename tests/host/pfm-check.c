// SPDX-License-Identifier: GPL-2.0
/*
 * events.def against libpfm4's table of Knights Corner: an event of both has the
 * same code and the same counters; the events of only one are as events.def says.
 *
 *	cc -I uapi -I include -I tools/lib [-DPFM_TABLE='"PATH"'] \
 *		THIS libkncpmu.a -lpfm
 *
 * libpfm4's interface has the codes, but not the counter masks. With PFM_TABLE,
 * lib/events/intel_knc_events.h of its source, these are checked too; without it
 * that test is skipped.  -DPFM_ALL: it has been given the events that it lacks
 * (Documentation/upstream/events).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <perfmon/pfmlib.h>

#include <kncpmu.h>
#include <knc/regs.h>

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

#ifdef PFM_ALL
#define KNOWN(e)	((void)(e), 1)
#else
#define KNOWN(e)	(!!((e)->sources & KNCPMU_SRC_LIBPFM4))
#endif

static int failed;

static struct kncpmu_pmu knc;

static void result(int good, const char *name, const char *why)
{
	if (good) {
		printf("ok %s\n", name);
		return;
	}
	printf("not ok %s: %s\n", name, why);
	failed = 1;
}

/* libpfm4's event select for @event; rings as given */
static int pfm_code(const char *event, int rings, unsigned long long *code)
{
	pfm_pmu_encode_arg_t arg;
	char name[128];
	int ret;

	memset(&arg, 0, sizeof(arg));
	arg.size = sizeof(arg);
	snprintf(name, sizeof(name), "knc::%s", event);
	ret = pfm_get_os_event_encoding(name, rings, PFM_OS_NONE, &arg);
	if (ret != PFM_SUCCESS)
		return ret;
	*code = arg.codes[0];
	free(arg.codes);
	return 0;
}

/* Check our events in libpfm4: each has the same code there, if events.def says that it is there */
static void check_ours(const struct kncpmu_event_desc *e)
{
	int known = KNOWN(e);
	unsigned long long code = 0;
	char test[96], why[128];
	int ret = pfm_code(e->name, PFM_PLM3, &code);

	snprintf(test, sizeof(test), "pfm.code.%s", e->name);
	if (ret) {
		snprintf(why, sizeof(why), "libpfm4 does not know it (%s)", pfm_strerror(ret));
		result(!known, test, why);
		return;
	}
	code &= KNC_EVTSEL_EVENT | KNC_EVTSEL_UMASK;
	snprintf(why, sizeof(why), "libpfm4 has 0x%04llx, events.def 0x%04lx%s", code,
		 KNC_EVTSEL_CODE(e->event, e->umask),
		 known ? "" : ", and does not name it as a source");
	result(known && code == KNC_EVTSEL_CODE(e->event, e->umask), test, why);
}

/* Check libpfm4's events in ours */
static void check_theirs(void)
{
	pfm_event_info_t info;
	pfm_pmu_info_t pmu;
	char test[96];
	unsigned int n = 0;
	int i;

	memset(&pmu, 0, sizeof(pmu));
	pmu.size = sizeof(pmu);
	if (pfm_get_pmu_info(PFM_PMU_INTEL_KNC, &pmu) != PFM_SUCCESS) {
		result(0, "pfm.table", "libpfm4 has no table of Knights Corner");
		return;
	}
	for (i = pmu.first_event; i != -1; i = pfm_get_event_next(i)) {
		memset(&info, 0, sizeof(info));
		if (pfm_get_event_info(i, PFM_OS_NONE, &info) != PFM_SUCCESS)
			continue;
		n++;
		snprintf(test, sizeof(test), "pfm.known.%s", info.name);
		result(!!kncpmu_event_find(&knc, info.name), test, "events.def does not have it");
	}
	snprintf(test, sizeof(test), "%u events read, it has %d", n, pmu.nevents);
	result(n && n == (unsigned int)pmu.nevents, "pfm.table", test);
	result(pmu.num_cntrs == KNC_NR_COUNTERS, "pfm.counters", "not as many as regs.h has");
}

/* Check common modifiers: libpfm4 is a second opinion on the bits. It sets EN and INT by itself. */
static void check_modifiers(void)
{
	static const struct {
		const char *text;
		unsigned long long bits;
	} tests[] = {
		{ "BRANCHES:u=1:k=1", KNC_EVTSEL_USR | KNC_EVTSEL_OS },
		{ "BRANCHES:k=1:u=0", KNC_EVTSEL_OS },
		{ "BRANCHES:u=1:k=0:e=1:c=1",
		  KNC_EVTSEL_USR | KNC_EVTSEL_EDGE | 1UL << KNC_EVTSEL_CMASK_SHIFT },
		{ "BRANCHES:u=1:k=0:i=1:c=7",
		  KNC_EVTSEL_USR | KNC_EVTSEL_INV | 7UL << KNC_EVTSEL_CMASK_SHIFT },
		{ "BRANCHES:u=1:k=0:t=1", KNC_EVTSEL_USR | KNC_EVTSEL_THREAD_MODE },
	};
	unsigned long long mask = ~0ULL & ~(KNC_EVTSEL_EN | KNC_EVTSEL_INT);
	unsigned long long code;
	char test[96], why[96];
	unsigned int i;

	mask &= ~(KNC_EVTSEL_EVENT | KNC_EVTSEL_UMASK);
	for (i = 0; i < ARRAY_SIZE(tests); i++) {
		code = 0;
		snprintf(test, sizeof(test), "pfm.modifiers.%s", tests[i].text);
		if (pfm_code(tests[i].text, 0, &code)) {
			result(0, test, "libpfm4 can't read it");
			continue;
		}
		snprintf(why, sizeof(why), "libpfm4 has 0x%llx, regs.h 0x%llx", code & mask,
			 tests[i].bits);
		result((code & mask) == tests[i].bits, test, why);
	}
}

#ifdef PFM_TABLE
/* libpfm4's own type, as far as its table of Knights Corner uses it */
struct pfm_entry {
	const char *name;
	const char *desc;
	unsigned long code;
	unsigned long cntmsk;
	unsigned long modmsk;
};

#define intel_x86_entry_t	struct pfm_entry
#define INTEL_V3_ATTRS	0
#include PFM_TABLE

static void check_counters(void)
{
	const struct kncpmu_event_desc *e;
	char test[96], why[96];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(intel_knc_pe); i++) {
		e = kncpmu_event_find(&knc, intel_knc_pe[i].name);
		if (!e)
			continue;
		snprintf(test, sizeof(test), "pfm.counters.%s", e->name);
		snprintf(why, sizeof(why), "libpfm4 has mask 0x%lx, events.def 0x%llx",
			 intel_knc_pe[i].cntmsk, (unsigned long long)e->counters);
		result(intel_knc_pe[i].cntmsk == e->counters, test, why);
	}
}
#else
static void check_counters(void)
{
	printf("skip pfm.counters: libpfm4's source is not at hand (PFM_TABLE)\n");
}
#endif

int main(void)
{
	unsigned int i;

	kncpmu_pmu_get(-1, "knc", &knc);
	setenv("LIBPFM_FORCE_PMU", "knc", 1);
	if (pfm_initialize() != PFM_SUCCESS) {
		result(0, "pfm.initialize", "libpfm4 does not start");
		return 1;
	}
	for (i = 0; i < knc.nr_events; i++)
		check_ours(&knc.events[i]);
	check_theirs();
	check_modifiers();
	check_counters();
	pfm_terminate();
	return failed;
}
