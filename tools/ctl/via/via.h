/* SPDX-License-Identifier: GPL-2.0 */
/*
 * knc-pmuctl --via RELAY: runs a command on the card; its output and files arrive on this machine
 */
#ifndef KNC_CTL_VIA_H
#define KNC_CTL_VIA_H

#include "cli/command.h"

/**
 * struct via - the options before the command
 * @relay: a command of the shell that executes what follows it on the card; NULL: none
 * @recorder: the static knc-pmuctl for the card; NULL: that of this installation
 */
struct via {
	const char *relay;
	const char *recorder;
};

/* Run @cmd on the card; returns the exit status */
int via_run(const struct via *via, const struct command *cmd, int argc, char **argv);

/*
 * The card's side, if argv[1] is FAR_OPTION. Returns in a new process, whose standard streams are
 * the user's and whose *@argc and *@argv are the command's
 */
void via_serve(int *argc, char ***argv);

#endif /* KNC_CTL_VIA_H */
