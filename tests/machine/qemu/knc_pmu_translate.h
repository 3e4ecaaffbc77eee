/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Counting data accesses: the macros below replace the generators of loads and stores
 * in target/i386/tcg/translate.c, which includes this file after DisasContext.
 */

#include "knc/lacks.h"

/* The block being translated if it counts, else NULL.  Each vCPU's thread translates for itself. */
static __thread DisasContext *knc_dc;
/* The privilege of the block's code */
static __thread int knc_class;
/* If the block counts by itself: its ops that need its size, filled in at its end; else NULL */
static __thread TCGOp *knc_op_sub, *knc_op_need;
/* The block's size: instructions and accesses, the most that it can add to a counter */
static __thread unsigned int knc_size;

/* Does the block report addresses? */
static __thread bool knc_units;
/* Ops that need an instruction's size and decoding, filled in when it has been translated */
static __thread TCGOp *knc_op_insn_size, *knc_op_decoded[3];

static TCGv_i64 knc_sum[KNC_CLASSES], knc_done[KNC_CLASSES];
static TCGv knc_eip;

/* The block being translated if cycles make the time go on, else NULL */
static __thread DisasContext *knc_clock_dc;
static TCGv_i64 knc_accesses;

static void knc_translate_init(void)
{
	static const char * const sum[] = { "knc_sum_os", "knc_sum_usr" };
	static const char * const done[] = { "knc_done_os", "knc_done_usr" };
	int i;

	for (i = 0; i < KNC_CLASSES; i++) {
		knc_sum[i] = tcg_global_mem_new_i64(cpu_env,
				offsetof(CPUX86State, knc.sum[i]), sum[i]);
		knc_done[i] = tcg_global_mem_new_i64(cpu_env,
				offsetof(CPUX86State, knc.done[i]), done[i]);
	}
	knc_eip = tcg_global_mem_new(cpu_env,
				     offsetof(CPUX86State, knc.pend_eip),
				     "knc_eip");
	knc_accesses = tcg_global_mem_new_i64(cpu_env, offsetof(CPUX86State, knc.accesses),
					      "knc_accesses");
}

static unsigned int knc_step_accesses(uint64_t step)
{
	return ((step >> 32) & 0xffff) + (step >> 48);
}

/* Each access takes a cycle of time */
static void knc_gen_cycles(uint64_t step)
{
	if (knc_clock_dc)
		tcg_gen_addi_i64(knc_accesses, knc_accesses, knc_step_accesses(step));
}

static void knc_gen_count(uint64_t step)
{
	TCGv_i64 t;

	if (!knc_dc)
		return;
	if (knc_op_sub) {
		t = knc_sum[knc_class];
		tcg_gen_addi_i64(t, t, step);
		knc_size += knc_step_accesses(step);
		return;
	}
	t = tcg_temp_new_i64();
	tcg_gen_ld_i64(t, cpu_env, offsetof(CPUX86State, knc.pend_step));
	tcg_gen_addi_i64(t, t, step);
	tcg_gen_st_i64(t, cpu_env, offsetof(CPUX86State, knc.pend_step));
	tcg_temp_free_i64(t);
}

/* Copy an address for knc_gen_access(), because a load may overwrite @addr */
static TCGv knc_gen_address(TCGv addr)
{
	TCGv t;

	if (!knc_dc || !knc_units)
		return NULL;
	t = tcg_temp_new();
	tcg_gen_mov_tl(t, addr);
	return t;
}

/*
 * An operand of 16 bytes counts as one access, although it takes two loads or stores.
 * translate.c uses tmp0 as an address only for the second load or store, and later ones.
 */
static void knc_gen_access(TCGv addr, TCGv address, uint64_t step, uint32_t flags)
{
	DisasContext *s = knc_dc ? knc_dc : knc_clock_dc;
	bool more = s && addr == s->tmp0;

	if (!more)
		knc_gen_cycles(step);
	if (step & KNC_STEP_READ)
		flags |= KNC_ACCESS_READ;
	if (step & KNC_STEP_WRITE)
		flags |= KNC_ACCESS_WRITE;
	if (more)
		flags |= KNC_ACCESS_MORE;
	if (address) {
		gen_helper_knc_access(cpu_env, address, tcg_constant_i32(flags));
		tcg_temp_free(address);
	} else if (!more) {
		knc_gen_count(step);
	}
}

/*
 * QEMU executes LOCK NEG as a @loop of CMPXCHG.  There the step is set, not added to,
 * because only the last try may count.
 */
static void knc_gen_cmpxchg(bool loop, TCGv addr, TCGv address, uint32_t size)
{
	uint64_t step = KNC_STEP_READ + KNC_STEP_WRITE;

	if (address) {
		knc_gen_access(addr, address, step, size | (loop ? KNC_ACCESS_AGAIN : 0));
		return;
	}
	knc_gen_cycles(step);
	if (!loop || !knc_dc) {
		knc_gen_count(step);
	} else if (knc_op_sub) {
		tcg_gen_addi_i64(knc_sum[knc_class], knc_done[knc_class],
				 KNC_STEP_INSN + step);
		knc_size += 2;
	} else {
		tcg_gen_st_i64(tcg_constant_i64(KNC_STEP_INSN + step), cpu_env,
			       offsetof(CPUX86State, knc.pend_step));
	}
}

static void gen_lea_modrm(CPUX86State *env, DisasContext *s, int modrm);
static void gen_nop_modrm(CPUX86State *env, DisasContext *s, int modrm);

/* A prefetch instruction counts as a read (event 0x00), and the units see its line */
static void knc_gen_prefetch(CPUX86State *env, DisasContext *s, int modrm)
{
	knc_gen_cycles(KNC_STEP_READ);
	if (!knc_dc || !knc_units) {
		knc_gen_count(KNC_STEP_READ);
		gen_nop_modrm(env, s, modrm);
		return;
	}
	gen_lea_modrm(env, s, modrm);
	gen_helper_knc_access(cpu_env, s->A0, tcg_constant_i32(KNC_ACCESS_PREFETCH | 1));
}

#define KNC_ACCESS(f, step, val, addr, idx, memop)			\
	do {								\
		TCGv knc_address = knc_gen_address(addr);		\
									\
		f(val, addr, idx, memop);				\
		knc_gen_access(addr, knc_address, step, memop_size(memop)); \
	} while (0)
#define tcg_gen_qemu_ld_i32(...)					\
	KNC_ACCESS(tcg_gen_qemu_ld_i32, KNC_STEP_READ, __VA_ARGS__)
#define tcg_gen_qemu_ld_i64(...)					\
	KNC_ACCESS(tcg_gen_qemu_ld_i64, KNC_STEP_READ, __VA_ARGS__)
#define tcg_gen_qemu_st_i32(...)					\
	KNC_ACCESS(tcg_gen_qemu_st_i32, KNC_STEP_WRITE, __VA_ARGS__)
#define tcg_gen_qemu_st_i64(...)					\
	KNC_ACCESS(tcg_gen_qemu_st_i64, KNC_STEP_WRITE, __VA_ARGS__)

/* Locked instructions, and others that access memory in a helper */
#define KNC_RMW(f, ret, addr, val, idx, memop)				\
	do {								\
		TCGv knc_address = knc_gen_address(addr);		\
									\
		f(ret, addr, val, idx, memop);				\
		knc_gen_access(addr, knc_address, KNC_STEP_READ + KNC_STEP_WRITE, \
			       memop_size(memop));			\
	} while (0)
#define KNC_BY_HELPER(f, step, size, env, addr)				\
	do {								\
		f(env, addr);						\
		knc_gen_access(addr, knc_gen_address(addr), step, size); \
	} while (0)

#undef tcg_gen_atomic_add_fetch_tl
#undef tcg_gen_atomic_and_fetch_tl
#undef tcg_gen_atomic_or_fetch_tl
#undef tcg_gen_atomic_xor_fetch_tl
#undef tcg_gen_atomic_fetch_add_tl
#undef tcg_gen_atomic_fetch_and_tl
#undef tcg_gen_atomic_fetch_or_tl
#undef tcg_gen_atomic_fetch_xor_tl
#undef tcg_gen_atomic_cmpxchg_tl
#undef tcg_gen_atomic_xchg_tl
#define tcg_gen_atomic_add_fetch_tl(...)				\
	KNC_RMW(tcg_gen_atomic_add_fetch_i64, __VA_ARGS__)
#define tcg_gen_atomic_and_fetch_tl(...)				\
	KNC_RMW(tcg_gen_atomic_and_fetch_i64, __VA_ARGS__)
#define tcg_gen_atomic_or_fetch_tl(...)					\
	KNC_RMW(tcg_gen_atomic_or_fetch_i64, __VA_ARGS__)
#define tcg_gen_atomic_xor_fetch_tl(...)				\
	KNC_RMW(tcg_gen_atomic_xor_fetch_i64, __VA_ARGS__)
#define tcg_gen_atomic_fetch_add_tl(...)				\
	KNC_RMW(tcg_gen_atomic_fetch_add_i64, __VA_ARGS__)
#define tcg_gen_atomic_fetch_and_tl(...)				\
	KNC_RMW(tcg_gen_atomic_fetch_and_i64, __VA_ARGS__)
#define tcg_gen_atomic_fetch_or_tl(...)					\
	KNC_RMW(tcg_gen_atomic_fetch_or_i64, __VA_ARGS__)
#define tcg_gen_atomic_fetch_xor_tl(...)				\
	KNC_RMW(tcg_gen_atomic_fetch_xor_i64, __VA_ARGS__)
#define tcg_gen_atomic_cmpxchg_tl(ret, addr, cmp, val, idx, memop)	\
	do {								\
		TCGv knc_address = knc_gen_address(addr);		\
									\
		tcg_gen_atomic_cmpxchg_i64(ret, addr, cmp, val, idx, memop); \
		/* in LOCK NEG @ret is also @cmp */			\
		knc_gen_cmpxchg((ret) == (cmp), addr, knc_address,	\
				memop_size(memop));			\
	} while (0)
#define tcg_gen_atomic_xchg_tl(...)					\
	KNC_RMW(tcg_gen_atomic_xchg_i64, __VA_ARGS__)

#define gen_helper_cmpxchg8b(env, addr)					\
	KNC_BY_HELPER(gen_helper_cmpxchg8b, KNC_STEP_READ + KNC_STEP_WRITE, 8, env, addr)
#define gen_helper_cmpxchg8b_unlocked(env, addr)			\
	KNC_BY_HELPER(gen_helper_cmpxchg8b_unlocked, KNC_STEP_READ + KNC_STEP_WRITE, 8, \
		      env, addr)
#define gen_helper_cmpxchg16b(env, addr)				\
	KNC_BY_HELPER(gen_helper_cmpxchg16b, KNC_STEP_READ + KNC_STEP_WRITE, 16, env, addr)
#define gen_helper_cmpxchg16b_unlocked(env, addr)			\
	KNC_BY_HELPER(gen_helper_cmpxchg16b_unlocked, KNC_STEP_READ + KNC_STEP_WRITE, 16, \
		      env, addr)
#define gen_helper_fldt_ST0(env, addr)					\
	KNC_BY_HELPER(gen_helper_fldt_ST0, KNC_STEP_READ, 10, env, addr)
#define gen_helper_fbld_ST0(env, addr)					\
	KNC_BY_HELPER(gen_helper_fbld_ST0, KNC_STEP_READ, 10, env, addr)
#define gen_helper_fstt_ST0(env, addr)					\
	KNC_BY_HELPER(gen_helper_fstt_ST0, KNC_STEP_WRITE, 10, env, addr)
#define gen_helper_fbst_ST0(env, addr)					\
	KNC_BY_HELPER(gen_helper_fbst_ST0, KNC_STEP_WRITE, 10, env, addr)
