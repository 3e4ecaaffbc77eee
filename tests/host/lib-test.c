// SPDX-License-Identifier: GPL-2.0
/*
 * Unit tests of libkncpmu, without a card
 *
 *	cc -I uapi -I include -I tools/lib THIS libkncpmu.a
 */
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <kncpmu.h>
#include <card.h>
#include <kernel-file.h>
#include <names.h>
#include <place.h>
#include <pmus.h>
#include <sets.h>
#include <knc/regs.h>

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

#define USR	KNC_PMU_EVENT_USR
#define OS	KNC_PMU_EVENT_OS
#define BOTH	(USR | OS)
#define EDGE	KNC_PMU_EVENT_EDGE
#define INV	KNC_PMU_EVENT_INV
#define THREAD	KNC_PMU_EVENT_THREAD_MODE
#define SPFLT	KNC_PMU_EVENT_SPFLT
#define EXACT	KNCPMU_PLACE_EXACT
#define PER_CPU	KNCPMU_PLACE_PER_CPU

static const unsigned int nr_rows = 0
#define KNC_EVENT(...)	+ 1
#include <knc/events.def>
	;

static int failed;

static struct kncpmu_pmu knc;

static void result(int good, const char *group, const char *name, const char *why)
{
	if (good) {
		printf("ok lib.%s.%s\n", group, name);
		return;
	}
	printf("not ok lib.%s.%s: %s\n", group, name, why);
	failed = 1;
}

/* Look up every event by its name, in small letters, by its raw code, and convert it back */
static void test_events(void)
{
	const struct kncpmu_event_desc *e;
	struct knc_pmu_event event, raw;
	struct kncpmu_error err;
	char text[KNCPMU_SPEC_LEN], code[16];
	unsigned int i, n;
	int good;

	result(knc.nr_events == nr_rows, "events", "number", "not the rows of events.def");
	for (i = 0; i < knc.nr_events; i++) {
		e = &knc.events[i];
		for (n = 0; e->name[n]; n++)
			text[n] = e->name[n] | (e->name[n] >= 'A' && e->name[n] <= 'Z' ? 0x20 : 0);
		text[n] = '\0';
		snprintf(code, sizeof(code), "r%02x%02x", e->umask, e->event);
		err.text[0] = '\0';
		good = !kncpmu_spec_parse(&knc, text, &event, &err) &&
		       !kncpmu_spec_parse(&knc, code, &raw, &err) &&
		       !memcmp(&event, &raw, sizeof(raw)) &&
		       event.event == KNC_PMU_EVENT_CODE(e->event, e->umask) &&
		       event.flags == BOTH && kncpmu_event_by_code(&knc, e->event, e->umask) == e &&
		       kncpmu_event_of(&knc, &event) == e;
		kncpmu_spec_format(&knc, &event, text, sizeof(text));
		good = good && !strcmp(text, e->name) && e->counters && e->desc[0] && e->sources;
		result(good, "events", e->name, err.text);
	}
}

/* Each alias is an event of PMU @pmu_name, and no event's own name */
static void test_aliases_of(const char *pmu_name)
{
	const struct kncpmu_alias *table;
	const struct kncpmu_event_desc *e;
	struct knc_pmu_event event;
	struct kncpmu_error err;
	struct kncpmu_pmu pmu;
	unsigned int nr, i;
	char test[64];

	kncpmu_pmu_get(-1, pmu_name, &pmu);
	table = kncpmu_aliases(&pmu, &nr);
	for (i = 0; i < nr; i++) {
		err.text[0] = '\0';
		e = kncpmu_event_by_alias(&pmu, table[i].name);
		snprintf(test, sizeof(test), "%s.%s", pmu_name, table[i].name);
		result(e && e == kncpmu_event_find(&pmu, table[i].event) &&
		       !kncpmu_spec_parse(&pmu, table[i].name, &event, &err) &&
		       kncpmu_event_of(&pmu, &event) == e, "aliases", test, err.text);
	}
}

/* Codes of libpfm4 4.13 for names in PAPI 7.0's papi_events.csv, and of Linux for perf's names */
static void test_aliases_hosts(void)
{
	static const struct {
		const char *pmu;
		const char *name;
		__u64 code;
	} rows[] = {
		{ "arch", "PAPI_TOT_CYC", 0x003c },
		{ "arch", "PAPI_TOT_INS", 0x00c0 },
		{ "arch", "PAPI_REF_CYC", 0x0300 },
		{ "arch", "PAPI_BR_INS", 0x00c4 },
		{ "arch", "PAPI_BR_MSP", 0x00c5 },
		{ "arch", "PAPI_L3_TCA", 0x4f2e },
		{ "arch", "PAPI_L3_TCM", 0x412e },
		{ "arch", "bus-cycles", 0x013c },
		{ "westmere", "PAPI_TOT_INS", 0x00c0 },
		{ "westmere", "PAPI_BR_INS", 0x7f88 },
		{ "westmere", "PAPI_BR_MSP", 0x7f89 },
		{ "westmere", "PAPI_L3_LDM", 0x10cb },
		{ "westmere", "PAPI_L1_STM", 0x0f27 },
		{ "westmere", "dTLB-store-misses", 0x010c },
		{ "westmere", "iTLB-loads", 0x01c0 },
	};
	struct knc_pmu_event event;
	struct kncpmu_error err;
	struct kncpmu_pmu pmu;
	unsigned int i;
	char test[64];

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		err.text[0] = '\0';
		kncpmu_pmu_get(-1, rows[i].pmu, &pmu);
		snprintf(test, sizeof(test), "%s.%s.code", rows[i].pmu, rows[i].name);
		result(!kncpmu_spec_parse(&pmu, rows[i].name, &event, &err) &&
		       event.event == rows[i].code, "aliases", test, err.text);
	}
	result(kncpmu_spec_parse(&pmu, "PAPI_BR_PRC", &event, &err) == -ENOENT &&
	       strstr(err.text, "one event of PMU westmere"), "aliases", "derived", err.text);
}

static void test_aliases(void)
{
	struct knc_pmu_event event;
	struct kncpmu_error err;

	test_aliases_of("knc");
	test_aliases_of("arch");
	test_aliases_of("westmere");
	test_aliases_hosts();
	err.text[0] = '\0';
	result(kncpmu_event_by_alias(&knc, "insts") ==
	       kncpmu_event_find(&knc, "INSTRUCTIONS_EXECUTED") &&
	       kncpmu_event_by_alias(&knc, "PAPI_TOT_CYC") ==
	       kncpmu_event_find(&knc, "CPU_CLK_UNHALTED") &&
	       kncpmu_event_by_alias(&knc, "L1-dcache-stores") ==
	       kncpmu_event_find(&knc, "DATA_WRITE"),
	       "aliases", "tools", "not the events that collect, PAPI and perf count");
	result(!strcmp(kncpmu_tool_name(0), "collect") && !strcmp(kncpmu_tool_name(1), "perf") &&
	       !strcmp(kncpmu_tool_name(2), "PAPI") && !kncpmu_tool_name(3), "aliases",
	       "tool-names", "not three");
	result(!kncpmu_event_by_alias(&knc, "LLC-stores") &&
	       !kncpmu_event_by_alias(&knc, "BRANCHES_MISPREDICTED"),
	       "aliases", "no-others", "a name that is none is found");
	result(!kncpmu_spec_parse(&knc, "Branch-Misses:u", &event, &err) &&
	       event.flags == KNC_PMU_EVENT_USR &&
	       event.event == KNC_PMU_EVENT_CODE(0x2b, 0), "aliases", "modifier", err.text);
}

/* The kinds of events, in the words of gprofng's collect -h */
static void test_kinds(void)
{
	static const struct {
		const char *spec;
		const char *kind;
		int cycles;
		int by_others;
	} tests[] = {
		{ "CPU_CLK_UNHALTED", "CPU-cycles", 1, 0 },
		{ "FE_STALLED:u", "CPU-cycles", 1, 0 },
		{ "CPU_CLK_UNHALTED:e", "events", 0, 0 },
		{ "INSTRUCTIONS_EXECUTED", "events", 0, 0 },
		{ "INSTRUCTIONS_EXECUTED:c=2", "CPU-cycles", 1, 0 },
		{ "DATA_READ", "load events", 0, 0 },
		{ "DATA_WRITE_MISS", "store events", 0, 0 },
		{ "BANK_CONFLICTS/1", "load-store events", 0, 0 },
		{ "DATA_READ:c=1", "CPU-cycles", 1, 0 },
		{ "SNP_HIT_L2", "not-program-related events", 0, 1 },
		{ "SNP_HITM_L2:u", "not-program-related events", 0, 1 },
		{ "r10e3", "not-program-related events", 0, 1 },
		{ "SNP_HIT_L2:c=1", "not-program-related events", 1, 1 },
		{ "rffff", "events", 0, 0 },
	};
	struct knc_pmu_event event;
	struct kncpmu_error err;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(tests); i++)
		result(!kncpmu_spec_parse(&knc, tests[i].spec, &event, &err) &&
		       !strcmp(kncpmu_event_kind(&knc, &event), tests[i].kind) &&
		       kncpmu_event_cycles(&knc, &event) == tests[i].cycles &&
		       kncpmu_event_by_others(&knc, &event) == tests[i].by_others, "kinds",
		       tests[i].spec, kncpmu_event_kind(&knc, &event));
}

/* NAME/N picks the counter, and is formatted back */
static void test_counters(void)
{
	static const struct {
		const char *spec;
		__u64 counters;
		const char *back;
	} tests[] = {
		{ "cycles", 0, "CPU_CLK_UNHALTED" },
		{ "cycles/0", 1, "CPU_CLK_UNHALTED/0" },
		{ "BRANCHES/1:u:c=2", 2, "BRANCHES/1:u:c=2" },
		{ "L2_READ_MISS/0", 1, "L2_READ_MISS/0" },
		{ "rffff/1", 2, "rffff/1" },
	};
	struct knc_pmu_event event;
	struct kncpmu_error err;
	char back[KNCPMU_SPEC_LEN];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(tests); i++) {
		err.text[0] = '\0';
		back[0] = '\0';
		if (!kncpmu_spec_parse(&knc, tests[i].spec, &event, &err))
			kncpmu_spec_format(&knc, &event, back, sizeof(back));
		result(!strcmp(back, tests[i].back) && event.counters == tests[i].counters,
		       "counters", tests[i].spec, err.text[0] ? err.text : back);
	}
}

static void test_specs(void)
{
	static const struct {
		const char *text;
		__u32 flags;
		unsigned int cmask;
		const char *back;
	} tests[] = {
		{ "BRANCHES", BOTH, 0, "BRANCHES" },
		{ "branches:u", USR, 0, "BRANCHES:u" },
		{ "BRANCHES:k", OS, 0, "BRANCHES:k" },
		{ "BRANCHES:uk", BOTH, 0, "BRANCHES" },
		{ "BRANCHES:u:k", BOTH, 0, "BRANCHES" },
		{ "BRANCHES:u=1", USR, 0, "BRANCHES:u" },
		{ "BRANCHES:u=0", OS, 0, "BRANCHES:k" },
		{ "BRANCHES:k=0", USR, 0, "BRANCHES:u" },
		{ "BRANCHES:u=1:k=0", USR, 0, "BRANCHES:u" },
		{ "BRANCHES:e", BOTH | EDGE, 0, "BRANCHES:e" },
		{ "BRANCHES:e=1", BOTH | EDGE, 0, "BRANCHES:e" },
		{ "BRANCHES:e=0", BOTH, 0, "BRANCHES" },
		{ "BRANCHES:i:c=1", BOTH | INV, 1, "BRANCHES:i:c=1" },
		{ "BRANCHES:c=255", BOTH, 255, "BRANCHES:c=255" },
		{ "BRANCHES:c=0xff", BOTH, 255, "BRANCHES:c=255" },
		{ "BRANCHES:cmask=3", BOTH, 3, "BRANCHES:c=3" },
		{ "BRANCHES:ucmask=0x3:i", USR | INV, 3, "BRANCHES:ui:c=3" },
		{ "BRANCHES:c=0XfF", BOTH, 255, "BRANCHES:c=255" },
		{ "BRANCHES:c=010", BOTH, 10, "BRANCHES:c=10" },
		{ "BRANCHES:uc=2", USR, 2, "BRANCHES:u:c=2" },
		{ "BRANCHES:t", BOTH | THREAD, 0, "BRANCHES:t" },
		{ "BRANCHES:t=1", BOTH | THREAD, 0, "BRANCHES:t" },
		{ "BRANCHES:s", BOTH | SPFLT, 0, "BRANCHES:s" },
		{ "BRANCHES:ukeits:c=0x10", BOTH | EDGE | INV | THREAD | SPFLT, 16,
		  "BRANCHES:eits:c=16" },
		{ "BRANCHES:u:e:i:c=3:t:s", USR | EDGE | INV | THREAD | SPFLT, 3,
		  "BRANCHES:ueits:c=3" },
		{ "r0012:u", USR, 0, "BRANCHES:u" },
		{ "r12:u", USR, 0, "BRANCHES:u" },
		{ "R0012", BOTH, 0, "BRANCHES" },
		{ "rffEE", BOTH, 0, "rffee" },
	};
	struct knc_pmu_event event;
	struct kncpmu_error err;
	char back[KNCPMU_SPEC_LEN];
	unsigned int i;
	int good;

	for (i = 0; i < ARRAY_SIZE(tests); i++) {
		err.text[0] = '\0';
		back[0] = '\0';
		good = !kncpmu_spec_parse(&knc, tests[i].text, &event, &err);
		if (good)
			kncpmu_spec_format(&knc, &event, back, sizeof(back));
		result(good && event.flags == tests[i].flags &&
		       event.cmask == tests[i].cmask && !strcmp(back, tests[i].back),
		       "spec", tests[i].text, err.text[0] ? err.text : back);
	}
}

static void test_bad_specs(void)
{
	static const struct {
		const char *text;
		int ret;
		const char *says;
	} tests[] = {
		{ "BRANCHES:x", -EINVAL, "'x' at character 10" },
		{ "BRANCHES:ux", -EINVAL, "'x' at character 11" },
		{ "BRANCHES:", -EINVAL, "empty modifier at character 10" },
		{ "BRANCHES::u", -EINVAL, "empty modifier at character 10" },
		{ "BRANCHES:u:", -EINVAL, "empty modifier at character 12" },
		{ "BRANCHES:U", -EINVAL, "'U' at character 10" },
		{ "BRANCHES:c", -EINVAL, "c=1 to c=255" },
		{ "BRANCHES:c=", -EINVAL, "not 1 to 255" },
		{ "BRANCHES:c=0", -EINVAL, "not 1 to 255" },
		{ "BRANCHES:c=256", -EINVAL, "not 1 to 255" },
		{ "BRANCHES:c=-1", -EINVAL, "not 1 to 255" },
		{ "BRANCHES:c=0x", -EINVAL, "not 1 to 255" },
		{ "BRANCHES:c=99999999999999999999", -EINVAL, "not 1 to 255" },
		{ "BRANCHES:c=1u", -EINVAL, "'u' at character 13" },
		{ "BRANCHES:u=2", -EINVAL, "not 0 or 1" },
		{ "BRANCHES:u=", -EINVAL, "not 0 or 1" },
		{ "BRANCHES:u=1k", -EINVAL, "'k' at character 13" },
		{ "BRANCHES:u:u=0", -EINVAL, "both set and cleared" },
		{ "BRANCHES:u=0:k=0", -EINVAL, "no ring" },
		{ "BRANCHES/2", -EINVAL, "'/2' at character 9 is no counter: there are /0 to /1" },
		{ "BRANCHES/", -EINVAL, "'/' at character 9 is no counter" },
		{ "BRANCHES/01", -EINVAL, "'/01' at character 9 is no counter" },
		{ "BRANCHES:u/0", -EINVAL, "'/' at character 11 is not a modifier" },
		{ "L2_READ_MISS/1", -EINVAL, "counter 1 can't count it" },
		{ "r10cb/1", -EINVAL, "counter 1 can't count it" },
		{ "/1", -EINVAL, "no name" },
		{ "PAPI_FP_OPS", -ENOENT, "PAPI has no such preset that is one event of PMU knc" },
		{ "hi", -ENOENT, "it is an interval, which only record takes" },
		{ "1000003", -ENOENT, "it is an interval" },
		{ "r12345", -EINVAL, "four hex digits" },
		{ "", -EINVAL, "no name" },
		{ ":u", -EINVAL, "no name" },
		{ "r", -ENOENT, "unknown event" },
		{ "r00zz", -ENOENT, "unknown event" },
		{ "INSTRUCTIONS_EXECUTD", -ENOENT, "did you mean INSTRUCTIONS_EXECUTED" },
		{ "l2_raed_miss:u", -ENOENT, "did you mean L2_READ_MISS" },
		{ "QQQQQQQQQQQQ", -ENOENT, "no name is like it" },
	};
	struct knc_pmu_event event;
	struct kncpmu_error err;
	char long_name[KNCPMU_SPEC_LEN + 1];
	unsigned int i;
	int ret;

	for (i = 0; i < ARRAY_SIZE(tests); i++) {
		err.text[0] = '\0';
		ret = kncpmu_spec_parse(&knc, tests[i].text, &event, &err);
		result(ret == tests[i].ret && strstr(err.text, tests[i].says), "bad-spec",
		       tests[i].text[0] ? tests[i].text : "nothing", err.text);
	}
	memset(long_name, 'A', KNCPMU_SPEC_LEN);
	long_name[KNCPMU_SPEC_LEN] = '\0';
	ret = kncpmu_spec_parse(&knc, long_name, &event, &err);
	result(ret == -EINVAL, "bad-spec", "too-long", err.text);
}

static void test_nearest(void)
{
	static const struct {
		const char *text;
		const char *first;
	} tests[] = {
		{ "BRANCHS", "BRANCHES" },
		{ "INSTRUCTION_EXECUTED", "INSTRUCTIONS_EXECUTED" },
		{ "cpu_clk_unhaltd", "CPU_CLK_UNHALTED" },
		{ "mispredict", "BRANCHES_MISPREDICTED" },
		{ "CLK", "CPU_CLK_UNHALTED" },
		{ "BANK", "BANK_CONFLICTS" },
		{ "cycels", "CPU_CLK_UNHALTED" },
		{ "PAPI_TOT_INST", "INSTRUCTIONS_EXECUTED" },
		{ "ZZZZZZZ", NULL },
		{ "", NULL },
	};
	const struct kncpmu_event_desc *near[3];
	unsigned int i, nr;
	int good;

	for (i = 0; i < ARRAY_SIZE(tests); i++) {
		nr = kncpmu_event_nearest(&knc, tests[i].text, near, ARRAY_SIZE(near));
		good = tests[i].first ? nr && !strcmp(near[0]->name, tests[i].first) : !nr;
		result(good, "nearest", tests[i].text[0] ? tests[i].text : "nothing",
		       nr ? near[0]->name : "none");
	}
}

static void test_near(void)
{
	static const char * const names[] = {
		"cpi_thread", "cpi", "ipc", "l1_hit_rate", "l2_tlb_miss_ratio", "copy",
	};
	static const struct {
		const char *text;
		int loose;
		const char *near;
	} tests[] = {
		{ "cpi", 0, "cpi cpi_thread" },
		{ "CPX", 0, "cpi" },
		{ "cpx", 1, "cpi ipc copy" },
		{ "TLB", 0, "l2_tlb_miss_ratio" },
		{ "l1_hti_rate", 0, "l1_hit_rate" },
		{ "zzzzzz", 1, "" },
		{ "", 1, "" },
	};
	struct kncpmu_near near;
	unsigned int i, n;
	char text[256];
	size_t len;

	for (i = 0; i < ARRAY_SIZE(tests); i++) {
		memset(&near, 0, sizeof(near));
		near.word = tests[i].text;
		near.loose = tests[i].loose;
		for (n = 0; n < ARRAY_SIZE(names); n++)
			kncpmu_near_add(&near, names[n]);
		text[0] = '\0';
		for (n = 0, len = 0; n < near.nr; n++)
			len += snprintf(text + len, sizeof(text) - len, "%s%s", n ? " " : "",
					near.name[n]);
		result(!strcmp(text, tests[i].near), "near",
		       tests[i].text[0] ? tests[i].text : "nothing", text);
	}
	/* as many names as there is room for, the most similar of all */
	memset(&near, 0, sizeof(near));
	near.word = "cpi";
	for (n = 0; n < 20; n++)
		kncpmu_near_add(&near, n == 15 ? "cpi" : "cpj");
	result(near.nr == KNCPMU_MAX_NEAR && !strcmp(near.name[0], "cpi"), "near", "many",
	       "not the nearest");
}

/* An event on the emulated card, without and with stand-ins */
static void test_emulated(const struct kncpmu_event_desc *desc)
{
	static const char * const wanted[] = {
		[KNCPMU_EMULATED_NONE] = "lacks 1 1, stands in 0 0",
		[KNCPMU_EMULATED_EXACT] = "lacks 0 0, stands in 0 0",
		[KNCPMU_EMULATED_MODELLED] = "lacks 0 0, stands in 0 0",
		[KNCPMU_EMULATED_VECTOR] = "lacks 0 0, stands in 0 1",
	};
	const struct kncpmu_card without = { .pmu = &knc, .nr_counters = 2, .emulated = 1 };
	const struct kncpmu_card with = {
		.pmu = &knc, .nr_counters = 2, .emulated = 1, .stand_in = 1,
	};
	struct knc_pmu_event event;
	struct kncpmu_error err;
	char got[64];

	kncpmu_spec_parse(&knc, desc->name, &event, &err);
	snprintf(got, sizeof(got), "lacks %d %d, stands in %d %d",
		 kncpmu_card_lacks(&without, &event), kncpmu_card_lacks(&with, &event),
		 kncpmu_card_stands_in(&without, &event), kncpmu_card_stands_in(&with, &event));
	result(!strcmp(got, wanted[desc->emulated]), "emulated", desc->name, got);
}

/* Events that a real card has, one without SPFLT, and the emulated card */
static void test_card(void)
{
	const __u64 all = KNC_PMU_FEATURE_THREADS | KNC_PMU_FEATURE_SPFLT;
	static const struct {
		const char *spec;
		/* for a real card, without SPFLT, counter 0 only, module unknown, emulated */
		const char *lacks;
	} tests[] = {
		{ "BRANCHES", "00000" },
		{ "BRANCHES:ku:c=1", "00000" },
		{ "r0028", "00000" },
		{ "BRANCHES:s", "01000" },
		{ "L2_READ_MISS", "00000" },
		{ "L2_READ_MISS:us", "01000" },
		{ "r1028", "00001" },
		{ "r00ff", "00001" },
	};
	const struct kncpmu_card cards[] = {
		{ .pmu = &knc, .nr_counters = 2, .features = all },
		{ .pmu = &knc, .nr_counters = 2, .features = KNC_PMU_FEATURE_THREADS },
		{ .pmu = &knc, .nr_counters = 1, .features = all },
		{ .pmu = &knc, .nr_counters = 0 },
		{ .pmu = &knc, .nr_counters = 2, .features = all, .emulated = 1 },
	};
	char lacks[ARRAY_SIZE(cards) + 1] = "";
	struct knc_pmu_event event;
	struct kncpmu_error err;
	unsigned int i, n;

	for (i = 0; i < knc.nr_events; i++)
		test_emulated(&knc.events[i]);
	for (i = 0; i < ARRAY_SIZE(tests); i++) {
		kncpmu_spec_parse(&knc, tests[i].spec, &event, &err);
		for (n = 0; n < ARRAY_SIZE(cards); n++)
			lacks[n] = '0' + kncpmu_card_lacks(&cards[n], &event);
		result(!strcmp(lacks, tests[i].lacks), "card", tests[i].spec, lacks);
	}
}

/* Format the sets: "0+2 1" */
static void sets_text(const struct kncpmu_set *sets, unsigned int nr, char *text,
		      size_t size)
{
	unsigned int i, j;
	size_t len = 0;

	text[0] = '\0';
	for (i = 0; i < nr && len < size; i++) {
		for (j = 0; j < sets[i].nr; j++)
			len += snprintf(text + len, size - len, "%s%u",
					j ? "+" : i ? " " : "", sets[i].item[j]);
	}
}

static void test_lists(void)
{
	static const struct {
		const char *text;
		const char *sets;
	} tests[] = {
		{ "BRANCHES", "0" },
		{ "BRANCHES,DATA_READ", "0+1" },
		{ "BRANCHES,BRANCHES:u", "0+1" },
		{ "BRANCHES/0,DATA_READ/0,CODE_READ/1", "0+2 1" },
		{ "{BRANCHES/1,DATA_READ/0}", "0+1" },
		{ "{BRANCHES,DATA_READ}:u,DATA_WRITE", "0+1 2" },
		{ "BRANCHES,DATA_READ,DATA_WRITE", "0+1 2" },
		{ "L2_READ_MISS,L2_READ_HIT_E,L2_READ_HIT_M", "0 1 2" },
		{ "L2_READ_MISS,L2_READ_HIT_E,BRANCHES,DATA_READ", "0+2 1+3" },
		{ "BRANCHES,DATA_READ,L2_READ_MISS,L2_READ_HIT_E", "0+2 1+3" },
		{ "BRANCHES,DATA_READ,L2_READ_MISS", "0+1 2" },
		{ "BRANCHES,L2_READ_MISS,DATA_READ", "0+1 2" },
		{ "{BRANCHES,L2_READ_MISS}", "0+1" },
		{ "{L2_READ_MISS,L2_READ_HIT_E}", "0+1" },
		{ "DATA_READ,{BRANCHES:u,L2_READ_MISS},DATA_WRITE", "0+3 1+2" },
		{ "{BRANCHES},DATA_READ", "0 1" },
		{ "{BRANCHES,DATA_READ},{DATA_WRITE,CODE_READ},BANK_CONFLICTS", "0+1 2+3 4" },
		{ "L2_READ_MISS:c=1,r10c8,r00aa", "0+2 1" },
	};
	struct kncpmu_item items[8];
	struct kncpmu_set sets[8];
	struct kncpmu_error err;
	unsigned int i, nr;
	char text[64];

	for (i = 0; i < ARRAY_SIZE(tests); i++) {
		nr = 0;
		err.text[0] = '\0';
		text[0] = '\0';
		if (!kncpmu_list_parse(&knc, tests[i].text, items, &nr, ARRAY_SIZE(items), &err))
			sets_text(sets, kncpmu_group(&knc, items, nr, sets), text, sizeof(text));
		result(!strcmp(text, tests[i].sets), "group", tests[i].text,
		       err.text[0] ? err.text : text);
	}
}

/* Cores of four threads; the last core has CPUs 0 and 241 to 243, as on MPSS */
static int mpss_siblings(unsigned int cpu, struct kncpmu_cpus *cpus)
{
	struct kncpmu_error err;
	char text[32];
	unsigned int first = (cpu - 1) / 4 * 4 + 1;

	if (!cpu || first == 241)
		return kncpmu_cpus_parse("0,241-243", cpus, &err);
	if (cpu == 237)
		return -ENOENT;
	snprintf(text, sizeof(text), "%u-%u", first, first + 3);
	return kncpmu_cpus_parse(text, cpus, &err);
}

/* Format the events of a part: "0+1/2" */
static void groups_text(const struct kncpmu_part *part, char *text, size_t size)
{
	unsigned int i;
	size_t len = 0;

	text[0] = '\0';
	for (i = 0; i < part->nr && len < size; i++)
		len += snprintf(text + len, size - len, "%s%u",
				!i ? "" : part->group[i] == part->group[i - 1] ? "+" : "/",
				part->item[i]);
}

/* Format the parts: "1-2:1+2/3 3:0core"; /: turns, t: thread mode, core: for the core */
static void parts_text(const struct kncpmu_part *parts, unsigned int nr, char *text,
		       size_t size)
{
	char cpus[32], set[64];
	unsigned int i;
	size_t len = 0;

	text[0] = '\0';
	for (i = 0; i < nr && len < size; i++) {
		kncpmu_cpus_format(&parts[i].cpus, cpus, sizeof(cpus));
		groups_text(&parts[i], set, sizeof(set));
		len += snprintf(text + len, size - len, "%s%s:%s%s%s", i ? " " : "", cpus, set,
				parts[i].flags == KNC_PMU_EVENT_THREAD_MODE ? "t" : "",
				parts[i].for_core ? "core" : "");
	}
}

/* {A,B}:MODIFIERS */
static void test_group_modifiers(void)
{
	struct kncpmu_item items[4];
	struct kncpmu_error err;
	unsigned int nr = 0;
	int ret;

	err.text[0] = '\0';
	ret = kncpmu_list_parse(&knc, "CODE_READ,{cycles/1,insts:c=2}:u,BRANCHES", items, &nr, 4,
				&err);
	result(!ret && nr == 4 && items[0].event.flags == BOTH && items[1].event.flags == USR &&
	       items[1].event.counters == 2 && !strcmp(items[1].name, "cycles/1:u") &&
	       items[2].event.flags == USR && items[2].event.cmask == 2 &&
	       items[1].group == items[2].group && items[1].group &&
	       items[3].event.flags == BOTH && !items[3].group, "group-modifiers", "both",
	       err.text);
	nr = 0;
	ret = kncpmu_list_parse(&knc, "{cycles,insts}:x", items, &nr, 4, &err);
	result(ret == -EINVAL && strstr(err.text, "'x' at character 8 is not a modifier"),
	       "group-modifiers", "wrong", err.text);
	nr = 0;
	ret = kncpmu_list_parse(&knc, "{cycles,insts}:u}", items, &nr, 4, &err);
	result(ret == -EINVAL && strstr(err.text, "'}' where a comma or the end was expected"),
	       "group-modifiers", "end", err.text);
}

/* Events that take turns in one session */
static void test_turns(void)
{
	static const struct {
		const char *events;
		const char *groups;
	} tests[] = {
		{ "BRANCHES", "0" },
		{ "L2_READ_MISS,L2_READ_HIT_E", "0+1" },
		{ "BRANCHES,DATA_READ,DATA_WRITE", "0+1/2" },
		{ "L2_READ_MISS,L2_READ_HIT_E,BRANCHES,DATA_READ", "0+2/1+3" },
		{ "BRANCHES,{DATA_READ,DATA_WRITE}", "0/1+2" },
		{ "BRANCHES:D,DATA_READ,DATA_WRITE", "0+1/2" },
		{ "BRANCHES,DATA_READ:pinned,DATA_WRITE,CODE_READ", "1+0/2/3" },
		{ "{BRANCHES,DATA_READ},DATA_WRITE:uD", "2+0+1" },
		{ "BRANCHES:D,DATA_READ:D,DATA_WRITE", "0+1+2" },
		{ "BRANCHES:D,DATA_READ:D,DATA_WRITE:D", "0+1+2" },
	};
	struct kncpmu_item items[KNC_PMU_MAX_SET + 1];
	struct kncpmu_pmu arch;
	struct kncpmu_part part;
	struct kncpmu_error err;
	unsigned int i, nr;
	char text[128];
	int ret;

	for (i = 0; i < ARRAY_SIZE(tests); i++) {
		nr = 0;
		ret = kncpmu_list_parse(&knc, tests[i].events, items, &nr, ARRAY_SIZE(items), &err);
		if (!ret)
			ret = kncpmu_turns(&knc, items, nr, &part);
		if (!ret)
			groups_text(&part, text, sizeof(text));
		result(!ret && !strcmp(text, tests[i].groups), "turns", tests[i].events,
		       ret ? err.text : text);
	}
	/* a group that no list can express, beside a pinned event */
	for (i = 1; i < ARRAY_SIZE(items); i++) {
		items[i] = items[0];
		items[i].event.flags &= ~KNC_PMU_EVENT_PINNED;
		items[i].group = 1;
	}
	ret = kncpmu_turns(&knc, items, KNC_PMU_MAX_SET, &part);
	groups_text(&part, text, sizeof(text));
	result(!ret && !strncmp(text, "0+1+2/3+4/5+6/7+8/", 18), "turns", "large-group", text);
	for (i = 1; i < ARRAY_SIZE(items); i++)
		items[i] = items[0];
	ret = kncpmu_turns(&knc, items, KNC_PMU_MAX_SET, &part);
	result(!ret && part.nr == KNC_PMU_MAX_SET, "turns", "most", "not all of them");
	ret = kncpmu_turns(&knc, items, KNC_PMU_MAX_SET + 1, &part);
	result(ret == -E2BIG, "turns", "too-many", "no -E2BIG");
	/* seven counters count all at once, and a {group} needs no turn of its own */
	kncpmu_pmu_get(-1, "arch", &arch);
	nr = 0;
	ret = kncpmu_list_parse(&arch, "{cycles,instructions},branches,{branch-misses,ref-cycles}",
				items, &nr, ARRAY_SIZE(items), &err);
	if (!ret)
		ret = kncpmu_turns(&arch, items, nr, &part);
	if (!ret)
		groups_text(&part, text, sizeof(text));
	result(!ret && !strcmp(text, "0+1+2+3+4"), "turns", "host", ret ? err.text : text);
}

static void test_place(void)
{
	static const char clock[] = "CPU_CLK_UNHALTED,INSTRUCTIONS_EXECUTED,BRANCHES";
	static const struct {
		const char *name;
		const char *events;
		const char *cpus;
		const char *online;
		unsigned int flags;
		const char *parts;
	} tests[] = {
		{ "part-of-a-core", clock, "2", "0-243", EXACT, "2:1+2 1:0core" },
		{ "three-of-a-core", clock, "1-3", "0-243", EXACT, "1-3:1+2 4:0core" },
		{ "whole-core", clock, "5-8", "0-243", EXACT, "5:1+2tcore 6:0core" },
		{ "last-core", clock, "0,241-243", "0-243", EXACT, "0:1+2tcore 241:0core" },
		{ "part-of-last-core", clock, "241", "0-243", EXACT, "241:1+2 0:0core" },
		{ "cores", clock, "1-8", "0-243", EXACT, "1,5:1+2tcore 2,6:0core" },
		{ "mixed", clock, "1-6,9", "0-243", EXACT,
		  "5-6,9:1+2 1:1+2tcore 2,7,10:0core" },
		{ "single-thread", clock, "5", "0-5", EXACT, "5:0+1/2" },
		{ "single-thread-and-others", clock, "1-5,9", "0-5,9-10", EXACT,
		  "9:1+2 1:1+2tcore 2,10:0core 5:0+1/2" },
		{ "offline-idle-sibling", clock, "6", "0-4,6,8-243", EXACT, "6:1+2 8:0core" },
		{ "offline-siblings", clock, "5-6", "0-6,9-243", EXACT, "5:1+2tcore 6:0core" },
		{ "all-but-offline", clock, "0-2,4-243", "0-2,4-243", EXACT | PER_CPU,
		  "0-2,4-243:0+1/2" },
		{ "no-topology", clock, "237", "0-243", EXACT, "237:0+1/2" },
		{ "per-cpu-part", clock, "5-7", "0-243", EXACT | PER_CPU, "5-7:1+2 8:0core" },
		{ "per-cpu-whole", clock, "5-8", "0-243", EXACT | PER_CPU, "5-8:0+1/2" },
		{ "per-cpu-mixed", clock, "1-5", "0-243", EXACT | PER_CPU,
		  "5:1+2 6:0core 1-4:0+1/2" },
		{ "turns", clock, "2", "0-243", 0, "2:0+1/2" },
		{ "two", "CPU_CLK_UNHALTED,BRANCHES", "2", "0-243", EXACT, "2:0+1" },
		{ "one", "BRANCHES", "1-4", "0-243", 0, "1-4:0" },
		{ "core-last", "BRANCHES:u,L2_READ_MISS,CPU_CLK_UNHALTED", "2", "0-243", EXACT,
		  "2:0+1 1:2core" },
		{ "not-a-pair", "L2_READ_HIT_E,L2_READ_MISS,CPU_CLK_UNHALTED", "2", "0-243",
		  EXACT, "2:0+2/1" },
		{ "none-of-the-core", "BRANCHES,DATA_READ,DATA_WRITE", "2", "0-243", EXACT,
		  "2:0+1/2" },
		{ "two-of-the-core", "CPU_CLK_UNHALTED,CPU_CLK_UNHALTED:u,BRANCHES", "2",
		  "0-243", EXACT, "2:0+1/2" },
		{ "thread-mode", "CPU_CLK_UNHALTED,DATA_READ,BRANCHES:t", "2", "0-243", EXACT,
		  "2:0+1/2" },
		{ "four", "CPU_CLK_UNHALTED,DATA_READ,DATA_WRITE,BRANCHES", "2", "0-243",
		  EXACT, "2:0+1/2+3" },
	};
	struct kncpmu_item items[4];
	struct kncpmu_part parts[KNCPMU_PLACE_PARTS];
	struct kncpmu_cpus cpus, online;
	struct kncpmu_request request = {
		.pmu = &knc,
		.items = items,
		.cpus = &cpus,
		.online = &online,
		.siblings = mpss_siblings,
	};
	struct kncpmu_error err;
	char text[128];
	unsigned int i;
	int bad;

	for (i = 0; i < ARRAY_SIZE(tests); i++) {
		request.nr = 0;
		request.flags = tests[i].flags;
		bad = kncpmu_list_parse(&knc, tests[i].events, items, &request.nr,
					ARRAY_SIZE(items), &err) ||
		      kncpmu_cpus_parse(tests[i].cpus, &cpus, &err) ||
		      kncpmu_cpus_parse(tests[i].online, &online, &err);
		if (!bad)
			parts_text(parts, kncpmu_place(&request, parts), text, sizeof(text));
		result(!bad && !strcmp(text, tests[i].parts), "place", tests[i].name,
		       bad ? err.text : text);
	}
}

/* Parts for CPU 5 or its core, 5 to 8, some of which are free */
static void test_place_free(void)
{
	static const struct {
		const char *name;
		const char *cpus;
		const char *free;
		const char *parts;
	} tests[] = {
		{ "free-sibling", "5", "0-4,7-243", "5:1+2 7:0core" },
		{ "no-free-sibling", "5", "0-5,9-243", "5:1+2 6:0core" },
		{ "two-free-of-a-core", "5-8", "6,8", "6:1+2tcore 8:0core" },
		{ "one-free-of-a-core", "5-8", "7", "7:1+2tcore 5:0core" },
	};
	struct kncpmu_item items[3];
	struct kncpmu_part parts[KNCPMU_PLACE_PARTS];
	struct kncpmu_cpus cpus, online, free;
	struct kncpmu_request request = {
		.pmu = &knc,
		.items = items,
		.cpus = &cpus,
		.online = &online,
		.preferred = &free,
		.siblings = mpss_siblings,
		.flags = EXACT,
	};
	struct kncpmu_error err;
	char text[128];
	unsigned int i;

	kncpmu_list_parse(&knc, "CPU_CLK_UNHALTED,BRANCHES,DATA_READ", items, &request.nr,
			  ARRAY_SIZE(items), &err);
	kncpmu_cpus_parse("0-243", &online, &err);
	for (i = 0; i < ARRAY_SIZE(tests); i++) {
		kncpmu_cpus_parse(tests[i].cpus, &cpus, &err);
		kncpmu_cpus_parse(tests[i].free, &free, &err);
		parts_text(parts, kncpmu_place(&request, parts), text, sizeof(text));
		result(!strcmp(text, tests[i].parts), "place", tests[i].name, text);
	}
}

static void test_bad_lists(void)
{
	static const struct {
		const char *text;
		int ret;
		const char *says;
	} tests[] = {
		{ "", -EINVAL, "no name" },
		{ ",", -EINVAL, "no name" },
		{ "BRANCHES,", -EINVAL, "no name" },
		{ "BRANCHES,,DATA_READ", -EINVAL, "no name" },
		{ "{BRANCHES", -EINVAL, "'{' without '}'" },
		{ "BRANCHES}", -EINVAL, "'}' without '{'" },
		{ "{BRANCHES,{DATA_READ}}", -EINVAL, "group inside" },
		{ "{BRANCHES,DATA_READ,DATA_WRITE}", -EINVAL, "more than 2" },
		{ "{BRANCHES}DATA_READ", -EINVAL, "comma" },
		{ "BRANCHES,FOO_BAR_BAZ", -ENOENT, "unknown event" },
		{ "r1,r2,r3,r4,r5", -E2BIG, "more than 4" },
	};
	struct kncpmu_item items[4];
	struct kncpmu_error err;
	unsigned int i, nr;
	int ret;

	for (i = 0; i < ARRAY_SIZE(tests); i++) {
		nr = 0;
		err.text[0] = '\0';
		ret = kncpmu_list_parse(&knc, tests[i].text, items, &nr, ARRAY_SIZE(items), &err);
		result(ret == tests[i].ret && strstr(err.text, tests[i].says), "bad-list",
		       tests[i].text[0] ? tests[i].text : "nothing", err.text);
	}
}

static void test_cpus(void)
{
	static const struct {
		const char *text;
		unsigned int count;
		const char *back;	/* NULL: not a list */
	} tests[] = {
		{ "0", 1, "0" },
		{ "0-3", 4, "0-3" },
		{ "0-3,8", 5, "0-3,8" },
		{ "8,3,2,1,0", 5, "0-3,8" },
		{ "1-1", 1, "1" },
		{ "0-2,2-4", 5, "0-4" },
		{ "0,241-243", 4, "0,241-243" },
		{ "8191", 1, "8191" },
		{ "0-8191", 8192, "0-8191" },
		{ "", 0, NULL },
		{ ",", 0, NULL },
		{ "0,", 0, NULL },
		{ "-1", 0, NULL },
		{ "3-1", 0, NULL },
		{ "0-", 0, NULL },
		{ "0 ", 0, NULL },
		{ "0x1", 0, NULL },
		{ "a", 0, NULL },
		{ "8192", 0, NULL },
		{ "99999999999999999999", 0, NULL },
	};
	struct kncpmu_cpus cpus;
	struct kncpmu_error err;
	unsigned int i;
	char back[64];
	int ret;

	for (i = 0; i < ARRAY_SIZE(tests); i++) {
		err.text[0] = '\0';
		back[0] = '\0';
		ret = kncpmu_cpus_parse(tests[i].text, &cpus, &err);
		if (!ret)
			kncpmu_cpus_format(&cpus, back, sizeof(back));
		if (tests[i].back)
			result(!ret && kncpmu_cpus_count(&cpus) == tests[i].count &&
			       !strcmp(back, tests[i].back), "cpus", tests[i].text,
			       ret ? err.text : back);
		else
			result(ret && err.text[0], "bad-cpus",
			       tests[i].text[0] ? tests[i].text : "nothing", back);
	}
}

static void test_cpu_operations(void)
{
	static const struct {
		const char *name;
		void (*operate)(struct kncpmu_cpus *cpus, const struct kncpmu_cpus *others);
		const char *result;
	} tests[] = {
		{ "or", kncpmu_cpus_or, "0-5,64" },
		{ "and", kncpmu_cpus_and, "2-3,64" },
		{ "andnot", kncpmu_cpus_andnot, "0-1" },
	};
	struct kncpmu_cpus cpus, others;
	struct kncpmu_error err;
	unsigned int i;
	char text[16];

	kncpmu_cpus_parse("2-5,64", &others, &err);
	for (i = 0; i < ARRAY_SIZE(tests); i++) {
		kncpmu_cpus_parse("0-3,64", &cpus, &err);
		tests[i].operate(&cpus, &others);
		kncpmu_cpus_format(&cpus, text, sizeof(text));
		result(!strcmp(text, tests[i].result), "cpus", tests[i].name, text);
	}
}

static void test_cpu_sets(void)
{
	struct kncpmu_cpus cpus, online, possible;
	const unsigned char *bytes = (const unsigned char *)cpus.bits;
	struct kncpmu_error err;
	char text[16];
	unsigned int i;

	memset(&cpus, 0, sizeof(cpus));
	result(kncpmu_cpus_next(&cpus, 0) == KNC_PMU_MAX_CPUS, "cpus", "next-of-none", "found one");
	result(kncpmu_cpus_check(&cpus, &err) == -EINVAL && strstr(err.text, "empty"), "cpus",
	       "check-empty", err.text);
	kncpmu_cpus_set(&cpus, 77);
	result(bytes[77 / 8] == 1 << 77 % 8, "cpus", "layout",
	       "not as struct knc_pmu_config has it");
	result(kncpmu_cpus_next(&cpus, 1) == 77 && kncpmu_cpus_next(&cpus, 78) == KNC_PMU_MAX_CPUS,
	       "cpus", "next", "wrong");
	kncpmu_cpus_clear(&cpus, 77);
	result(!kncpmu_cpus_count(&cpus), "cpus", "clear", "still there");
	for (i = 0; i < 100; i += 2)
		kncpmu_cpus_set(&cpus, i);
	kncpmu_cpus_format(&cpus, text, sizeof(text));
	result(strlen(text) < sizeof(text) && strstr(text, "..."), "cpus", "cut", text);
	result(!kncpmu_cpus_online(&online) && !kncpmu_cpus_possible(&possible) &&
	       kncpmu_cpus_count(&online) >= 1 &&
	       kncpmu_cpus_count(&possible) >= kncpmu_cpus_count(&online), "cpus", "sysfs",
	       "wrong counts");
	result(!kncpmu_cpus_check(&online, &err), "cpus", "check-online", err.text);
	memset(&cpus, 0, sizeof(cpus));
	kncpmu_cpus_set(&cpus, KNC_PMU_MAX_CPUS - 1);
	result(kncpmu_cpus_check(&cpus, &err) == -ENXIO && strstr(err.text, "does not exist"),
	       "cpus", "check-none", err.text);
}

/* Events of a host, whose names include fields and second words; converts them back */
static void test_hosts(void)
{
	static const struct {
		const char *spec;
		const char *text;
		__u64 code;
		__u64 extra;
		__u32 flags;
		__u32 cmask;
	} rows[] = {
		{ "l2_rqsts.miss:u", "L2_RQSTS.MISS:u", 0xaa24, 0, KNC_PMU_EVENT_USR, 0 },
		{ "UOPS_ISSUED.CORE_STALL_CYCLES:k", "UOPS_ISSUED.CORE_STALL_CYCLES:k", 0x010e, 0,
		  KNC_PMU_EVENT_OS | KNC_PMU_EVENT_INV | KNC_PMU_EVENT_THREAD_MODE, 1 },
		{ "r010e:it:c=1", "UOPS_ISSUED.CORE_STALL_CYCLES", 0x010e, 0,
		  BOTH | KNC_PMU_EVENT_INV | KNC_PMU_EVENT_THREAD_MODE, 1 },
		{ "UOPS_ISSUED.ANY:c=2", "UOPS_ISSUED.ANY:c=2", 0x010e, 0, BOTH, 2 },
		{ "r01a8:c=3", "r01a8:c=3", 0x01a8, 0, BOTH, 3 },
		{ "OFFCORE_RESPONSE.ANY_DATA.ANY_LLC_MISS",
		  "OFFCORE_RESPONSE.ANY_DATA.ANY_LLC_MISS", 0x01b7, 0xf811, BOTH, 0 },
		{ "r01b7:x=0xf811", "OFFCORE_RESPONSE.ANY_DATA.ANY_LLC_MISS", 0x01b7, 0xf811, BOTH,
		  0 },
		{ "r01bb:u:x=257", "r01bb:u:x=0x101", 0x01bb, 0x101, KNC_PMU_EVENT_USR, 0 },
		{ "cycles", "UNHALTED_CORE_CYCLES", 0x003c, 0, BOTH, 0 },
	};
	const struct kncpmu_event_desc *table;
	struct knc_pmu_event event;
	struct kncpmu_error err;
	struct kncpmu_pmu pmu;
	char text[KNCPMU_SPEC_LEN];
	unsigned int i, n;
	int good = 1;

	kncpmu_pmu_get(-1, "westmere", &pmu);
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		err.text[0] = '\0';
		good = !kncpmu_spec_parse(&pmu, rows[i].spec, &event, &err) &&
		       event.event == rows[i].code && event.extra == rows[i].extra &&
		       event.flags == rows[i].flags && event.cmask == rows[i].cmask;
		kncpmu_spec_format(&pmu, &event, text, sizeof(text));
		result(good && !strcmp(text, rows[i].text), "hosts", rows[i].spec,
		       err.text[0] ? err.text : text);
	}
	result(kncpmu_spec_parse(&pmu, "r01b7:x", &event, &err) == -EINVAL &&
	       strstr(err.text, "second word"), "hosts", "no-word", err.text);
	for (n = 0; n < 2; n++) {
		kncpmu_pmu_get(-1, n ? "uncore" : "westmere", &pmu);
		table = pmu.events;
		/* look each event up by its name, and convert it back */
		for (i = 0, good = pmu.nr_events > 200; i < pmu.nr_events && good; i++) {
			good = !kncpmu_spec_parse(&pmu, table[i].name, &event, &err) &&
			       event.event == KNC_PMU_EVENT_CODE(table[i].event, table[i].umask);
			kncpmu_spec_format(&pmu, &event, text, sizeof(text));
			good = good && kncpmu_event_find(&pmu, text) &&
			       kncpmu_event_find(&pmu, text)->event == table[i].event &&
			       kncpmu_event_find(&pmu, text)->umask == table[i].umask;
		}
		result(good, "hosts", pmu.name, text);
	}
	result(kncpmu_spec_parse(&knc, "r01b7:x=1", &event, &err) == -EINVAL &&
	       strstr(err.text, "not a modifier"), "hosts", "card", err.text);
}

/**
 * struct user - a thread that uses one PMU
 * @name: the PMU
 * @cycles: code of its event "cycles"
 * @text: its name
 * @sets: how many events of a list are counted together
 * @says: part of an error that names one of its events
 * @wrong: what came instead; "": all was right
 */
struct user {
	const char *name;
	__u64 cycles;
	const char *text;
	unsigned int sets;
	const char *says;
	char wrong[KNCPMU_SPEC_LEN];
};

static void use_pmu(struct user *u)
{
	struct knc_pmu_config config = {
		.nr_events = 1, .reason = KNC_PMU_REASON_SAMPLE_PERIOD,
	};
	struct knc_pmu_event event;
	struct kncpmu_pmu pmu;
	struct kncpmu_failure f = {
		.op = KNCPMU_OP_CONFIG, .error = -EINVAL, .config = &config, .events = &event,
		.pmu = &pmu,
	};
	struct kncpmu_item items[4];
	struct kncpmu_set sets[4];
	struct kncpmu_error err = { "" };
	unsigned int nr = 0;
	char text[KNCPMU_SPEC_LEN] = "";

	if (kncpmu_pmu_get(-1, u->name, &pmu) ||
	    kncpmu_spec_parse(&pmu, "cycles", &event, &err) || event.event != u->cycles)
		snprintf(u->wrong, sizeof(u->wrong), "cycles: %.60s", err.text);
	kncpmu_spec_format(&pmu, &event, text, sizeof(text));
	if (strcmp(text, u->text))
		snprintf(u->wrong, sizeof(u->wrong), "its name: %.60s", text);
	kncpmu_explain(&f, &err);
	if (!strstr(err.text, u->says))
		snprintf(u->wrong, sizeof(u->wrong), "%.60s", err.text);
	if (kncpmu_list_parse(&pmu, "cycles,instructions,branches,branch-misses", items, &nr, 4,
			      &err) ||
	    kncpmu_group(&pmu, items, nr, sets) != u->sets)
		snprintf(u->wrong, sizeof(u->wrong), "not %u sets", u->sets);
}

static void *use_often(void *arg)
{
	struct user *u = arg;
	unsigned int i;

	for (i = 0; i < 2000 && !u->wrong[0]; i++)
		use_pmu(u);
	return NULL;
}

/* Each of several threads uses its own PMU; then one thread uses them in turn */
static void test_pmus(void)
{
	static const char host[] = "UNHALTED_CORE_CYCLES";
	struct user users[] = {
		{ "knc", 0x002a, "CPU_CLK_UNHALTED", 2, "event CPU_CLK_UNHALTED: its", "" },
		{ "arch", 0x003c, host, 1, "event UNHALTED_CORE_CYCLES: its", "" },
		{ "westmere", 0x003c, host, 1, "event UNHALTED_CORE_CYCLES: its", "" },
	};
	pthread_t threads[ARRAY_SIZE(users)];
	struct kncpmu_pmu pmu;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(users); i++)
		pthread_create(&threads[i], NULL, use_often, &users[i]);
	for (i = 0; i < ARRAY_SIZE(users); i++) {
		pthread_join(threads[i], NULL);
		result(!users[i].wrong[0], "threads", users[i].name, users[i].wrong);
	}
	for (i = 0; i < 2 * ARRAY_SIZE(users); i++)
		use_pmu(&users[i % ARRAY_SIZE(users)]);
	for (i = 0; i < ARRAY_SIZE(users); i++)
		result(!users[i].wrong[0], "turns-of-pmus", users[i].name, users[i].wrong);
	result(kncpmu_pmu_get(-1, "cmt", &pmu) == -ENOENT && pmu.kind == KNCPMU_PMU_KNC, "pmus",
	       "unknown", pmu.name);
	result(!kncpmu_pmu_get(-1, NULL, &pmu) && !strcmp(pmu.name, "knc"), "pmus", "none",
	       pmu.name);
}

/* A list that names a PMU sets the caller's PMU; an error leaves it unchanged */
static void test_list_pmu(void)
{
	struct kncpmu_pmu pmu = knc;
	struct kncpmu_error err;
	char list[128];

	result(!kncpmu_list_pmu(&pmu, "knc/BRANCHES/:u,{knc/DATA_READ/}", list, sizeof(list),
				&err) &&
	       !strcmp(list, "BRANCHES:u,{DATA_READ}") && !memcmp(&pmu, &knc, sizeof(pmu)),
	       "list-pmu", "own", list);
	result(kncpmu_list_pmu(&pmu, "uncore/LLC_HITS.ANY/", list, sizeof(list), &err) == -ENODEV &&
	       !memcmp(&pmu, &knc, sizeof(pmu)), "list-pmu", "none", err.text);
}

/* Every reason has a text, in which no template letter is left */
static void test_explain(void)
{
	static const char * const says[] = {
		[KNC_PMU_REASON_NONE] = "Invalid argument",
		[KNC_PMU_REASON_PRIVILEGE] = "CAP_PERFMON",
		[KNC_PMU_REASON_CPU_EMPTY] = "empty",
		[KNC_PMU_REASON_CPU_NONE] = "CPU 7 does not exist",
		[KNC_PMU_REASON_CPU_OFFLINE] = "CPU 7 is offline",
		[KNC_PMU_REASON_EVENT_FLAGS] = "L2_READ_HIT_E",
		[KNC_PMU_REASON_EVENT_RING] = "no ring",
		[KNC_PMU_REASON_EVENT_INV] = "c=N",
		[KNC_PMU_REASON_EVENT_THREAD_MODE] = "core-wide",
		[KNC_PMU_REASON_EVENT_COUNTER] = "only counter 0",
		[KNC_PMU_REASON_EVENT_PAIR] = "events L2_READ_HIT_E and L2_READ_MISS:u can't",
		[KNC_PMU_REASON_BUSY] =
			"counter 1 of CPU 7, which L2_READ_HIT_E needs, belongs to a session of pid 1 (",
		[KNC_PMU_REASON_SPFLT_BUSY] = "lets SPFLT gate counter 1 of CPU 7",
		[KNC_PMU_REASON_PMU_RESERVED] = "watchdog",
		[KNC_PMU_REASON_SAMPLE_PERIOD] = "event L2_READ_HIT_E: its sample period",
		[KNC_PMU_REASON_SAMPLE_FREQ] = "event L2_READ_HIT_E: it has",
		[KNC_PMU_REASON_SAMPLE_INTERVAL] = "0.1 ms to 1000 s",
		[KNC_PMU_REASON_RING_SIZE] = "4096 to 4194304 bytes",
		[KNC_PMU_REASON_FRAMES] = "1 to 127 frames",
		[KNC_PMU_REASON_CALLCHAIN] = "no call chains on this kernel",
		[KNC_PMU_REASON_TASK_FLAGS] = "hardware threads and a task at once",
		[KNC_PMU_REASON_TASK_NONE] = "no thread 1 to follow",
		[KNC_PMU_REASON_TASK_DENIED] = "pid 1 (",
		[KNC_PMU_REASON_TASK_BUSY] =
			"counter 1, which L2_READ_HIT_E needs, counts for pid 1 (",
		[KNC_PMU_REASON_TASK_SAMPLING] = "no time samples of a program",
		[KNC_PMU_REASON_TASK_KERNEL] = "this kernel lets no module follow",
		[KNC_PMU_REASON_RDPMC] = "this kernel lets no module grant RDPMC",
		[KNC_PMU_REASON_RDPMC_BUSY] =
			"counter 1 of CPU 7, which belongs to a session of pid 1 (",
		[KNC_PMU_REASON_SET_GROUP] = "event L2_READ_HIT_E: its group has more",
		[KNC_PMU_REASON_SET_ORDER] = "numbered from 0",
		[KNC_PMU_REASON_SET_PINNED] = "event L2_READ_HIT_E is pinned",
		[KNC_PMU_REASON_SET_SAMPLING] = "event L2_READ_HIT_E takes turns",
		[KNC_PMU_REASON_RING_MEMLOCK] = "RLIMIT_MEMLOCK",
		[KNC_PMU_REASON_LOCKDOWN] = "locked down",
		[KNC_PMU_REASON_UNPRIVILEGED] = "unprivileged=none",
		[KNC_PMU_REASON_CORE_WIDE] = "event L2_READ_HIT_E may count",
		[KNC_PMU_REASON_RDPMC_OFF] =
			"/sys/bus/event_source/devices/cpu/rdpmc is 0",
		[KNC_PMU_REASON_PMU_NONE] = "this machine has no such PMU",
		[KNC_PMU_REASON_EVENT_NONE] = "event L2_READ_HIT_E: this CPU does not have it",
		[KNC_PMU_REASON_EVENT_EXTRA] = "event L2_READ_HIT_E: its second word is wrong",
		[KNC_PMU_REASON_EXTRA_PAIR] =
			"events L2_READ_HIT_E and L2_READ_MISS:u can't be in one session",
		[KNC_PMU_REASON_EXTRA_BUSY] =
			"event L2_READ_HIT_E, on the core of CPU 7, has another one, for a session of ",
		[KNC_PMU_REASON_UNCORE_TASK] = "the uncore can't follow a program",
		[KNC_PMU_REASON_UNCORE_RING] = "event L2_READ_HIT_E: the uncore counts in all",
		[KNC_PMU_REASON_UNCORE_SAMPLING] = "event L2_READ_HIT_E can't be sampled",
		[KNC_PMU_REASON_UNCORE_BUSY] =
			"the uncore of the package of CPU 7 belongs to a session of pid 1 (",
		[KNC_PMU_REASON_UNCORE_FOREIGN] = "the package of CPU 7, probably perf",
		[KNC_PMU_REASON_LEVEL_SAMPLING] = "no samples of a level",
		[KNC_PMU_REASON_RESCTRL] = "resctrl is mounted",
		[KNC_PMU_REASON_RMID_BUSY] = "has an RMID already, by a session of pid 1 (",
		[KNC_PMU_REASON_RMID_NONE] = "no RMID is free",
		[KNC_PMU_REASON_RMID_DIRTY] = "no RMID is clean",
		[KNC_PMU_REASON_SELF] = "unprivileged=self",
		[KNC_PMU_REASON_RDPMC_PRIVATE] = "no RDPMC now: root counts ring 0",
		[KNC_PMU_REASON_TASK_RDPMC] = "may execute RDPMC without privilege",
		[KNC_PMU_REASON_CPU_STUCK] = "CPU 7 gives the kernel no time",
		[KNC_PMU_REASON_PIDS] = "name 1 to 256",
		[KNC_PMU_REASON_STACK] = "multiple of 8 up to 61440 bytes",
		[KNC_PMU_REASON_SWITCHES] = "context switches are recorded beside samples",
	};
	struct knc_pmu_config config = {
		.nr_events = 2,
		.reason_cpu = 7,
		.reason_pid = 1,
		.reason_counter = 1,
		.pid = 1,
	};
	struct knc_pmu_event events[2];
	struct kncpmu_failure f = {
		.op = KNCPMU_OP_CONFIG,
		.error = -EINVAL,
		.config = &config,
		.events = events,
		.pmu = &knc,
	};
	struct kncpmu_error err;
	char name[32];
	unsigned int i;

	kncpmu_spec_parse(&knc, "L2_READ_MISS:u", &events[0], &err);
	kncpmu_spec_parse(&knc, "L2_READ_HIT_E", &events[1], &err);
	config.reason_event = 1;
	result(ARRAY_SIZE(says) == KNC_PMU_REASON_SWITCHES + 1, "explain", "all-reasons",
	       "some have no line here");
	for (i = 0; i < ARRAY_SIZE(says); i++) {
		config.reason = i;
		kncpmu_explain(&f, &err);
		snprintf(name, sizeof(name), "reason-%u", i);
		result(strstr(err.text, says[i]) && !strchr(err.text, '%'), "explain", name,
		       err.text);
	}
}

/* A caller with too many open files is told what to do about it */
static void test_explain_open(void)
{
	struct kncpmu_failure f = { .op = KNCPMU_OP_OPEN, .error = -EMFILE };
	struct kncpmu_error err;

	kncpmu_explain(&f, &err);
	result(!!strstr(err.text, "ulimit -n"), "explain", "open-files", err.text);
	f.error = -ENFILE;
	kncpmu_explain(&f, &err);
	result(!!strstr(err.text, "fs.file-max"), "explain", "open-files-all", err.text);
}

/* Texts that differ for sessions that follow, or should follow, a task */
static void test_explain_task(void)
{
	static const struct {
		unsigned int flags;
		unsigned int reason;
		int error;
		const char *there;
		const char *absent;
		unsigned int left_out;
	} tests[] = {
		{ KNC_PMU_CONFIG_TASK, KNC_PMU_REASON_PRIVILEGE, -EPERM,
		  "event BRANCHES counts in ring 0", "whole hardware threads", 0 },
		{ KNC_PMU_CONFIG_TASK | KNC_PMU_CONFIG_CHAIN_KERNEL, KNC_PMU_REASON_PRIVILEGE,
		  -EPERM, "event BRANCHES counts in ring 0", "call chains", 0 },
		{ KNC_PMU_CONFIG_TASK | KNC_PMU_CONFIG_CHAIN_KERNEL, KNC_PMU_REASON_PRIVILEGE,
		  -EPERM, "call chains in kernel mode", "BRANCHES", KNC_PMU_EVENT_OS },
		{ KNC_PMU_CONFIG_TASK, KNC_PMU_REASON_PRIVILEGE, -EPERM,
		  "before Linux 5.0 following a program", "BRANCHES", KNC_PMU_EVENT_OS },
		{ KNC_PMU_CONFIG_TASK, KNC_PMU_REASON_BUSY, -EBUSY,
		  "a program may run on any", "on other CPUs", 0 },
		{ 0, KNC_PMU_REASON_BUSY, -EBUSY, "of all CPUs", "on other CPUs", 0 },
		{ KNC_PMU_CONFIG_TASK, KNC_PMU_REASON_TASK_DENIED, -EPERM,
		  "this program is not yours", "pid", 0 },
		{ KNC_PMU_CONFIG_TASK, KNC_PMU_REASON_NONE, -EMFILE,
		  "too many permissions for RDPMC", "memory", 0 },
		{ KNC_PMU_CONFIG_TASK, KNC_PMU_REASON_NONE, -ENFILE,
		  "too many processes have permission", "memory", 0 },
		{ KNC_PMU_CONFIG_TASK, KNC_PMU_REASON_NONE, -EDQUOT,
		  "too many of your processes", "memory", 0 },
		{ KNC_PMU_CONFIG_TASK, KNC_PMU_REASON_NONE, -ENOMEM,
		  "to follow the program", "rings", 0 },
	};
	struct knc_pmu_config config = {
		.nr_events = 1,
		.reason_cpu = KNC_PMU_NO_CPU,
	};
	struct knc_pmu_event event;
	struct kncpmu_failure f = {
		.op = KNCPMU_OP_CONFIG,
		.config = &config,
		.events = &event,
		.pmu = &knc,
	};
	struct kncpmu_error err;
	char name[32];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(tests); i++) {
		kncpmu_spec_parse(&knc, "BRANCHES", &event, &err);
		event.flags &= ~tests[i].left_out;
		config.flags = tests[i].flags;
		config.reason = tests[i].reason;
		f.error = tests[i].error;
		kncpmu_explain(&f, &err);
		snprintf(name, sizeof(name), "task-%u", i);
		result(strstr(err.text, tests[i].there) && !strstr(err.text, tests[i].absent),
		       "explain", name, err.text);
	}
}

/* The message names the refused task among several */
static void test_explain_pids(void)
{
	static const __s32 pids[] = { 1, 12345678, 2 };
	struct knc_pmu_config config = {
		.flags = KNC_PMU_CONFIG_TASK | KNC_PMU_CONFIG_PIDS,
		.cpus = (uintptr_t)pids,
		.cpus_size = sizeof(pids),
		.reason = KNC_PMU_REASON_TASK_NONE,
		.reason_other = 1,
		.reason_pid = 1,
	};
	struct kncpmu_failure f = {
		.op = KNCPMU_OP_CONFIG, .error = -ESRCH, .config = &config,
	};
	struct kncpmu_error err;

	kncpmu_explain(&f, &err);
	result(!!strstr(err.text, "no thread 12345678 to follow"), "explain", "pids-none",
	       err.text);
	config.reason = KNC_PMU_REASON_RMID_BUSY;
	config.reason_other = 0;
	f.error = -EBUSY;
	kncpmu_explain(&f, &err);
	result(!strncmp(err.text, "pid 1 (", 7), "explain", "pids-busy", err.text);
	config.reason = KNC_PMU_REASON_PIDS;
	f.error = -EOPNOTSUPP;
	kncpmu_explain(&f, &err);
	result(!!strstr(err.text, "make a session for each"), "explain", "pids-no-levels",
	       err.text);
}

/* Requests to a file that is not the device */
static void test_other_device(void)
{
	const struct knc_pmu_page *page = (void *)&page;
	struct knc_pmu_grant grants[2];
	struct knc_pmu_config config;
	struct knc_pmu_event event;
	struct kncpmu_failure f = { .op = KNCPMU_OP_PAGE, .error = -EINVAL };
	struct kncpmu_error err;
	const __s32 pids[2] = { 1, 2 };
	struct kncpmu_pmu pmu;
	int fd = kncpmu_open("/dev/null");

	kncpmu_spec_parse(&knc, "BRANCHES:u", &event, &err);
	memset(&config, 0, sizeof(config));
	config.flags = KNC_PMU_CONFIG_TASK | KNC_PMU_CONFIG_PIDS;
	config.cpus = (uintptr_t)pids;
	config.cpus_size = sizeof(pids);
	result(kncpmu_config_sampling(fd, NULL, &event, 1, &config) == -ENOTTY &&
	       config.cpus == (uintptr_t)pids && config.cpus_size == sizeof(pids) && !config.pid,
	       "other-device", "config-pids-request", "another request");
	result(kncpmu_config_task(fd, 7, &event, 1, KNC_PMU_CONFIG_INHERIT, &config) == -ENOTTY,
	       "other-device", "config-task", "not ENOTTY");
	result(config.flags == (KNC_PMU_CONFIG_TASK | KNC_PMU_CONFIG_INHERIT) &&
	       config.pid == 7 && config.nr_events == 1 && !config.cpus && !config.cpus_size,
	       "other-device", "config-task-request", "another request");
	result(kncpmu_grants(fd, grants, ARRAY_SIZE(grants)) == -ENOTTY, "other-device",
	       "grants", "not ENOTTY");
	result(kncpmu_evict(fd, KNC_PMU_NO_CPU, KNC_PMU_NO_COUNTER) == -ENOTTY, "other-device",
	       "evict", "not ENOTTY");
	result(kncpmu_page_map(fd, &page) == -ENODEV && !page, "other-device", "page",
	       "not ENODEV, or a page");
	kncpmu_page_unmap(NULL);
	result(kncpmu_pmu_get(fd, NULL, &pmu) == -ENOTTY && pmu.kind == KNCPMU_PMU_KNC,
	       "other-device", "pmu", "not ENOTTY, or no PMU");
	kncpmu_close(fd);
	kncpmu_explain(&f, &err);
	result(!!strstr(err.text, "no page to read counts from"), "other-device", "page-text",
	       err.text);
}

static void test_open(void)
{
	struct kncpmu_failure f = { .op = KNCPMU_OP_OPEN, .path = "/dev/null" };
	struct knc_pmu_info info;
	struct kncpmu_error err;
	int fd;

	f.error = kncpmu_open("/nonexistent/knc_pmu");
	result(f.error == -ENOENT, "open", "none", "not ENOENT");
	f.op = KNCPMU_OP_INFO;
	fd = kncpmu_open("/dev/null");
	f.error = kncpmu_info(fd, &info);
	kncpmu_explain(&f, &err);
	kncpmu_close(fd);
	result(f.error == -ENOTTY && strstr(err.text, "not the device"), "open", "other-device",
	       err.text);
	f.op = KNCPMU_OP_OPEN;
	f.error = -EACCES;
	kncpmu_explain(&f, &err);
	result(!!strstr(err.text, "group kncpmu"), "open", "no-permission", err.text);
}

static void test_core_wide(void)
{
	static const struct {
		const char *text;
		int wide;
	} tests[] = {
		{ "CPU_CLK_UNHALTED", 1 },
		{ "CPU_CLK_UNHALTED:u", 1 },
		{ "L2_VICTIM_REQ_WITH_DATA", 1 },
		{ "r002a", 1 },
		{ "BRANCHES", 0 },
		{ "BRANCHES:t", 1 },
		{ "DATA_PAGE_WALK", 0 },
		{ "rffff", 0 },
	};
	struct knc_pmu_event event;
	struct kncpmu_error err;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(tests); i++)
		result(!kncpmu_spec_parse(&knc, tests[i].text, &event, &err) &&
		       kncpmu_event_core_wide(&knc, &event) == tests[i].wide, "core-wide",
		       tests[i].text, "wrong");
}

/* A named interval is a period with a limit */
#define LIMIT	KNC_PMU_EVENT_LIMIT
#define ON(n)	KNC_PMU_LIMITED(n, 2000)
#define HI(n)	KNC_PMU_LIMITED(n, 20000)
#define LO(n)	KNC_PMU_LIMITED(n, 200)
#define FREQ	KNC_PMU_EVENT_FREQ

static void test_intervals(void)
{
	static const struct {
		const char *text;
		const char *event;
		__u32 flags;
		__u64 period;
	} tests[] = {
		{ "1", "BRANCHES", 0, 1 },
		{ "1000003", "BRANCHES", 0, 1000003 },
		{ "549755813888", "BRANCHES", 0, KNC_PMU_MAX_PERIOD },
		{ "1/s", "BRANCHES", FREQ, 1 },
		{ "100000/s", "BRANCHES", FREQ, KNC_PMU_MAX_FREQ },
		{ "on", "BRANCHES", LIMIT, ON(100003) },
		{ "hi", "BRANCHES", LIMIT, HI(10007) },
		{ "high", "BRANCHES", LIMIT, HI(10007) },
		{ "lo", "BRANCHES", LIMIT, LO(1000003) },
		{ "low", "BRANCHES", LIMIT, LO(1000003) },
		{ "on", "CPU_CLK_UNHALTED", LIMIT, ON(1000003) },
		{ "on", "INSTRUCTIONS_EXECUTED:u", LIMIT, ON(1000003) },
		{ "on", "VPU_ELEMENTS_ACTIVE", LIMIT, ON(10000019) },
		{ "on", "L2_READ_MISS", LIMIT, ON(10007) },
		{ "on", "rffff", LIMIT, ON(100003) },
	};
	struct knc_pmu_event event;
	struct kncpmu_error err;
	char name[64];
	unsigned int i;
	int good;

	for (i = 0; i < ARRAY_SIZE(tests); i++) {
		err.text[0] = '\0';
		good = !kncpmu_spec_parse(&knc, tests[i].event, &event, &err) &&
		       !kncpmu_interval_parse(&knc, tests[i].text, &event, &err);
		snprintf(name, sizeof(name), "%s@%s", tests[i].event, tests[i].text);
		result(good && event.sample_period == tests[i].period &&
		       (event.flags & ~(USR | OS)) == (KNC_PMU_EVENT_SAMPLE | tests[i].flags),
		       "interval", name, err.text[0] ? err.text : "another period");
	}
}

static void test_bad_intervals(void)
{
	static const struct {
		const char *text;
		int ret;
		const char *says;
	} tests[] = {
		{ "0", -ERANGE, "1 to 549755813888" },
		{ "549755813889", -ERANGE, "1 to 549755813888" },
		{ "18446744073709551617", -ERANGE, "1 to 549755813888" },
		{ "0/s", -ERANGE, "1/s to 100000/s" },
		{ "100001/s", -ERANGE, "1/s to 100000/s" },
		{ "18446744073709551617/s", -ERANGE, "1/s to 100000/s" },
		{ "", -EINVAL, "neither a number" },
		{ "-1", -EINVAL, "neither a number" },
		{ " 1", -EINVAL, "neither a number" },
		{ "ON", -EINVAL, "neither a number" },
		{ "1x", -EINVAL, "'x' after the number" },
		{ "1/", -EINVAL, "'/' after the number" },
		{ "1/ss", -EINVAL, "'/ss' after the number" },
		{ "0x10", -EINVAL, "'x10' after the number" },
	};
	struct knc_pmu_event event, before;
	struct kncpmu_error err;
	unsigned int i;
	int ret;

	for (i = 0; i < ARRAY_SIZE(tests); i++) {
		kncpmu_spec_parse(&knc, "BRANCHES", &before, &err);
		event = before;
		err.text[0] = '\0';
		ret = kncpmu_interval_parse(&knc, tests[i].text, &event, &err);
		result(ret == tests[i].ret && strstr(err.text, tests[i].says) &&
		       !memcmp(&event, &before, sizeof(event)), "bad-interval",
		       tests[i].text[0] ? tests[i].text : "nothing", err.text);
	}
}

static int is_prime(__u64 number)
{
	__u64 i;

	for (i = 2; i * i <= number; i++) {
		if (!(number % i))
			return 0;
	}
	return number > 1;
}

/* The named intervals of all events: primes, about ten times apart */
static void test_primes(void)
{
	static const char * const names[] = { "hi", "on", "lo" };
	const struct kncpmu_event_desc *table = knc.events;
	struct knc_pmu_event event;
	struct kncpmu_error err;
	__u64 period[3];
	unsigned int i, n;
	int good;

	for (i = 0; i < knc.nr_events; i++) {
		good = 1;
		for (n = 0; n < 3; n++) {
			kncpmu_spec_parse(&knc, table[i].name, &event, &err);
			good = good && !kncpmu_interval_parse(&knc, names[n], &event, &err);
			period[n] = KNC_PMU_LIMITED_PERIOD(event.sample_period);
			good = good && is_prime(period[n]);
		}
		for (n = 1; n < 3; n++)
			good = good && period[n] > 9 * period[n - 1] &&
			       period[n] < 11 * period[n - 1];
		result(good, "primes", table[i].name, "not hi, on, lo");
	}
}

static void test_samples(void)
{
	static const struct {
		const char *text;
		int ret;
		unsigned int nr;
		__u64 period[2];
		const char *says;
	} tests[] = {
		{ "BRANCHES", 0, 1, { 0, 0 }, "" },
		{ "BRANCHES:u@1009", 0, 1, { 1009, 0 }, "" },
		{ "BRANCHES@hi,DATA_READ:u:k", 0, 2, { HI(10007), 0 }, "" },
		{ "r0012@5,r0016:u@6", 0, 2, { 5, 6 }, "" },
		{ "BRANCHES:period=1009", 0, 1, { 1009, 0 }, "" },
		{ "BRANCHES:period=hi:u,r0012/1:u:cmask=2:period=6", 0, 2, { HI(10007), 6 }, "" },
		{ "BRANCHES:period=5@6", -EINVAL, 0, { 0, 0 },
		  "interval '5': the event before it" },
		{ "BRANCHES:period=", -EINVAL, 0, { 0, 0 }, "interval ''" },
		{ "BRANCHES:u:period=5u", -EINVAL, 0, { 0, 0 }, "'u' after the number" },
		{ "cycles/0,hi,insts/1,1000003", 0, 2, { HI(100003), 1000003 }, "" },
		{ "insts,on,cycles", 0, 2, { ON(1000003), 0 }, "" },
		{ "dtlbm,100/s", 0, 1, { 100, 0 }, "" },
		{ "insts@5,hi", -EINVAL, 1, { 5, 0 }, "the event before it has one" },
		{ "insts,hi,lo", -EINVAL, 1, { HI(100003), 0 }, "interval 'lo'" },
		{ "hi,insts", -ENOENT, 0, { 0, 0 }, "unknown event 'hi'" },
		{ "insts,5x", -EINVAL, 1, { 0, 0 }, "'x' after the number" },
		{ "BRANCHES,DATA_READ,DATA_WRITE", -E2BIG, 2, { 0, 0 }, "more than 2" },
		{ "BRANCHES@", -EINVAL, 0, { 0, 0 }, "interval ''" },
		{ "BRANCHES@1@2", -EINVAL, 0, { 0, 0 }, "'@2' after" },
		{ "@5", -EINVAL, 0, { 0, 0 }, "no name" },
		{ "", -EINVAL, 0, { 0, 0 }, "no name" },
		{ "BRANCHES@5,", -EINVAL, 1, { 5, 0 }, "no name" },
		{ "BRANCHES:x@5", -EINVAL, 0, { 0, 0 }, "'x'" },
		{ "NOSUCHEVENTATALL@5", -ENOENT, 0, { 0, 0 }, "unknown event" },
	};
	struct kncpmu_item items[2];
	struct kncpmu_error err;
	unsigned int i, n, nr;
	int ret, good;

	for (i = 0; i < ARRAY_SIZE(tests); i++) {
		nr = 0;
		err.text[0] = '\0';
		ret = kncpmu_samples_parse(&knc, tests[i].text, items, &nr, 2, &err);
		good = ret == tests[i].ret && nr == tests[i].nr &&
		       strstr(err.text, tests[i].says);
		for (n = 0; n < nr; n++)
			good = good && items[n].event.sample_period == tests[i].period[n] &&
			       !(items[n].event.flags & KNC_PMU_EVENT_SAMPLE) ==
			       !tests[i].period[n];
		result(good, "samples", tests[i].text[0] ? tests[i].text : "nothing",
		       err.text);
	}
}

/* A ring in memory, written as the kernel does */
#define RING_BYTES	4096
#define RING_PAGE	4096

union fake_ring {
	struct knc_pmu_ring page;
	__u64 words[(RING_PAGE + RING_BYTES) / 8];
};

static void *fake_data(union fake_ring *fake, __u64 at)
{
	return (char *)fake + RING_PAGE + at % RING_BYTES;
}

static void fake_init(union fake_ring *fake, __u64 start)
{
	memset(fake, 0xa5, sizeof(*fake));
	memset(&fake->page, 0, sizeof(fake->page));
	fake->page.data_offset = RING_PAGE;
	fake->page.data_size = RING_BYTES;
	fake->page.head = start;
	fake->page.tail = start;
}

/* A record of @size bytes at the head, with padding before it; 0: no room */
static int fake_put(union fake_ring *fake, unsigned int type, unsigned int size,
		    __u64 number)
{
	__u64 head = fake->page.head, rest = RING_BYTES - head % RING_BYTES;
	struct knc_pmu_record record = { .type = type, .size = size };
	struct knc_pmu_record pad = { .type = KNC_PMU_RECORD_PAD, .size = rest };

	if (rest >= size)
		rest = 0;
	if (head + rest + size - fake->page.tail > RING_BYTES)
		return 0;
	if (rest)
		memcpy(fake_data(fake, head), &pad, sizeof(pad));
	head += rest;
	memset(fake_data(fake, head), 0, size);
	memcpy(fake_data(fake, head), &record, sizeof(record));
	if (size > sizeof(record))
		memcpy((char *)fake_data(fake, head) + 8, &number, sizeof(number));
	fake->page.head = head + size;
	return 1;
}

/* Read all pieces; the numbers must continue from @next. Returns the next number, 0: wrong */
static __u64 fake_take(struct kncpmu_ring *ring, __u64 next)
{
	const struct knc_pmu_record *record;
	const void *records;
	size_t at;
	long size;

	while ((size = kncpmu_ring_read(ring, &records)) > 0) {
		for (at = 0; (record = kncpmu_ring_next(records, size, &at));) {
			if (memcmp(record + 1, &next, sizeof(next)))
				return 0;
			next++;
		}
		if (at != (size_t)size)
			return 0;
		kncpmu_ring_release(ring);
	}
	return size || ring->page->tail != ring->page->head ? 0 : next;
}

/* Records of all sizes, through many wraps, read after every few */
static void test_ring_stream(const char *name, __u64 start)
{
	static const unsigned int types[] = { 200, 201, KNC_PMU_RECORD_TIME };
	__u64 put = 1, taken = 1, random = 88172645463325252ULL;
	static union fake_ring fake;
	struct kncpmu_ring ring;
	unsigned int type, i;

	fake_init(&fake, start);
	if (kncpmu_ring_attach(&ring, &fake, sizeof(fake))) {
		result(0, "ring", name, "not attached");
		return;
	}
	for (i = 0; i < 20000 && taken; i++) {
		random ^= random << 13;
		random ^= random >> 7;
		random ^= random << 17;
		type = types[random % ARRAY_SIZE(types)];
		put += fake_put(&fake, type, type == KNC_PMU_RECORD_TIME ?
				KNC_PMU_TIME_SIZE(2) : 16 + 8 * (random >> 8 & 63),
				put);
		if (random >> 32 & 3)
			continue;
		taken = fake_take(&ring, taken);
	}
	if (taken)
		taken = fake_take(&ring, taken);
	result(taken == put && put > 10000, "ring", name, "records are missing or wrong");
}

/* Records that are not released are read again; a full ring is read completely */
static void test_ring_edges(void)
{
	static union fake_ring fake;
	struct kncpmu_ring ring;
	const void *records;
	unsigned int i;

	fake_init(&fake, 0);
	kncpmu_ring_attach(&ring, &fake, sizeof(fake));
	result(!kncpmu_ring_read(&ring, &records), "ring", "empty", "something is there");
	for (i = 0; fake_put(&fake, 200, 64, i); i++)
		;
	result(i == RING_BYTES / 64 && kncpmu_ring_read(&ring, &records) == RING_BYTES &&
	       kncpmu_ring_read(&ring, &records) == RING_BYTES &&
	       records == fake_data(&fake, 0) && !fake.page.tail, "ring", "full",
	       "not all of it");
	kncpmu_ring_release(&ring);
	result(fake.page.tail == RING_BYTES && !kncpmu_ring_read(&ring, &records), "ring",
	       "released", "still there");

	fake_init(&fake, RING_BYTES - 8);
	kncpmu_ring_attach(&ring, &fake, sizeof(fake));
	fake_put(&fake, 200, 64, 5);
	result(kncpmu_ring_read(&ring, &records) == 64 && records == fake_data(&fake, 0) &&
	       fake.page.tail == RING_BYTES, "ring", "pad-of-8", "not skipped");
	fake_init(&fake, 0);
	kncpmu_ring_attach(&ring, &fake, sizeof(fake));
	fake_put(&fake, 200, 8, 0);
	result(kncpmu_ring_read(&ring, &records) == 8, "ring", "unknown-type", "not handed out");
}

/* An invalid ring is refused, and nothing beyond it is read */
static void test_ring_hostile(void)
{
	static const struct {
		const char *name;
		__u64 head;		/* the tail is RING_BYTES - 64 */
		__u16 type;
		__u16 size;
		__u16 nr_user;
	} tests[] = {
		{ "head-too-far", 2 * RING_BYTES - 56, 200, 8, 0 },
		{ "head-behind", RING_BYTES - 72, 200, 8, 0 },
		{ "head-zero", 0, 200, 8, 0 },
		{ "head-all-ones", ~0ULL, 200, 8, 0 },
		{ "head-not-aligned", RING_BYTES - 60, 200, 4, 0 },
		{ "size-0", RING_BYTES, 200, 0, 0 },
		{ "size-4", RING_BYTES, 200, 4, 0 },
		{ "size-not-aligned", RING_BYTES, 200, 12, 0 },
		{ "size-beyond-head", RING_BYTES - 32, 200, 40, 0 },
		{ "size-beyond-end", 2 * RING_BYTES - 64, 200, 72, 0 },
		{ "size-largest", 2 * RING_BYTES - 64, 200, 65528, 0 },
		{ "sample-short", RING_BYTES, KNC_PMU_RECORD_SAMPLE, 48, 0 },
		{ "sample-chain", RING_BYTES, KNC_PMU_RECORD_SAMPLE, 64, 2 },
		{ "sample-chain-largest", RING_BYTES, KNC_PMU_RECORD_SAMPLE, 64, 65535 },
		{ "sample-stack", RING_BYTES, KNC_PMU_RECORD_SAMPLE, 64, 1 },
		{ "time-short", RING_BYTES, KNC_PMU_RECORD_TIME, 40, 0 },
		{ "time-events", RING_BYTES, KNC_PMU_RECORD_TIME, 56, 2 },
		{ "lost-short", RING_BYTES, KNC_PMU_RECORD_LOST, 24, 0 },
		{ "lost-events", RING_BYTES, KNC_PMU_RECORD_LOST, 40, 2 },
		{ "throttle-short", RING_BYTES, KNC_PMU_RECORD_THROTTLE, 24, 0 },
		{ "pad-short-of-end", RING_BYTES - 8, KNC_PMU_RECORD_PAD, 56, 0 },
	};
	struct knc_pmu_sample sample = { .ip = 0 };
	static union fake_ring fake;
	struct kncpmu_ring ring;
	const void *records;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(tests); i++) {
		fake_init(&fake, RING_BYTES - 64);
		kncpmu_ring_attach(&ring, &fake, sizeof(fake));
		sample.record.type = tests[i].type;
		sample.record.size = tests[i].size;
		sample.nr_user = tests[i].nr_user;
		/* other records have their @nr_events in this place */
		sample.counter = tests[i].type == KNC_PMU_RECORD_LOST ? tests[i].nr_user : 0;
		sample.flags = tests[i].type == KNC_PMU_RECORD_TIME ? tests[i].nr_user :
			       !strcmp(tests[i].name, "sample-stack") ? KNC_PMU_SAMPLE_STACK : 0;
		memcpy(fake_data(&fake, fake.page.tail), &sample, sizeof(sample));
		fake.page.head = tests[i].head;
		result(kncpmu_ring_read(&ring, &records) == -EPROTO, "ring", tests[i].name,
		       "taken as if it were good");
	}
}

static void test_ring_attach(void)
{
	static const struct {
		const char *name;
		__u64 offset;
		__u64 bytes;
		size_t size;
		int ret;
	} tests[] = {
		{ "attach", RING_PAGE, RING_BYTES, RING_PAGE + RING_BYTES, 0 },
		{ "attach-half", RING_PAGE, RING_BYTES / 2, RING_PAGE + RING_BYTES, 0 },
		{ "attach-short", RING_PAGE, RING_BYTES, RING_PAGE + RING_BYTES - 8, -EPROTO },
		{ "attach-tiny", RING_PAGE, RING_BYTES, 64, -EPROTO },
		{ "attach-offset-0", 0, RING_BYTES, RING_PAGE + RING_BYTES, -EPROTO },
		{ "attach-offset-large", 1ULL << 60, RING_BYTES, RING_PAGE + RING_BYTES, -EPROTO },
		{ "attach-offset-odd", RING_PAGE - 4, RING_BYTES, RING_PAGE + RING_BYTES, -EPROTO },
		{ "attach-bytes-0", RING_PAGE, 0, RING_PAGE + RING_BYTES, -EPROTO },
		{ "attach-bytes-3000", RING_PAGE, 3000, RING_PAGE + RING_BYTES, -EPROTO },
		{ "attach-bytes-large", RING_PAGE, 1ULL << 63, RING_PAGE + RING_BYTES, -EPROTO },
	};
	static union fake_ring fake;
	struct kncpmu_ring ring;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(tests); i++) {
		fake_init(&fake, 0);
		fake.page.data_offset = tests[i].offset;
		fake.page.data_size = tests[i].bytes;
		result(kncpmu_ring_attach(&ring, &fake, tests[i].size) == tests[i].ret, "ring",
		       tests[i].name, "another result");
	}
}

static void test_rings(void)
{
	test_ring_attach();
	test_ring_edges();
	test_ring_stream("stream", 0);
	test_ring_stream("stream-odd-start", RING_BYTES - 8);
	test_ring_stream("stream-2^64", -(__u64)10 * RING_BYTES);
	test_ring_hostile();
}

/* The printed form of foreign text */
static void test_clean(void)
{
	static const struct {
		const char *name;
		const char *text;
		const char *shown;
	} texts[] = {
		{ "plain", "a b~\\x1b", "a b~\\x1b" },
		{ "letters", "\xc3\xa9\xe4\xb8\xad\xf0\x9f\x90\x84",
		  "\xc3\xa9\xe4\xb8\xad\xf0\x9f\x90\x84" },
		{ "escape", "\033]0;x\a", "\\x1b]0;x\\x07" },
		{ "lines", "a\nb\rc\td", "a\\x0ab\\x0dc\\x09d" },
		{ "delete", "\177", "\\x7f" },
		{ "c1", "\x9b\xc2\x9b", "\\x9b\\u009b" },
		{ "bidi", "\xe2\x80\xae\xe2\x81\xa6\xd8\x9c\xe2\x80\x8f",
		  "\\u202e\\u2066\\u061c\\u200f" },
		{ "separators", "\xe2\x80\xa8\xe2\x80\xa9", "\\u2028\\u2029" },
		{ "unseen", "\xe2\x80\x8b\xef\xbb\xbf\xf3\xa0\x81\x81",
		  "\\u200b\\ufeff\\U000e0041" },
		{ "cut-off", "a\xe2\x80", "a\\xe2\\x80" },
		{ "too-long", "\xc0\x9b\xe0\x82\x9b", "\\xc0\\x9b\\xe0\\x82\\x9b" },
		{ "surrogate", "\xed\xa0\x80", "\\ud800" },
		{ "too-high", "\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80" },
		{ "none", "\xef\xbf\xbf", "\\uffff" },
	};
	char text[64], again[64];
	unsigned int i, size;
	size_t len;
	int good;

	for (i = 0; i < ARRAY_SIZE(texts); i++) {
		len = kncpmu_clean(texts[i].text, strlen(texts[i].text), text, sizeof(text));
		good = len == strlen(texts[i].shown) && !strcmp(text, texts[i].shown);
		result(good, "clean", texts[i].name, text);
		kncpmu_clean(text, strlen(text), again, sizeof(again));
		result(!strcmp(text, again), "clean-again", texts[i].name, again);
	}
	/* with less room the text ends before a character or an escape that does not fit */
	for (size = 0, good = 1; size < 16; size++) {
		memset(text, 'x', sizeof(text));
		len = kncpmu_clean("\xc3\xa9\033b", 4, text, size);
		good &= len == 7 && text[size] == 'x';
		if (size)
			good &= strlen(text) == (size < 3 ? 0 : size < 7 ? 2 : size < 8 ? 6 : 7);
	}
	result(good, "clean", "room", text);
	result(kncpmu_clean("a\0b", 3, NULL, 0) == 6, "clean", "nul", "not 6 bytes");
}

/* Messages of the functions for one's own counts, without a card and for wrong requests */
static void test_self(void)
{
	struct kncpmu_error err;
	__u64 counts[3];
	int ret;

	ret = kncpmu_count_self("BRANCHE:u", &err);
	result(ret == -ENOENT && strstr(err.text, "BRANCHES"), "self", "event", err.text);
	ret = kncpmu_count_self("BRANCHES,DATA_READ,DATA_WRITE", &err);
	result(ret == -E2BIG && strstr(err.text, "more than 2"), "self", "many", err.text);
	ret = kncpmu_read_self(-1, counts, 3, &err);
	result(ret == -EINVAL && strstr(err.text, "3 counts"), "self", "counts", err.text);
	ret = kncpmu_read_self(-1, counts, 2, &err);
	result(ret == -EBADF && err.text[0], "self", "closed", err.text);
	result(kncpmu_strerror(KNCPMU_OP_OPEN, -EACCES, &err) == err.text &&
	       strstr(err.text, "permission denied"), "self", "strerror", err.text);
}

/* Files of the kernel, missing files, and files of others */
static void test_kernel_files(void)
{
	char line[64], text[512] = "";
	const char *rest;
	int error;

	error = kncpmu_kernel_line("/proc/self/comm", line, sizeof(line));
	result(!error && line[0], "kernel-files", "line", line);
	error = kncpmu_kernel_has("/proc/sys/kernel/no-such-file");
	result(error == -ENOENT, "kernel-files", "none", kncpmu_kernel_why("/proc", error));
	error = kncpmu_kernel_line("/etc/passwd", line, sizeof(line));
	result(error == -EXDEV && !line[0], "kernel-files", "other", line);
	result(!kncpmu_kernel_open("/dev/null", &error) && error == -EXDEV, "kernel-files", "open",
	       "");
	error = kncpmu_kernel_has("/etc/no-such-folder/no-such-file");
	result(error == -EXDEV, "kernel-files", "other-none", kncpmu_kernel_why("/sys", error));
	error = kncpmu_proc_own();
	result(!error, "kernel-files", "proc", kncpmu_kernel_why("/proc", error));
	prctl(PR_SET_NAME, "a) Z\n1 (b)");
	rest = kncpmu_proc_stat(getpid(), text, sizeof(text));
	result(rest && *rest == 'R', "kernel-files", "stat", text);
	result(!kncpmu_proc_stat(1 << 30, text, sizeof(text)), "kernel-files", "stat-none", text);
}

int main(void)
{
	kncpmu_pmu_get(-1, "knc", &knc);
	test_kernel_files();
	test_clean();
	test_self();
	test_events();
	test_aliases();
	test_kinds();
	test_counters();
	test_specs();
	test_bad_specs();
	test_nearest();
	test_near();
	test_card();
	test_lists();
	test_group_modifiers();
	test_turns();
	test_place();
	test_place_free();
	test_bad_lists();
	test_cpus();
	test_cpu_operations();
	test_cpu_sets();
	test_explain();
	test_hosts();
	test_pmus();
	test_list_pmu();
	test_explain_open();
	test_explain_task();
	test_explain_pids();
	test_open();
	test_other_device();
	test_core_wide();
	test_intervals();
	test_bad_intervals();
	test_primes();
	test_samples();
	test_rings();
	return failed;
}
