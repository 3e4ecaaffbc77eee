/* SPDX-License-Identifier: GPL-2.0 */
/* Seeds of random tests */
#ifndef KNC_TEST_SEED_H
#define KNC_TEST_SEED_H

#include <kunit/test.h>

/* KNC_TEST_SEED of tests/kunit/run, a parameter of knc_test_only */
extern unsigned int knc_test_seed;

/* The seed of a test: its @own, changed by KNC_TEST_SEED if that is set */
static inline u64 seed_of(struct kunit *test, u64 own)
{
	kunit_info(test, "KNC_TEST_SEED=%u\n", knc_test_seed);
	return own + knc_test_seed;
}

#endif /* KNC_TEST_SEED_H */
