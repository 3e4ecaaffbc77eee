/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One hardware thread over a model, with two claims to play with
 */
#ifndef KNC_TEST_HWTHREAD_FIXTURE_H
#define KNC_TEST_HWTHREAD_FIXTURE_H

#include "hwthread.h"
#include "model.h"

#define BENCH_CLAIMS	2
#define BENCH_CPU	42

/**
 * struct bench - what a test of hwthread.c works on
 * @test: the test
 * @model: the registers
 * @hw: the hardware thread
 * @claim: claims, not attached at first
 * @now: CLOCK_MONOTONIC, ns
 */
struct bench {
	struct kunit *test;
	struct model model;
	struct knc_hwthread hw;
	struct knc_claim claim[BENCH_CLAIMS];
	u64 now;
};

int bench_init(struct kunit *test);
void bench_exit(struct kunit *test);

u64 bench_evtsel(unsigned int i, unsigned int counter);
struct knc_claim *bench_claim(struct bench *b, unsigned int i,
			      unsigned int first, unsigned int nr);
void bench_attach(struct bench *b, struct knc_claim *c);
void bench_detach(struct bench *b, struct knc_claim *c);
void bench_start(struct bench *b, struct knc_claim *c);
void bench_stop(struct bench *b, struct knc_claim *c);
void bench_reset(struct bench *b, struct knc_claim *c);
void bench_fold(struct bench *b);
void bench_online(struct bench *b);
void bench_offline(struct bench *b);
struct knc_pmu_thread bench_read(struct bench *b, struct knc_claim *c);

#endif /* KNC_TEST_HWTHREAD_FIXTURE_H */
