/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Execute single instructions of vector.def as the emulated card does, without the card
 *
 * build-qemu makes lib/knc_vector.a of knc_vector*.c and of QEMU's floats; no header of QEMU is
 * needed to use it. Instructions that use general registers are not there: they are translated.
 */
#ifndef KNC_VECTOR_RUN_H
#define KNC_VECTOR_RUN_H

#include <stdint.h>

union knc_vector_value {
	uint32_t d[16];
	uint64_t q[8];
};

/**
 * struct knc_vector_run - registers, and what happened
 * @zmm: vectors
 * @k: masks
 * @mxcsr: rounding, DAZ, FTZ, and flags of exceptions, which are added to
 * @address: what base and index registers of an operand in memory add up to
 * @first: first byte that it has accessed
 * @bytes: how many it has accessed, or there are up to the last; 0: none
 * @reads: it has read
 * @writes: it has written
 */
struct knc_vector_run {
	union knc_vector_value zmm[32];
	uint16_t k[8];
	uint32_t mxcsr;
	uint64_t address;
	uint64_t first;
	unsigned int bytes;
	unsigned char reads;
	unsigned char writes;
};

enum knc_vector_outcome {
	KNC_VECTOR_DONE, KNC_VECTOR_INVALID, KNC_VECTOR_PROTECTION
};

enum knc_vector_outcome knc_vector_run(struct knc_vector_run *run, const unsigned char *code,
				       unsigned int size);
/* Does the card execute it, here or otherwise? */
int knc_vector_run_executes(const unsigned char *code, unsigned int size);

#endif /* KNC_VECTOR_RUN_H */
