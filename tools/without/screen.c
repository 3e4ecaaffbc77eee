// SPDX-License-Identifier: GPL-2.0
/* knc-pmuctl top, in a tool that was built without ncurses: it has no screen */
#include "cli/message.h"
#include "top/display.h"

int top_interactive(struct top *t)
{
	return complain("top needs a library that this " PROGRAM " was built without (" ABSENT
			"): use -b, or install it and build it again");
}
