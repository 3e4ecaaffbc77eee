/* SPDX-License-Identifier: GPL-2.0 */
/* Forms of output: table.c, csv.c, json.c */
#ifndef KNC_CTL_STAT_PRINTER_H
#define KNC_CTL_STAT_PRINTER_H

#include <stdio.h>

#include "stat/report.h"

/* The forms of output. @time: seconds since the start; @status: exit status of the command */

/**
 * struct printer - a form of output
 * @started: the command runs: says whose counts will come; NULL: nothing is said
 * @begin: prints the head; NULL: there is none
 * @interval: prints the counts of an interval
 * @total: prints the counts of the whole run
 */
struct printer {
	void (*started)(FILE *f);
	void (*begin)(FILE *f, const struct report *r);
	void (*interval)(FILE *f, const struct report *r, double time);
	void (*total)(FILE *f, const struct report *r, int status);
};

/* Print what is counted: the target, the command */
void print_counted(FILE *f, const struct stat_opts *opts);

extern const struct printer table_printer;
extern const struct printer csv_printer;
extern const struct printer json_printer;

#endif /* KNC_CTL_STAT_PRINTER_H */
