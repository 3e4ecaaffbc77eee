// SPDX-License-Identifier: GPL-2.0
/*
 * Bare-metal test of the emulated card: SPFLT and DELAY
 */
#include "machine.h"
#include "tests.h"

USER_FUNCTION(user_code, "call code_page");

static const struct form {
	u8 bytes[3];
	u8 len, high;
	const char *spflt0, *spflt3, *delay;
} forms[] = {
	{ { 0xc5, 0xfb }, 2, 0,
	  "SPFLT C5 FB, ring 0", "SPFLT C5 FB, ring 3", "DELAY C5 FA" },
	{ { 0xc4, 0xc1, 0x7b }, 3, 8,
	  "SPFLT C4 C1 7B, ring 0", "SPFLT C4 C1 7B, ring 3", "DELAY C4 C1 7A" },
	{ { 0xc4, 0xe1, 0xfb }, 3, 0,
	  "SPFLT C4 E1 FB, ring 0", "SPFLT C4 E1 FB, ring 3", "DELAY C4 E1 FA" },
	{ { 0xc4, 0xe1, 0x7b }, 3, 0,
	  "SPFLT C4 E1 7B, ring 0", "SPFLT C4 E1 7B, ring 3", "DELAY C4 E1 7A" },
	{ { 0xc4, 0xc1, 0xfb }, 3, 8,
	  "SPFLT C4 C1 FB, ring 0", "SPFLT C4 C1 FB, ring 3", "DELAY C4 C1 FA" },
};

/* rcx = r; r = val; the instruction; r = rcx; ret */
static void make_form(const struct form *f, int n, u32 val, bool delay, u8 *at)
{
	u8 *p = at;
	int i;

	if (n != 1 || f->high) {
		*p++ = f->high ? 0x4c : 0x48;
		*p++ = 0x89;
		*p++ = 0xc1 | n << 3;
	}
	*p++ = f->high ? 0x49 : 0x48;
	*p++ = 0xc7;
	*p++ = 0xc0 | n;
	memcpy(p, &val, 4);
	p += 4;
	for (i = 0; i < f->len; i++)
		*p++ = f->bytes[i] - (delay && i == f->len - 1);
	*p++ = 0xae;
	*p++ = 0xf0 + n;
	if (n != 1 || f->high) {
		*p++ = f->high ? 0x49 : 0x48;
		*p++ = 0x89;
		*p++ = 0xc8 | n;
	}
	*p++ = 0xc3;
}

static void call_code(void *at)
{
	asm volatile("call *%%rax" : : "a"(at) : "rcx", "memory", "cc");
}

/* The registers with which setting and clearing works, as a mask of 8 */
static unsigned int works(const struct form *f, bool ring3, bool delay)
{
	unsigned int mask = 0;
	int n;

	for (n = 0; n < 8; n++) {
		u64 was[3];
		int i;

		for (i = 0; i < 3; i++) {
			/* set; clear, with other bits set; set again */
			make_form(f, n, i == 1 ? 0x7ffffffe : 0x10001, delay, code_page);
			if (ring3)
				user(user_code);
			else
				call_code(code_page);
			was[i] = rdmsr(KNC_PERF_SPFLT_CONTROL);
		}
		if (delay ? was[0] == 0 && was[1] == 0 :
		    was[0] == 1ULL << 63 && was[1] == 0 && was[2] == 1ULL << 63)
			mask |= 1 << n;
		wrmsr(KNC_PERF_SPFLT_CONTROL, 0);
	}
	return mask;
}

/* Execute the bytes: are they an invalid opcode? */
bool is_invalid(const u8 *bytes, unsigned int size)
{
	memcpy(code_page, bytes, size);
	code_page[size] = 0xc3;
	fault = NONE;
	skip_on_ud = size;
	asm volatile("call code_page" : : "a"(1) : "memory");
	skip_on_ud = 0;
	return fault == UD;
}

static void test_forms(void)
{
	unsigned int i;

	for (i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		check(forms[i].spflt0, works(&forms[i], false, false), 0xff);
		check(forms[i].spflt3, works(&forms[i], true, false), 0xff);
		check(forms[i].delay, works(&forms[i], false, true), 0xff);
	}
}

/* Encodings near SPFLT's: all are invalid opcodes, except one of another instruction */
static void test_no_spflt(void)
{
	static const struct {
		const char *name;
		u8 bytes[5];
	} invalid[] = {
		{ "SPFLT with memory operand", { 0xc5, 0xfb, 0xae, 0x30, 0x90 } },
		{ "SPFLT with ModRM.reg 5", { 0xc5, 0xfb, 0xae, 0xe8, 0x90 } },
		{ "SPFLT with VEX.R", { 0xc5, 0x7b, 0xae, 0xf0, 0x90 } },
		{ "SPFLT with VEX.L", { 0xc5, 0xff, 0xae, 0xf0, 0x90 } },
		{ "SPFLT with VEX.vvvv", { 0xc5, 0xf3, 0xae, 0xf0, 0x90 } },
		{ "SPFLT without VEX.pp", { 0xc5, 0xf8, 0xae, 0xf0, 0x90 } },
		{ "SPFLT in map 0F38", { 0xc4, 0xe2, 0x7b, 0xae, 0xf0 } },
	};
	static const u8 without_vex[] = { 0xf2, 0x0f, 0xae, 0xf0, 0x90 };
	unsigned int i;

	for (i = 0; i < sizeof(invalid) / sizeof(invalid[0]); i++)
		check(invalid[i].name, is_invalid(invalid[i].bytes, 5), true);
	is_invalid(without_vex, sizeof(without_vex));
	check("F2 0F AE /6 without VEX is not SPFLT", rdmsr(KNC_PERF_SPFLT_CONTROL), 0);
}

/* An SPFLT after a nop, at all offsets across a page boundary */
static void test_across_pages(void)
{
	unsigned int i, crossed = 0;

	for (i = 0; i < 8; i++) {
		u8 *at = code_page + 4096 - i;

		at[0] = 0x90;
		make_form(&forms[1], 0, 1, false, at + 1);
		call_code(at);
		crossed += rdmsr(KNC_PERF_SPFLT_CONTROL) >> 63;
		make_form(&forms[1], 0, 0, false, at - 8);
		call_code(at - 8);
		crossed += rdmsr(KNC_PERF_SPFLT_CONTROL) == 0;
	}
	check("SPFLT across pages", crossed, 16);
}

/* 1.4.3.4: counters that obey SPFLT */
static void test_obeying(void)
{
	pmu_set(INSTRUCTIONS | OS | EN, INSTRUCTIONS | OS | EN);
	wrmsr(KNC_PERF_SPFLT_CONTROL, 1);
	RUN(3, "nop; mov $1, %%eax;" SPFLT(0) "nop; nop; xor %%eax, %%eax;" SPFLT(0) "nop");
	pmu_get();
	check("counter 0 obeys SPFLT", c0, 3);
	check("counter 1 does not", c1, 8 + TAIL);
	pmu_set(INSTRUCTIONS | OS | EN, INSTRUCTIONS | OS | EN);
	wrmsr(KNC_PERF_SPFLT_CONTROL, 2 | 1ULL << 63);
	RUN(3, "nop; xor %%eax, %%eax;" SPFLT(0) "nop");
	pmu_get();
	check("counter 0 does not obey", c0, 4 + TAIL);
	check("counter 1 started by WRMSR, stopped by SPFLT", c1, 2);
	pmu_off();
}

void test_spflt(void)
{
	pmu_off();
	test_forms();
	test_no_spflt();
	test_across_pages();
	test_obeying();
}
