/* SPDX-License-Identifier: GPL-2.0 */
/* The place of this process in a parallel program */
#ifndef KNC_CTL_RANK_H
#define KNC_CTL_RANK_H

#define HOST_LEN	65	/* as in uname() */
#define JOB_LEN		256

/**
 * struct rank - what the launcher of a parallel program says of this process
 * @variable: the environment variable that has the rank; NULL: no launcher set one
 * @text: its value
 * @known: @text is a rank
 * @rank: the rank
 * @ranks: their number; 0: not known
 * @job: the launcher's unique name of this run of the program; "": none
 */
struct rank {
	const char *variable;
	const char *text;
	int known;
	unsigned int rank;
	unsigned int ranks;
	char job[JOB_LEN];
};

void own_rank(struct rank *rank);
/*
 * The @i-th variable in which launchers tell a rank, the ranks or the job; "": none; NULL: no more
 */
const char *rank_variable(unsigned int i);
void own_host(char *name);	/* HOST_LEN bytes */

#endif /* KNC_CTL_RANK_H */
