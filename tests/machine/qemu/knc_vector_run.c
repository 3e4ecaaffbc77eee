// SPDX-License-Identifier: GPL-2.0
/* knc_vector_run(): calls the helper of vector instructions, with this process's memory */
#include "qemu/osdep.h"
#include "cpu.h"
#include "exec/helper-proto.h"
#include "exec/cpu_ldst.h"
#include "fpu/softfloat.h"
#include "tcg/helper-tcg.h"
#include "knc/vector_decode.h"
#include "knc_vector.h"
#include "knc_vector_run.h"

static struct knc_vector_run *current;
static jmp_buf faulted;

uint32_t cpu_ldub_data_ra(CPUX86State *env, target_ulong addr, uintptr_t ra)
{
	return *(uint8_t *)addr;
}

int cpu_ldsb_data_ra(CPUX86State *env, target_ulong addr, uintptr_t ra)
{
	return *(int8_t *)addr;
}

uint32_t cpu_lduw_le_data_ra(CPUX86State *env, target_ulong addr, uintptr_t ra)
{
	return lduw_le_p((void *)addr);
}

int cpu_ldsw_le_data_ra(CPUX86State *env, target_ulong addr, uintptr_t ra)
{
	return ldsw_le_p((void *)addr);
}

uint32_t cpu_ldl_le_data_ra(CPUX86State *env, target_ulong addr, uintptr_t ra)
{
	return ldl_le_p((void *)addr);
}

uint64_t cpu_ldq_le_data_ra(CPUX86State *env, target_ulong addr, uintptr_t ra)
{
	return ldq_le_p((void *)addr);
}

void cpu_stb_data_ra(CPUX86State *env, target_ulong addr, uint32_t value, uintptr_t ra)
{
	*(uint8_t *)addr = value;
}

void cpu_stw_le_data_ra(CPUX86State *env, target_ulong addr, uint32_t value, uintptr_t ra)
{
	stw_le_p((void *)addr, value);
}

void cpu_stl_le_data_ra(CPUX86State *env, target_ulong addr, uint32_t value, uintptr_t ra)
{
	stl_le_p((void *)addr, value);
}

void cpu_stq_le_data_ra(CPUX86State *env, target_ulong addr, uint64_t value, uintptr_t ra)
{
	stq_le_p((void *)addr, value);
}

void raise_exception_err_ra(CPUX86State *env, int exception, int code, uintptr_t ra)
{
	longjmp(faulted, 1);
}

void helper_knc_access(CPUX86State *env, target_ulong linear, uint32_t flags)
{
	current->first = linear;
	current->bytes = flags & KNC_ACCESS_SIZE;
	current->reads = !!(flags & KNC_ACCESS_READ);
	current->writes = !!(flags & KNC_ACCESS_WRITE);
}

/* Asserts in QEMU's floats call this function of GLib, which is not linked */
void g_assertion_message_expr(const char *domain, const char *file, int line, const char *func,
			      const char *expr)
{
	fprintf(stderr, "%s:%d: %s\n", file, line, expr ? expr : "not reached");
	abort();
}

static const uint8_t roundings[] = {
	float_round_nearest_even, float_round_down, float_round_up, float_round_to_zero
};

static const struct {
	uint32_t mxcsr;
	int flag;
} exceptions[] = {
	{ 1 << 0, float_flag_invalid }, { 1 << 2, float_flag_divbyzero },
	{ 1 << 3, float_flag_overflow }, { 1 << 4, float_flag_underflow },
	{ 1 << 5, float_flag_inexact }, { 1 << 4 | 1 << 5, float_flag_output_denormal },
};

static void set_mxcsr(CPUX86State *env, uint32_t mxcsr)
{
	float_status *fp = &env->sse_status;

	memset(fp, 0, sizeof(*fp));
	set_float_rounding_mode(roundings[mxcsr >> 13 & 3], fp);
	set_flush_to_zero(!!(mxcsr & 1U << 15), fp);
	set_flush_inputs_to_zero(!!(mxcsr & 1U << 6), fp);
}

static void add_exceptions(struct knc_vector_run *run, CPUX86State *env)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(exceptions); i++)
		if (get_float_exception_flags(&env->sse_status) & exceptions[i].flag)
			run->mxcsr |= exceptions[i].mxcsr;
}

static void execute(struct knc_vector_run *run, CPUX86State *env,
		    const struct knc_vector_insn *insn)
{
	KncVectorCode code = knc_vector_code(insn);
	unsigned int i;

	env->knc.note.valid = true;
	set_mxcsr(env, run->mxcsr);
	memcpy(env->xmm_regs, run->zmm, sizeof(run->zmm));
	for (i = 0; i < ARRAY_SIZE(run->k); i++)
		env->opmask_regs[i] = run->k[i];
	helper_knc_vector(env, code.word, run->address + insn->memory.disp);
	memcpy(run->zmm, env->xmm_regs, sizeof(run->zmm));
	for (i = 0; i < ARRAY_SIZE(run->k); i++)
		run->k[i] = env->opmask_regs[i];
	add_exceptions(run, env);
}

int knc_vector_run_executes(const unsigned char *code, unsigned int size)
{
	struct knc_vector_insn insn;

	return knc_vector_decode(&insn, code, size) == 1 && insn.length == size &&
	       knc_vector_executes(&insn);
}

enum knc_vector_outcome knc_vector_run(struct knc_vector_run *run, const unsigned char *code,
				       unsigned int size)
{
	/* static, because QEMU's functions expect this alignment */
	static uint8_t memory[sizeof(CPUX86State) + 64] QEMU_ALIGNED(64);
	CPUX86State *env = (CPUX86State *)memory;
	struct knc_vector_insn insn;

	if (!knc_vector_run_executes(code, size))
		return KNC_VECTOR_INVALID;
	knc_vector_decode(&insn, code, size);
	run->bytes = 0;
	run->reads = 0;
	run->writes = 0;
	current = run;
	if (setjmp(faulted))
		return KNC_VECTOR_PROTECTION;
	execute(run, env, &insn);
	return KNC_VECTOR_DONE;
}
