// SPDX-License-Identifier: GPL-2.0
/*
 * A parallel program whose ranks have different amounts of work, and wait for each other after each
 * step. There are 3 steps, or as many as the first argument says. Under knc-pmuctl grant each rank
 * counts its own work, without the waiting; rank 0 prints all.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <knc/ring3.h>

#define TURNS	20000	/* of rank 0; rank 1 has twice as many, and so on */
#define HOST	16

struct counted {
	unsigned long instructions;
	unsigned long branches;
	char host[HOST];
};

/* Two instructions and a branch for each turn */
static void work(unsigned long turns)
{
	__asm__ volatile("1: dec %0\n\tjnz 1b" : "+r" (turns) : : "cc");
}

static void count(struct counted *c, unsigned long turns)
{
	unsigned long instructions, branches;

	if (!knc_ring3_available()) {
		work(turns);
		return;
	}
	instructions = knc_rdpmc(0);
	branches = knc_rdpmc(1);
	work(turns);
	c->branches += knc_diff39(knc_rdpmc(1), branches);
	c->instructions += knc_diff39(knc_rdpmc(0), instructions);
}

static void print_all(const struct counted *all, int ranks)
{
	int r;

	for (r = 0; r < ranks; r++)
		printf("rank %2d on %s: %lu instructions, %lu branches\n", r, all[r].host,
		       all[r].instructions, all[r].branches);
}

int main(int argc, char **argv)
{
	static struct counted mine, all[256];
	unsigned long sum = 0;
	int rank, ranks, step, steps = argc > 1 ? atoi(argv[1]) : 3;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	if (ranks > 256)
		MPI_Abort(MPI_COMM_WORLD, 1);
	gethostname(mine.host, HOST - 1);
	if (!rank && knc_ring3_init())
		fprintf(stderr, "uneven: no counters: start it by knc-pmuctl grant\n");
	else if (rank)
		knc_ring3_init();
	for (step = 0; step < steps; step++) {
		count(&mine, TURNS * (rank + 1UL));
		MPI_Allreduce(&mine.branches, &sum, 1, MPI_UNSIGNED_LONG, MPI_SUM, MPI_COMM_WORLD);
	}
	MPI_Gather(&mine, sizeof(mine), MPI_BYTE, all, sizeof(mine), MPI_BYTE, 0, MPI_COMM_WORLD);
	if (!rank) {
		print_all(all, ranks);
		printf("all ranks: %lu branches\n", sum);
	}
	MPI_Finalize();
	return 0;
}
