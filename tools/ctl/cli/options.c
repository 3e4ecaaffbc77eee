// SPDX-License-Identifier: GPL-2.0
/* Messages, options and output that the subcommands share */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <knc/regs.h>

#include "cli/ctl.h"

#define MAX_MESSAGE	(16 << 10)

/* One line, also with a newline in a name. Memory may be out: it takes none. */
static void message(const char *fmt, va_list ap, const char *tail)
{
	static char raw[MAX_MESSAGE], text[4 * MAX_MESSAGE];

	vsnprintf(raw, sizeof(raw), fmt, ap);
	kncpmu_clean(raw, strlen(raw), text, sizeof(text));
	fflush(stdout);
	fprintf(stderr, "%s: %s%s\n", PROGRAM, text, tail);
}

int complain(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	message(fmt, ap, "");
	va_end(ap);
	return CTL_FAILED;
}

int usage_error(const struct command *cmd, const char *fmt, ...)
{
	char tail[64];
	va_list ap;

	snprintf(tail, sizeof(tail), "; see: %s help%s%s", PROGRAM,
		 cmd ? " " : "", cmd ? cmd->name : "");
	va_start(ap, fmt);
	message(fmt, ap, tail);
	va_end(ap);
	return CTL_USAGE;
}

int explain(const struct kncpmu_failure *failure)
{
	struct kncpmu_error err;

	kncpmu_explain(failure, &err);
	return complain("%s", err.text);
}

int explain_op(enum kncpmu_op op, int error, unsigned int cpu)
{
	struct kncpmu_failure failure = { .op = op, .error = error, .cpu = cpu };

	return explain(&failure);
}

void print_usage(const struct command *cmd)
{
	unsigned int i;

	for (i = 0; cmd->usage[i]; i++)
		printf("%s\n", cmd->usage[i]);
}

/*
 * Say what getopt_long() did not like. It has not gone on from @at if that was a
 * letter before others; then argv[optind - 1] is not what was wrong.
 */
static int bad_option(const struct command *cmd, char **argv, int opt, int at)
{
	const char *option = argv[optind - 1];
	char letter[3] = "-?";

	if (optopt && (optind == at || strncmp(option, "--", 2))) {
		letter[1] = optopt;
		option = letter;
	} else if (optopt && opt == '?') {
		return usage_error(cmd, "option %.*s takes no argument",
				   (int)strcspn(option, "="), option);
	}
	if (opt == ':')
		return usage_error(cmd, "option %s needs an argument", option);
	return usage_error(cmd, "unknown option %s", option);
}

int parse_options(const struct command *cmd, int argc, char **argv,
		  option_fn take, void *ctx, int *status)
{
	int opt, at;

	opterr = 0;
	optind = 1;
	while (1) {
		at = optind;
		opt = getopt_long(argc, argv, cmd->shorts, cmd->longs, NULL);
		if (opt == -1)
			return 0;
		if (opt == 'h') {
			print_usage(cmd);
			*status = CTL_OK;
			return 1;
		}
		if (opt == ':' || opt == '?')
			*status = bad_option(cmd, argv, opt, at);
		else
			*status = take(cmd, ctx, opt, optarg);
		if (*status)
			return 1;
	}
}

int parse_only_options(const struct command *cmd, int argc, char **argv,
		       option_fn take, void *ctx, int *status)
{
	if (parse_options(cmd, argc, argv, take, ctx, status))
		return 1;
	if (optind == argc)
		return 0;
	*status = usage_error(cmd, "%s takes no operand and got '%s'", cmd->name,
			      argv[optind]);
	return 1;
}

int parse_cpus(const struct command *cmd, const char *text,
	       struct kncpmu_cpus *cpus)
{
	struct kncpmu_error err;

	if (kncpmu_cpus_parse(text, cpus, &err))
		return usage_error(cmd, "%s", err.text);
	if (kncpmu_cpus_check(cpus, &err))
		return complain("%s", err.text);
	return 0;
}

int take_cpus(const struct command *cmd, int opt, const char *arg,
	      struct kncpmu_cpus *cpus, int *given)
{
	if (*given)
		return usage_error(cmd,
				   "CPUs are given twice: give them once, as in -C 0-3,8");
	*given = 1;
	return opt == 'a' ? online_cpus(cpus) : parse_cpus(cmd, arg, cpus);
}

int open_device(void)
{
	int fd = kncpmu_open(NULL);

	if (fd >= 0)
		return fd;
	explain_op(KNCPMU_OP_OPEN, fd, 0);
	return -1;
}

int with_device(int (*work)(int fd, void *ctx), void *ctx)
{
	int status, fd = open_device();

	if (fd < 0)
		return CTL_FAILED;
	status = work(fd, ctx);
	kncpmu_close(fd);
	return status;
}

int configure(int fd, const struct kncpmu_cpus *cpus,
	      struct knc_pmu_event *events, unsigned int nr)
{
	struct knc_pmu_config config;
	struct kncpmu_failure failure = {
		.op = KNCPMU_OP_CONFIG,
		.config = &config,
		.events = events,
	};

	failure.error = kncpmu_config(fd, cpus, events, nr, 0, &config);
	return failure.error ? explain(&failure) : 0;
}

int cpu_owner(int fd, unsigned int cpu, struct knc_pmu_owner *owner)
{
	unsigned int counter;
	int ret;

	for (counter = 0; counter < KNC_NR_COUNTERS; counter++) {
		ret = kncpmu_owner(fd, cpu, counter, owner);
		if (ret)
			return ret;
		if (owner->flags & KNC_PMU_OWNER_SESSION)
			return 1;
	}
	return 0;
}

int online_cpus(struct kncpmu_cpus *cpus)
{
	int ret = kncpmu_cpus_online(cpus);

	if (!ret)
		return 0;
	return complain("can't tell which CPUs are online (%s): mount /sys, or name them with -C",
			strerror(-ret));
}

unsigned int terminal_width(FILE *f)
{
	const char *columns = getenv("COLUMNS");
	struct winsize size;

	if (!isatty(fileno(f)))
		return 0;
	if (columns && atoi(columns) > 0)
		return atoi(columns);
	if (ioctl(fileno(f), TIOCGWINSZ, &size) || !size.ws_col)
		return 80;
	return size.ws_col;
}

void print_wrapped(FILE *f, const char *text, unsigned int indent,
		   unsigned int width)
{
	unsigned int column = indent, len;

	while (*text) {
		len = strcspn(text, " ");
		if (column > indent && width && column + 1 + len > width) {
			fprintf(f, "\n%*s", (int)indent, "");
			column = indent;
		}
		column += fprintf(f, "%s%.*s", column > indent ? " " : "",
				  (int)len, text);
		text += len + (text[len] == ' ');
	}
	fputc('\n', f);
}

int print_json(FILE *f, json_t *value, size_t flags)
{
	int ret;

	if (!value)
		return complain("out of memory");
	ret = json_dumpf(value, f, flags | JSON_REAL_PRECISION(12));
	json_decref(value);
	if (ret)
		return complain("can't write JSON: no space left, or the output was closed");
	fputc('\n', f);
	return 0;
}

void sources_text(unsigned int sources, char *text, size_t size)
{
	unsigned int bit;
	size_t len = 0;

	text[0] = '\0';
	for (bit = 0; kncpmu_source_name(bit) && len < size; bit++) {
		if (sources & 1U << bit)
			len += snprintf(text + len, size - len, "%s%s",
					len ? "," : "", kncpmu_source_name(bit));
	}
}

json_t *sources_json(unsigned int sources)
{
	json_t *array = json_array();
	unsigned int bit;

	for (bit = 0; kncpmu_source_name(bit); bit++) {
		if (sources & 1U << bit)
			json_array_append_new(array, json_string(kncpmu_source_name(bit)));
	}
	return array;
}
