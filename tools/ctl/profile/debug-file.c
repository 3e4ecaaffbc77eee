// SPDX-License-Identifier: GPL-2.0
/*
 * Searches for separate debug files: on this machine, then on servers, after a message
 *
 * Distributions set DEBUGINFOD_URLS for all users. If a firewall blocks the server, elfutils waits
 * for minutes for each file, and prints nothing.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/clock.h"
#include "cli/memory.h"
#include "cli/message.h"
#include "profile/debug-file.h"

#define SERVERS		"DEBUGINFOD_URLS"
/* Seconds without data after which libdebuginfod gives up, unless the user has set another limit */
#define TIME_LIMIT	"DEBUGINFOD_TIMEOUT"
#define DEFAULT_LIMIT	"10"
/* How often libdebuginfod tries again after a failure */
#define RETRIES		"DEBUGINFOD_RETRY_LIMIT"
/* ns; a failure that took longer is treated as a timeout: the server is not asked again */
#define NO_ANSWER	2000000000ULL

static int ask_servers(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base,
		       const char *file, const char *link, GElf_Word crc, char **found)
{
	static int silent;
	unsigned long long began = now_ns();
	int fd;

	if (silent)
		return -1;
	setenv(TIME_LIMIT, DEFAULT_LIMIT, 0);
	setenv(RETRIES, "0", 0);
	complain("asking the servers of " SERVERS " for debug symbols of %s, for up to %s s: "
		 "set it to '' to ask none", file, getenv(TIME_LIMIT));
	fd = dwfl_standard_find_debuginfo(module, data, name, base, file, link, crc, found);
	if (fd >= 0 || now_ns() - began < NO_ANSWER)
		return fd;
	silent = 1;
	complain("no server has answered: none is asked for other files");
	return fd;
}

int find_debug_file(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base,
		    const char *file, const char *link, GElf_Word crc, char **found)
{
	char *servers = getenv(SERVERS);
	int fd;

	if (!servers || !*servers)
		return dwfl_standard_find_debuginfo(module, data, name, base, file, link, crc,
						    found);
	servers = strdup(servers);
	if (!servers)
		out_of_memory();
	unsetenv(SERVERS);
	fd = dwfl_standard_find_debuginfo(module, data, name, base, file, link, crc, found);
	setenv(SERVERS, servers, 1);
	free(servers);
	if (fd >= 0)
		return fd;
	return ask_servers(module, data, name, base, file, link, crc, found);
}
