/* SPDX-License-Identifier: GPL-2.0 */
/* One hardware thread over a model, with two claims */
#ifndef KNC_TEST_HWTHREAD_FIXTURE_H
#define KNC_TEST_HWTHREAD_FIXTURE_H

#include <linux/wait.h>

#include "count/hwthread.h"
#include "request/request.h"
#include "model.h"
#include "records.h"
#include "sample/sampler.h"

#define BENCH_CLAIMS	2
#define BENCH_RING	65536

/**
 * struct bench - the data of a test of one hardware thread
 * @test: the test
 * @model: the registers
 * @hw: the hardware thread: the CPU to which the test is pinned
 * @claim: claims, not attached at first
 * @config: the request of bench_sampled()
 * @event: the events of that request
 * @sampler: samplers of the claims that have one
 * @tally: the records of their rings
 * @base: the model's counts when the claim was attached
 * @wait: their reader's wait queue
 * @now: CLOCK_MONOTONIC, ns
 * @lvtpc: the LVT entry that is expected while a counter is claimed
 */
struct bench {
	struct kunit *test;
	struct model model;
	struct knc_hwthread *hw;
	struct knc_claim claim[BENCH_CLAIMS];
	struct knc_request config;
	struct knc_event event[PMU_MAX_COUNTERS];
	struct knc_sampler sampler[BENCH_CLAIMS];
	struct tally tally[BENCH_CLAIMS];
	u64 base[BENCH_CLAIMS][MODEL_SLOTS];
	wait_queue_head_t wait;
	u64 now;
	u32 lvtpc;
};

int bench_init(struct kunit *test);
int bench_init_wide(struct kunit *test);
int bench_init_wide_any(struct kunit *test);
void bench_exit(struct kunit *test);
void bench_irq(struct bench *b);

u64 bench_evtsel(unsigned int i, unsigned int slot);
struct knc_claim *bench_claim(struct bench *b, unsigned int i,
			      unsigned int first, unsigned int nr);
void bench_filter(struct knc_claim *c, u32 slots);
void bench_attach(struct bench *b, struct knc_claim *c);
void bench_detach(struct bench *b, struct knc_claim *c);
void bench_start(struct bench *b, struct knc_claim *c);
/* Attach and start */
struct knc_claim *bench_begin(struct bench *b, struct knc_claim *c);
void bench_stop(struct bench *b, struct knc_claim *c);
void bench_reset(struct bench *b, struct knc_claim *c);
void bench_online(struct bench *b);
void bench_offline(struct bench *b);
struct knc_pmu_thread bench_read(struct bench *b, struct knc_claim *c);

struct knc_claim *bench_sampled(struct bench *b, unsigned int i,
				unsigned int first, u64 p0, u64 p1);
void bench_unsampled(struct bench *b, unsigned int i);
void bench_tick(struct bench *b, unsigned int i);
void bench_drain(struct bench *b, unsigned int i);
void bench_expect_counts(struct bench *b, unsigned int i);
void bench_expect_sums(struct bench *b, unsigned int i);
void bench_expect_loaded(struct bench *b);
void bench_expect_alive(struct bench *b);
void bench_expect_free(struct kunit *test, const struct knc_hwthread *hw,
		       const struct model *m, u64 cntrs);

#endif /* KNC_TEST_HWTHREAD_FIXTURE_H */
