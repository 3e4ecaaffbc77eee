/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Counting data accesses: included by target/i386/tcg/translate.c between
 * DisasContext and the code generators, whose loads and stores it wraps.
 */

/* The block being translated when it counts, else NULL; one per vCPU thread */
static __thread DisasContext *knc_dc;

static void knc_gen_count(uint64_t step)
{
	TCGv_i64 t;

	if (!knc_dc)
		return;
	t = tcg_temp_new_i64();
	tcg_gen_ld_i64(t, cpu_env, offsetof(CPUX86State, knc.pend_step));
	tcg_gen_addi_i64(t, t, step);
	tcg_gen_st_i64(t, cpu_env, offsetof(CPUX86State, knc.pend_step));
	tcg_temp_free_i64(t);
}

/*
 * An operand of 16 bytes is one access though it takes two loads or stores:
 * translate.c addresses all but the first of these, and only these, by tmp0.
 */
static void knc_gen_access(TCGv addr, uint64_t step)
{
	if (knc_dc && addr != knc_dc->tmp0)
		knc_gen_count(step);
}

#define KNC_ACCESS(f, step, val, addr, ...)				\
	do {								\
		f(val, addr, __VA_ARGS__);				\
		knc_gen_access(addr, step);				\
	} while (0)
#define tcg_gen_qemu_ld_i32(...)					\
	KNC_ACCESS(tcg_gen_qemu_ld_i32, KNC_STEP_READ, __VA_ARGS__)
#define tcg_gen_qemu_ld_i64(...)					\
	KNC_ACCESS(tcg_gen_qemu_ld_i64, KNC_STEP_READ, __VA_ARGS__)
#define tcg_gen_qemu_st_i32(...)					\
	KNC_ACCESS(tcg_gen_qemu_st_i32, KNC_STEP_WRITE, __VA_ARGS__)
#define tcg_gen_qemu_st_i64(...)					\
	KNC_ACCESS(tcg_gen_qemu_st_i64, KNC_STEP_WRITE, __VA_ARGS__)

/* Locked instructions, and others whose accesses are made by a helper */
#define KNC_AND_COUNT(step, f, ...)					\
	do {								\
		f(__VA_ARGS__);						\
		knc_gen_count(step);					\
	} while (0)
#define KNC_RMW(...)							\
	KNC_AND_COUNT(KNC_STEP_READ + KNC_STEP_WRITE, __VA_ARGS__)

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
#define tcg_gen_atomic_cmpxchg_tl(...)					\
	KNC_RMW(tcg_gen_atomic_cmpxchg_i64, __VA_ARGS__)
#define tcg_gen_atomic_xchg_tl(...)					\
	KNC_RMW(tcg_gen_atomic_xchg_i64, __VA_ARGS__)

#define gen_helper_cmpxchg8b(...)					\
	KNC_RMW(gen_helper_cmpxchg8b, __VA_ARGS__)
#define gen_helper_cmpxchg8b_unlocked(...)				\
	KNC_RMW(gen_helper_cmpxchg8b_unlocked, __VA_ARGS__)
#define gen_helper_cmpxchg16b(...)					\
	KNC_RMW(gen_helper_cmpxchg16b, __VA_ARGS__)
#define gen_helper_cmpxchg16b_unlocked(...)				\
	KNC_RMW(gen_helper_cmpxchg16b_unlocked, __VA_ARGS__)
#define gen_helper_fldt_ST0(...)					\
	KNC_AND_COUNT(KNC_STEP_READ, gen_helper_fldt_ST0, __VA_ARGS__)
#define gen_helper_fbld_ST0(...)					\
	KNC_AND_COUNT(KNC_STEP_READ, gen_helper_fbld_ST0, __VA_ARGS__)
#define gen_helper_fstt_ST0(...)					\
	KNC_AND_COUNT(KNC_STEP_WRITE, gen_helper_fstt_ST0, __VA_ARGS__)
#define gen_helper_fbst_ST0(...)					\
	KNC_AND_COUNT(KNC_STEP_WRITE, gen_helper_fbst_ST0, __VA_ARGS__)
