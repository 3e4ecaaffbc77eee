// SPDX-License-Identifier: GPL-2.0
/*
 * Recognizes signal trampolines without unwinding tables, as musl's
 *
 * A signal handler returns to the trampoline, which calls rt_sigreturn(). glibc's has a table that
 * says where the kernel stored the interrupted registers. For musl's the only sign is its code,
 * which gdb and libgcc look for, too. There SP points to the kernel's struct ucontext: 40 bytes of
 * other fields, then struct sigcontext.
 */
#include <string.h>

#include "cli/array.h"
#include "profile/trampoline.h"

const unsigned char trampoline_regs[17] = {
	8, 9, 10, 11, 12, 13, 14, 15,	/* R8 to R15 */
	5, 4, 6, 3, 1, 0, 2, 7, 16,	/* RDI, RSI, RBP, RBX, RDX, RAX, RCX, RSP, RIP */
};

/* Does the code @back bytes before @addr equal @code? */
static int has_code(const struct elf_file *file, unsigned long long addr, unsigned int back,
		    const char *code, size_t length)
{
	const unsigned char *bytes;
	size_t size = length;

	bytes = addr < back ? NULL : elf_file_bytes(file, addr - back, &size);
	return bytes && size >= length && !memcmp(bytes, code, length);
}

int is_trampoline(const struct elf_file *file, unsigned long long addr)
{
	static const struct {
		const char *code;
		unsigned char length;
	} forms[] = {
		{ "\x48\xc7\xc0\x0f\0\0\0\x0f\x05", 9 },	/* mov $15,%rax; syscall */
		{ "\xb8\x0f\0\0\0\x0f\x05", 7 },		/* mov $15,%eax; syscall */
	};
	unsigned int i, length;

	if (elf_file_bits(file) != 64)
		return 0;
	for (i = 0; i < ARRAY_SIZE(forms); i++) {
		length = forms[i].length;
		/* at its first byte, at the system call, or at the last byte */
		if (has_code(file, addr, 0, forms[i].code, length) ||
		    has_code(file, addr, length - 2, forms[i].code, length) ||
		    has_code(file, addr, length - 1, forms[i].code, length))
			return 1;
	}
	return 0;
}
