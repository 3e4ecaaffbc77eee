// SPDX-License-Identifier: GPL-2.0
/*
 * Code with known counts. Assembler, so that it has only Knights Corner's instructions and the
 * compiler can't change it
 */
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include "selftest/trial.h"

#define FUNCTION(name, code)						\
	__asm__(".text\n\t.globl " name "\n\t.type " name ", @function\n"	\
		name ":\n" code "\n\t.size " name ", . - " name)
#define TEXT(x)		#x
#define NUMBER(x)	TEXT(x)

FUNCTION("work_loop", "1: dec %rdi\n\tjnz 1b\n\tret");
FUNCTION("work_copy", "1: mov (%rsi), %rax\n\tmov %rax, 8(%rsi)\n\tdec %rdi\n\tjnz 1b\n\tret");
FUNCTION("work_call", "1: call 2f\n\tdec %rdi\n\tjnz 1b\n2:\tret");
FUNCTION("work_store", "1: mov %rax, (%rsi)\n"
	 "\t.globl work_store_next\nwork_store_next:\n"
	 "\t.rept " NUMBER(SLED) "\n\tnop\n\t.endr\n\tdec %rdi\n\tjnz 1b\n\tret");

#define LINE		64
#define MEMORY		(1UL << 20)	/* more than the L2 holds */
#define CODE		(128UL << 10)	/* more than the L1 holds */
#define RET		0xc3

/* Read one line after another, each read depending on the one before; then write them */
static void walk(unsigned char *memory)
{
	unsigned long i, at = 0;

	for (i = 0; i < MEMORY; i += LINE)
		__asm__ volatile("movzbl (%1, %2), %k0"
				 : "=r" (at) : "r" (memory + i), "r" (at & 1));
	for (i = 0; i < MEMORY; i += LINE)
		__asm__ volatile("movb $0, (%0)" : : "r" (memory + i) : "memory");
}

/* Call a RET in each line, of more code than the L1 holds */
static void walk_code(const unsigned char *code)
{
	unsigned long i;

	for (i = 0; i < CODE; i += LINE)
		((void (*)(void))(uintptr_t)(code + i))();
}

/* Branches that can't be predicted, divisions, string instructions, two accesses in a cycle */
static void branch(unsigned char *memory)
{
	unsigned long i, random = 1, count = 0, bytes;
	void *from, *to;

	for (i = 0; i < 3000; i++) {
		random = random * 6364136223846793005UL + 1442695040888963407UL;
		if (random >> 63)
			count++;
		__asm__ volatile("mov (%1), %%rax\n\tmov 64(%1), %%rdx\n\tmov 8(%1), %%rax\n"
				 "\tlea 8(%1), %%rax\n\tmov (%%rax), %%rdx\n\tmov 1024(%1), %%rdx"
				 : "+r" (count) : "r" (memory) : "rax", "rdx", "memory");
	}
	from = memory;
	to = memory + MEMORY / 2;
	bytes = 4096;
	__asm__ volatile("cld; rep movsb" : "+S" (from), "+D" (to), "+c" (bytes) : : "memory");
}

static void *map_memory(size_t size, int prot)
{
	void *memory = mmap(NULL, size, prot, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return memory == MAP_FAILED ? NULL : memory;
}

void work_everything(unsigned int rounds)
{
	unsigned char *memory = map_memory(MEMORY, PROT_READ | PROT_WRITE);
	unsigned char *code = map_memory(CODE, PROT_READ | PROT_WRITE | PROT_EXEC);

	if (memory && code) {
		memset(code, RET, CODE);
		while (rounds--) {
			walk(memory);
			walk_code(code);
			branch(memory);
		}
	}
	if (memory)
		munmap(memory, MEMORY);
	if (code)
		munmap(code, CODE);
}
