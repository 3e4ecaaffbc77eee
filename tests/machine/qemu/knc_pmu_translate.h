/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Counting data accesses: included by target/i386/tcg/translate.c between
 * DisasContext and the code generators, whose loads and stores it wraps.
 */

/* The block being translated when it counts, else NULL; one per vCPU thread */
static __thread DisasContext *knc_dc;
/* Its privilege */
static __thread int knc_class;
/* If it counts by itself: its ops that tell its size, which is known at its end */
static __thread TCGOp *knc_op_sub, *knc_op_need;
/* Its size: its instructions and accesses, the most it can add to a counter */
static __thread unsigned int knc_size;

static TCGv_i64 knc_sum[KNC_CLASSES], knc_done[KNC_CLASSES];
static TCGv knc_eip;

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
}

static void knc_gen_count(uint64_t step)
{
	TCGv_i64 t;

	if (!knc_dc)
		return;
	if (knc_op_sub) {
		t = knc_sum[knc_class];
		tcg_gen_addi_i64(t, t, step);
		knc_size += ((step >> 32) & 0xffff) + (step >> 48);
		return;
	}
	t = tcg_temp_new_i64();
	tcg_gen_ld_i64(t, cpu_env, offsetof(CPUX86State, knc.pend_step));
	tcg_gen_addi_i64(t, t, step);
	tcg_gen_st_i64(t, cpu_env, offsetof(CPUX86State, knc.pend_step));
	tcg_temp_free_i64(t);
}

/*
 * LOCK NEG is a loop of these here: its step is set, not added to, because only
 * the try that succeeds may count.
 */
static void knc_gen_cmpxchg(bool loop, uint64_t step)
{
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
#define tcg_gen_atomic_cmpxchg_tl(ret, addr, cmp, ...)			\
	do {								\
		tcg_gen_atomic_cmpxchg_i64(ret, addr, cmp, __VA_ARGS__); \
		/* LOCK NEG only has both in one */			\
		knc_gen_cmpxchg((ret) == (cmp),				\
				KNC_STEP_READ + KNC_STEP_WRITE);	\
	} while (0)
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
