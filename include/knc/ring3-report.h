/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * The report of regions, for ring3-regions.h, the only file that includes this: sums over the
 * threads' trees, printed as a table, CSV or JSON. Only knc_regions_report() is public.
 */
#ifndef KNC_RING3_REPORT_H
#define KNC_RING3_REPORT_H

/* A row of the report: all nodes with one name */
struct knc_r3_row {
	const char *name;
	unsigned long visits;
	int measured;			/* some visits were measured, not only counted */
	struct {
		unsigned long visits;	/* those in which this value was measured */
		unsigned long inclusive, exclusive, sum, min, max;
	} v[KNC_R3_VALUES];
};

KNC_R3_INLINE unsigned long knc_r3_less(unsigned long a, unsigned long b)
{
	return a > b ? a - b : 0;
}

KNC_R3_OUT struct knc_r3_row *knc_r3_row(struct knc_r3_row **rows, size_t *nr,
					 const char *name)
{
	struct knc_r3_row *r;
	size_t i;

	for (i = 0; i < *nr; i++)
		if (!strcmp((*rows)[i].name, name))
			return &(*rows)[i];
	r = (struct knc_r3_row *)realloc(*rows, (*nr + 1) * sizeof(*r));
	if (!r)
		return NULL;
	*rows = r;
	r += (*nr)++;
	memset(r, 0, sizeof(*r));
	r->name = name;
	for (i = 0; i < KNC_R3_VALUES; i++)
		r->v[i].min = ~0UL;
	return r;
}

KNC_R3_OUT int knc_r3_is_outermost(const struct knc_r3_node *n)
{
	const struct knc_r3_node *up = n->parent;

	for (; up->site; up = up->parent)
		if (!strcmp(up->site->name, n->site->name))
			return 0;
	return 1;
}

/* Add node @n to its row. @counts: its corrected counts; @nested: those of its children */
KNC_R3_OUT void knc_r3_sum_node(struct knc_r3_row *r,
				const struct knc_r3_node *n,
				const unsigned long *counts,
				const unsigned long *nested)
{
	const struct knc_r3_cost *cost = n->site->cost;
	int i, outermost = knc_r3_is_outermost(n);
	unsigned long least, most;

	r->visits += n->visits;
	if (!n->visits)
		return;
	r->measured = 1;
	for (i = 0; i < KNC_R3_VALUES; i++) {
		if (n->v[i].min == ~0UL)
			continue;
		least = knc_r3_less(n->v[i].min, cost->inside[i]);
		most = knc_r3_less(n->v[i].min + n->v[i].range,
				   cost->inside[i]);
		if (n->visits == 1) {
			least = counts[i];
			most = counts[i];
		}
		r->v[i].visits += n->visits;
		r->v[i].sum += counts[i];
		r->v[i].exclusive += knc_r3_less(counts[i], nested[i]);
		if (outermost)
			r->v[i].inclusive += counts[i];
		if (least < r->v[i].min)
			r->v[i].min = least;
		if (most > r->v[i].max)
			r->v[i].max = most;
	}
}

/* Sums of a subtree, made from the leaves up, without the cost of the regions */
struct knc_r3_sums {
	unsigned long counts[KNC_R3_VALUES];	/* of a node, corrected */
	unsigned long nested[KNC_R3_VALUES];	/* of its children */
	unsigned long cost[KNC_R3_VALUES];	/* of all regions in the subtree */
};

KNC_R3_OUT int knc_r3_sum_thread(const struct knc_r3_thread *t,
				 struct knc_r3_row **rows, size_t *nr)
{
	unsigned int k, nodes = t->nr_nodes;
	const struct knc_r3_node *n;
	struct knc_r3_sums *sums, *s, *up;
	struct knc_r3_row *r;
	int i;

	sums = (struct knc_r3_sums *)calloc(nodes, sizeof(*sums));
	if (!sums)
		return 0;
	for (k = nodes - 1; k; k--) {
		n = &t->nodes[k];
		s = &sums[k];
		up = &sums[n->parent - t->nodes];
		for (i = 0; i < KNC_R3_VALUES; i++) {
			s->cost[i] += n->slow[i];
			s->counts[i] = knc_r3_less(n->v[i].total, s->cost[i] +
				n->visits * n->site->cost->inside[i]);
			up->nested[i] += s->counts[i];
			up->cost[i] += s->cost[i] +
				n->visits * n->site->cost->all[i];
		}
		/* no visit has ended: the node has no counts */
		if (!n->visits)
			continue;
		r = knc_r3_row(rows, nr, n->site->name);
		if (r)
			knc_r3_sum_node(r, n, s->counts, s->nested);
	}
	free(sums);
	for (k = 0; k < t->nr_flat; k++) {
		r = knc_r3_row(rows, nr, t->flat[k].site->name);
		if (r)
			r->visits += t->flat[k].visits;
	}
	return 1;
}

/* Print a name in quotation marks, with @quote for each one in it */
KNC_R3_OUT void knc_r3_print_name(FILE *file, const char *name,
				  const char *quote)
{
	fputc('"', file);
	for (; *name; name++) {
		if (*name == '"')
			fputs(quote, file);
		else if (*quote == '\\' && *name == '\\')
			fputs("\\\\", file);
		else if (*quote == '\\' && (unsigned char)*name < ' ')
			fprintf(file, "\\u%04x", (unsigned int)*name);
		else
			fputc(*name, file);
	}
	fputc('"', file);
}

KNC_R3_OUT void knc_r3_print_json(FILE *file, const struct knc_r3_row *r,
				  int i, const char *mean)
{
	fputs(", ", file);
	knc_r3_print_name(file, knc_r3_trees.label[i], "\\\"");
	fprintf(file, ": {\"inclusive\": %lu, \"exclusive\": %lu, ",
		r->v[i].inclusive, r->v[i].exclusive);
	fprintf(file, "\"mean\": %s, \"min\": %lu, \"max\": %lu}",
		mean, r->v[i].min, r->v[i].max);
}

KNC_R3_OUT void knc_r3_print_value(FILE *file, int format,
				   const struct knc_r3_row *r, int i)
{
	char mean[32];

	/* a locale may have a comma for %f */
	sprintf(mean, "%lu.%lu", r->v[i].sum / r->v[i].visits,
		r->v[i].sum % r->v[i].visits * 10 / r->v[i].visits);
	if (format == KNC_REPORT_JSON) {
		knc_r3_print_json(file, r, i, mean);
	} else if (format == KNC_REPORT_CSV) {
		knc_r3_print_name(file, r->name, "\"\"");
		fprintf(file, ",%lu,", r->visits);
		knc_r3_print_name(file, knc_r3_trees.label[i], "\"\"");
		fprintf(file, ",%lu,%lu,%s,%lu,%lu\n", r->v[i].inclusive,
			r->v[i].exclusive, mean, r->v[i].min, r->v[i].max);
	} else {
		fprintf(file, "%-20s %10lu  %-22s %15lu %15lu ", r->name,
			r->visits, knc_r3_trees.label[i], r->v[i].inclusive,
			r->v[i].exclusive);
		fprintf(file, "%15s %13lu %13lu\n", mean, r->v[i].min,
			r->v[i].max);
	}
}

KNC_R3_OUT void knc_r3_print_row(FILE *file, int format,
				 const struct knc_r3_row *r)
{
	int i;

	if (format == KNC_REPORT_JSON) {
		fputs("{\"name\": ", file);
		knc_r3_print_name(file, r->name, "\\\"");
		fprintf(file, ", \"visits\": %lu", r->visits);
	} else if (!r->measured && format == KNC_REPORT_CSV) {
		knc_r3_print_name(file, r->name, "\"\"");
		fprintf(file, ",%lu,,,,,,\n", r->visits);
	} else if (!r->measured) {
		fprintf(file, "%-20s %10lu\n", r->name, r->visits);
	}
	for (i = 0; r->measured && i < KNC_R3_VALUES; i++)
		if (r->v[i].min != ~0UL)
			knc_r3_print_value(file, format, r, i);
	if (format == KNC_REPORT_JSON)
		fputc('}', file);
}

/* @beyond: visits that were counted and not measured; @lost: visits that were not even counted */
KNC_R3_OUT void knc_r3_print(FILE *file, int format,
			     const struct knc_r3_row *rows, size_t nr,
			     unsigned long beyond, unsigned long lost)
{
	size_t i;

	if (format == KNC_REPORT_JSON)
		fputs("{\"regions\": [", file);
	else if (format == KNC_REPORT_CSV)
		fputs("region,visits,event,inclusive,exclusive,mean,min,max\n",
		      file);
	else
		fprintf(file, "%-20s %10s  %-22s %15s %15s %15s %13s %13s\n",
			"region", "visits", "event", "inclusive",
			"exclusive", "mean", "min", "max");
	for (i = 0; i < nr; i++) {
		if (format == KNC_REPORT_JSON && i)
			fputs(",\n ", file);
		knc_r3_print_row(file, format, &rows[i]);
	}
	if (format == KNC_REPORT_JSON)
		fprintf(file, "],\n \"not_measured\": %lu, \"lost\": %lu}\n",
			beyond, lost);
	else if (format == KNC_REPORT_TABLE && beyond + lost)
		fprintf(file, "%lu visits were counted but not measured, %lu not even counted: a thread has more than %d paths of regions; build with a larger KNC_REGION_PATHS\n",
			beyond, lost, KNC_REGION_PATHS);
}

/* Name counter @n by its event, from @variable of 'knc-pmuctl grant', unless it has a label */
KNC_R3_OUT void knc_r3_granted(int n, const char *variable, const char *label)
{
	const char *event = getenv(variable);

	if (event && *event && !strcmp(knc_r3_trees.label[n], label))
		knc_r3_trees.label[n] = event;
}

/* Print the counts of all threads so far, also ended ones, without visits that have not ended */
KNC_R3_OUT void knc_regions_report(FILE *file, int format)
{
	unsigned long beyond = 0, lost = 0;
	const struct knc_r3_thread *t;
	struct knc_r3_row *rows = NULL;
	unsigned int i;
	size_t nr = 0;

	knc_r3_granted(0, "KNC_COUNTER0", "counter0");
	knc_r3_granted(1, "KNC_COUNTER1", "counter1");
	for (t = knc_r3_trees.threads; t; t = t->next) {
		lost += t->lost;
		for (i = 0; i < t->nr_flat; i++)
			beyond += t->flat[i].visits;
		if (!knc_r3_sum_thread(t, &rows, &nr))
			fputs("knc: a thread is missing in the report: no memory\n",
			      stderr);
	}
	knc_r3_print(file, format, rows, nr, beyond, lost);
	free(rows);
}

/* The rank of an MPI process, as knc-pmuctl finds it (tools/ctl/cli/rank.c), or the process id */
KNC_R3_OUT void knc_r3_rank(char *text)
{
	static const char * const names[] = {
		"OMPI_COMM_WORLD_RANK", "MV2_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK",
		"SLURM_PROCID", NULL
	};
	const char *rank = NULL;
	size_t i;

	for (i = 0; !rank && names[i]; i++)
		rank = getenv(names[i]);
	/* only digits, because the rank becomes part of a file name */
	if (rank && *rank && strlen(rank) < 16 &&
	    strspn(rank, "0123456789") == strlen(rank))
		strcpy(text, rank);
	else
		sprintf(text, "%ld", (long)getpid());
}

/* Open the file for the report. In its name %p is the process id, %r the rank, %% a % */
KNC_R3_OUT FILE *knc_r3_open(const char *name)
{
	char path[4096];
	size_t n = 0;

	for (; *name && n < sizeof(path) - 32; name++) {
		path[n] = *name;
		path[n + 1] = '\0';
		if (*name == '%' && name[1] == 'p')
			sprintf(path + n, "%ld", (long)getpid());
		else if (*name == '%' && name[1] == 'r')
			knc_r3_rank(path + n);
		name += *name == '%' && (name[1] == 'p' || name[1] == 'r' || name[1] == '%');
		n += strlen(path + n);
	}
	path[n] = '\0';
	if (*name)
		errno = ENAMETOOLONG;
	return *name ? NULL : fopen(path, "w");
}

/* The format at the start of $KNC_REGIONS; -1: "none" */
KNC_R3_OUT int knc_r3_format(const char *wanted)
{
	static const char * const names[] = { "table", "csv", "json", "none" };
	size_t length = strcspn(wanted, ":"), i;

	for (i = 0; i < 4; i++)
		if (strlen(names[i]) == length && !strncmp(names[i], wanted, length))
			return i == 3 ? -1 : (int)i;
	fprintf(stderr, "knc: $KNC_REGIONS is '%s', which is no format: use table, csv, json or none; here is a table\n",
		wanted);
	return KNC_REPORT_TABLE;
}

/* Print the report: $KNC_REGIONS is none, table, csv or json, and perhaps a colon and a file */
KNC_R3_OUT void knc_r3_at_exit(void)
{
	const char *wanted = getenv("KNC_REGIONS"), *name;
	FILE *file = stderr;
	int format;

	if (!knc_r3_trees.threads)
		return;
	if (!wanted || !*wanted)
		wanted = "table";
	format = knc_r3_format(wanted);
	if (format < 0)
		return;
	name = strchr(wanted, ':');
	if (name && name[1])
		file = knc_r3_open(name + 1);
	if (!file) {
		fprintf(stderr, "knc: the report of regions can't be written to %s: %s; name another file in $KNC_REGIONS\n",
			name + 1, strerror(errno));
		return;
	}
	knc_regions_report(file, format);
	if (file != stderr)
		fclose(file);
}

#endif /* KNC_RING3_REPORT_H */
