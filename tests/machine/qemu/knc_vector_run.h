/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Execute single instructions of vector.def as the emulated card does, without the card
 *
 * build-qemu makes lib/knc_vector.a of knc_vector*.c and of QEMU's floats. A program that uses it
 * needs no header of QEMU. Instructions that use general registers can't be executed here, because
 * QEMU translates them.
 */
#ifndef KNC_VECTOR_RUN_H
#define KNC_VECTOR_RUN_H

#include <stdint.h>

union knc_vector_value {
	uint32_t d[16];
	uint64_t q[8];
};

/**
 * struct knc_vector_run - registers, and the memory that the instruction has accessed
 * @zmm: vectors
 * @k: masks
 * @mxcsr: rounding, DAZ, FTZ; exceptions of the instruction set their flags
 * @address: address of an operand in memory without the displacement
 * @first: address of the first byte accessed
 * @bytes: bytes from @first to the last one accessed; 0: no access
 * @reads: the access was a read
 * @writes: the access was a write
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
/* Does the emulated card execute it, by knc_vector_run() or by translation? */
int knc_vector_run_executes(const unsigned char *code, unsigned int size);

#endif /* KNC_VECTOR_RUN_H */
