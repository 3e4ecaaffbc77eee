/* SPDX-License-Identifier: GPL-2.0 */
/* Searches for separate debug files: on this machine, then on servers, after a message */
#ifndef KNC_CTL_DEBUG_FILE_H
#define KNC_CTL_DEBUG_FILE_H

#include <elfutils/libdwfl.h>

/* Callback of libdwfl; returns a descriptor, or -1 */
int find_debug_file(struct Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base,
		    const char *file, const char *link, GElf_Word crc, char **found);

#endif /* KNC_CTL_DEBUG_FILE_H */
