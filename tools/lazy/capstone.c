// SPDX-License-Identifier: GPL-2.0
/*
 * Replaces libcapstone, and loads it on the first call, which report --annotate makes: the
 * library's relocations take longer than most commands. CAPSTONE is the name of its file.
 */
#include <capstone/capstone.h>
#include <dlfcn.h>

#include "cli/message.h"

static void *find(const char *name)
{
	static void *library;
	void *function;

	if (!library)
		library = dlopen(CAPSTONE, RTLD_NOW);
	function = library ? dlsym(library, name) : NULL;
	if (!function)
		complain("warning: can't show instructions: %s; install libcapstone", dlerror());
	return function;
}

/* After cs_open() the library is loaded. */
#define FORWARD(type, name, parameters, arguments, failed)		\
	type name parameters						\
	{								\
		static __typeof__(&name) function;			\
									\
		if (!function)						\
			function = find(#name);				\
		return function ? function arguments : failed;		\
	}

FORWARD(cs_err, cs_open, (cs_arch arch, cs_mode mode, csh *handle), (arch, mode, handle),
	CS_ERR_MEM)
FORWARD(cs_err, cs_close, (csh *handle), (handle), CS_ERR_MEM)
FORWARD(cs_err, cs_option, (csh handle, cs_opt_type type, size_t value), (handle, type, value),
	CS_ERR_MEM)
FORWARD(cs_insn *, cs_malloc, (csh handle), (handle), NULL)
FORWARD(void, cs_free, (cs_insn *insn, size_t count), (insn, count), (void)0)
FORWARD(bool, cs_disasm_iter, (csh handle, const uint8_t **code, size_t *size, uint64_t *address,
			       cs_insn *insn), (handle, code, size, address, insn), false)
