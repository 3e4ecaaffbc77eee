// SPDX-License-Identifier: GPL-2.0
/*
 * Formulas of metrics
 *
 *	sum	= product { ("+" | "-") product }
 *	product	= factor { ("*" | "/") factor }
 *	factor	= "-" factor | "(" sum ")" | number [ "[" unit "]" ] | name
 *
 * They are parsed into steps in reverse Polish notation, which are executed with a stack of
 * units to check the formula, and with a stack of values to evaluate it.
 */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json/text.h"
#include "metric/passes.h"
#include "metric/unit.h"
#include "metric/value.h"

#define MAX_NESTING	16	/* of parentheses and signs */
#define MAX_STEPS	256
/* At each level: the left operands of a sum and of a product */
#define STACK		(2 * (MAX_NESTING + 1) + 1)

static const char * const quantity_names[NR_METRIC_QUANTITIES] = {
	[METRIC_TIME] = "time",
	[METRIC_TSC] = "tsc",
	[METRIC_THREADS] = "threads",
	[METRIC_CORES] = "cores",
};

/**
 * struct parser - the state of metric_expr_parse()
 * @ms: receives the events
 * @text: the formula
 * @at: index of the next character
 * @nesting: present number of levels
 * @steps: the steps so far
 * @nr: number of steps
 * @err: the error, out
 */
struct parser {
	struct metrics *ms;
	const char *text;
	unsigned int at;
	unsigned int nesting;
	struct metric_step steps[MAX_STEPS];
	unsigned int nr;
	struct kncpmu_error *err;
};

/* Write an error with "at character N: " before it; returns -EINVAL */
__printf(3, 4)
static int fail(struct kncpmu_error *err, unsigned int at, const char *fmt, ...)
{
	va_list ap;
	int len;

	len = snprintf(err->text, sizeof(err->text), "at character %u: ", at);
	va_start(ap, fmt);
	vsnprintf(err->text + len, sizeof(err->text) - len, fmt, ap);
	va_end(ap);
	return -EINVAL;
}

int metric_quantity_find(const char *name)
{
	unsigned int i;

	for (i = 0; i < NR_METRIC_QUANTITIES; i++) {
		if (!strcmp(quantity_names[i], name))
			return i;
	}
	return -1;
}

static char next_char(struct parser *p)
{
	while (isspace((unsigned char)p->text[p->at]))
		p->at++;
	return p->text[p->at];
}

/* Append a step; @at counts from 0, the step's position from 1 */
static struct metric_step *add_step(struct parser *p, enum metric_op op, unsigned int at)
{
	struct metric_step *step = &p->steps[p->nr];

	if (p->nr == MAX_STEPS) {
		fail(p->err, at + 1, "the formula is too long: make two metrics of it");
		return NULL;
	}
	memset(step, 0, sizeof(*step));
	step->op = op;
	step->at = at + 1;
	p->nr++;
	return step;
}

static int parse_unit(struct parser *p, struct metric_step *step)
{
	unsigned int begin = p->at + 1;
	struct metric_unit unit;
	struct kncpmu_error err;
	size_t len = strcspn(p->text + begin, "]");

	if (!p->text[begin + len])
		return fail(p->err, begin, "the '[' has no ']'");
	if (metric_unit_parse(p->text + begin, len, &unit, &err))
		return fail(p->err, begin + 1, "%s", err.text);
	step->number *= unit.scale;
	step->dim = unit.dim;
	p->at = begin + len + 1;
	return 0;
}

/* Numbers as in JSON, whose library ignores the decimal point of the locale */
static int parse_number(struct parser *p)
{
	unsigned int begin = p->at;
	size_t len = strspn(p->text + begin, "0123456789.");
	struct metric_step *step;
	json_t *value;

	if (tolower((unsigned char)p->text[begin + len]) == 'e') {
		len++;
		len += strspn(p->text + begin + len, "+-");
		len += strspn(p->text + begin + len, "0123456789");
	}
	value = json_loadb(p->text + begin, len, JSON_DECODE_ANY, NULL);
	if (!json_is_number(value)) {
		json_decref(value);
		return fail(p->err, begin + 1, "'%.*s' is no number", (int)len,
			    p->text + begin);
	}
	step = add_step(p, METRIC_OP_NUMBER, begin);
	if (step)
		step->number = json_number_value(value);
	json_decref(value);
	if (!step)
		return -EINVAL;
	p->at += len;
	return next_char(p) == '[' ? parse_unit(p, step) : 0;
}

/* Add a name that is no quantity and no metric: an event, or unknown */
static int add_event(struct parser *p, const char *name, unsigned int at)
{
	struct metric_step *step;
	struct kncpmu_error err;
	char near[128];
	int index;

	index = metric_event(p->ms, name, &err);
	if (index == -ENOENT) {
		metric_suggest(p->ms, name, near, sizeof(near));
		return fail(p->err, at + 1, "no event, metric or quantity is called '%s':%s",
			    name, near);
	}
	if (index < 0)
		return fail(p->err, at + 1, "%s", err.text);
	step = add_step(p, METRIC_OP_EVENT, at);
	if (!step)
		return -EINVAL;
	step->index = index;
	return 0;
}

static int parse_name(struct parser *p)
{
	unsigned int at = p->at, len = 0;
	struct metric_step *step;
	enum metric_op op = METRIC_OP_QUANTITY;
	char name[KNCPMU_SPEC_LEN];
	int index;

	/* an event may have modifiers; names of hosts' events have dots */
	while (isalnum((unsigned char)p->text[at + len]) ||
	       (p->text[at + len] && strchr("_:=.", p->text[at + len])))
		len++;
	if (len >= sizeof(name))
		return fail(p->err, at + 1, "a name of %u characters is too long", len);
	memcpy(name, p->text + at, len);
	name[len] = '\0';
	p->at += len;

	index = metric_quantity_find(name);
	if (index < 0) {
		index = metric_index(p->ms, name);
		op = METRIC_OP_METRIC;
	}
	if (index < 0)
		return add_event(p, name, at);
	step = add_step(p, op, at);
	if (!step)
		return -EINVAL;
	step->index = index;
	return 0;
}

static int parse_sum(struct parser *p);

static int parse_nested(struct parser *p, unsigned int at)
{
	if (parse_sum(p))
		return -EINVAL;
	if (next_char(p) != ')')
		return fail(p->err, p->at + 1, "the '(' of character %u wants a ')' here",
			    at + 1);
	p->at++;
	return 0;
}

static int parse_factor(struct parser *p)
{
	char c = next_char(p);
	unsigned int at = p->at;
	int ret;

	if (isdigit((unsigned char)c))
		return parse_number(p);
	if (isalpha((unsigned char)c) || c == '_')
		return parse_name(p);
	if (!c)
		return fail(p->err, at + 1, "it ends where a name, a number or '(' is wanted");
	if (c != '(' && c != '-')
		return fail(p->err, at + 1, "there is '%c' where a name, a number or '(' is wanted",
			    c);
	if (p->nesting == MAX_NESTING)
		return fail(p->err, at + 1,
			    "more than %d '(' and '-' in each other: make two metrics of it",
			    MAX_NESTING);
	p->at++;
	p->nesting++;
	ret = c == '(' ? parse_nested(p, at) : parse_factor(p);
	p->nesting--;
	if (!ret && c == '-' && !add_step(p, METRIC_OP_NEG, at))
		return -EINVAL;
	return ret;
}

static int parse_product(struct parser *p)
{
	enum metric_op op;
	unsigned int at;
	char c;

	if (parse_factor(p))
		return -EINVAL;
	for (c = next_char(p); c == '*' || c == '/'; c = next_char(p)) {
		op = c == '*' ? METRIC_OP_MUL : METRIC_OP_DIV;
		at = p->at++;
		if (parse_factor(p) || !add_step(p, op, at))
			return -EINVAL;
	}
	return 0;
}

static int parse_sum(struct parser *p)
{
	enum metric_op op;
	unsigned int at;
	char c;

	if (parse_product(p))
		return -EINVAL;
	for (c = next_char(p); c == '+' || c == '-'; c = next_char(p)) {
		op = c == '+' ? METRIC_OP_ADD : METRIC_OP_SUB;
		at = p->at++;
		if (parse_product(p) || !add_step(p, op, at))
			return -EINVAL;
	}
	return 0;
}

int metric_expr_parse(struct metrics *ms, struct metric *m, struct kncpmu_error *err)
{
	struct parser p = { .ms = ms, .text = m->formula, .err = err };

	if (parse_sum(&p))
		return -EINVAL;
	if (next_char(&p))
		return fail(err, p.at + 1, "there is '%c' where +, -, *, / or the end is wanted",
			    p.text[p.at]);
	m->steps = calloc(p.nr, sizeof(*m->steps));
	if (!m->steps)
		return fail(err, 1, "out of memory");
	memcpy(m->steps, p.steps, p.nr * sizeof(*m->steps));
	m->nr_steps = p.nr;
	return 0;
}

/* Units */

static void dim_of_quantity(enum metric_quantity quantity, struct metric_dim *dim)
{
	memset(dim, 0, sizeof(*dim));
	if (quantity == METRIC_TIME)
		dim->exp[BASE_SECOND] = 1;
	else if (quantity == METRIC_TSC)
		dim->exp[BASE_CYCLE] = 1;
}

static void dim_of_operand(const struct metrics *ms, const struct metric_step *step,
			   struct metric_dim *dim)
{
	switch (step->op) {
	case METRIC_OP_EVENT:
		metric_dim_of_event(ms->pmu, &ms->items[step->index].event, dim);
		break;
	case METRIC_OP_QUANTITY:
		dim_of_quantity(step->index, dim);
		break;
	case METRIC_OP_METRIC:
		*dim = ms->metrics[step->index].unit.dim;
		break;
	default:
		*dim = step->dim;
	}
}

static int misfit(struct kncpmu_error *err, const struct metric_step *step,
		  const struct metric_dim *a, const struct metric_dim *b)
{
	char left[128], right[128];

	metric_dim_format(a, left, sizeof(left));
	metric_dim_format(b, right, sizeof(right));
	return fail(err, step->at, "the units do not fit: %s %c %s", left,
		    step->op == METRIC_OP_ADD ? '+' : '-', right);
}

int metric_expr_check(const struct metrics *ms, const struct metric *m,
		      struct kncpmu_error *err)
{
	struct metric_dim stack[STACK];
	const struct metric_step *step;
	unsigned int i, top = 0;
	char text[128];

	for (i = 0; i < m->nr_steps; i++) {
		step = &m->steps[i];
		switch (step->op) {
		case METRIC_OP_NEG:
			break;
		case METRIC_OP_ADD:
		case METRIC_OP_SUB:
			top--;
			if (!metric_dim_equal(&stack[top - 1], &stack[top]))
				return misfit(err, step, &stack[top - 1], &stack[top]);
			break;
		case METRIC_OP_MUL:
		case METRIC_OP_DIV:
			top--;
			metric_dim_multiply(&stack[top - 1], &stack[top],
					    step->op == METRIC_OP_MUL ? 1 : -1);
			break;
		case METRIC_OP_NUMBER:
		case METRIC_OP_EVENT:
		case METRIC_OP_QUANTITY:
		case METRIC_OP_METRIC:
			dim_of_operand(ms, step, &stack[top++]);
		}
	}
	if (metric_dim_equal(&stack[0], &m->unit.dim))
		return 0;
	metric_dim_format(&stack[0], text, sizeof(text));
	snprintf(err->text, sizeof(err->text),
		 "the unit does not fit: it says %s, the formula is in %s", m->unit_text, text);
	return -EINVAL;
}

/* Values */

static int event_value(const struct metrics *ms, const struct metric_step *step,
		       const struct metric_env *env, struct metric_value *value,
		       double *number)
{
	const struct kncpmu_item *item = &ms->items[step->index];
	struct metric_count count;

	if (env->count_of(env->ctx, item, &count)) {
		snprintf(value->why, sizeof(value->why), "%s was not counted", item->name);
		return -1;
	}
	*number = count.value;
	/* larger values of the enum are less precise */
	if (count.precision > value->precision)
		value->precision = count.precision;
	return 0;
}

static double quantity_value(const struct metric_env *env, enum metric_quantity quantity)
{
	switch (quantity) {
	case METRIC_TIME:
		return env->seconds;
	case METRIC_TSC:
		return env->tsc;
	case METRIC_THREADS:
		return env->threads;
	case METRIC_CORES:
	case NR_METRIC_QUANTITIES:
		break;
	}
	return env->cores;
}

/* Name the divisor that was 0; @divisor is the last step of its formula */
static int divided_by_zero(const struct metrics *ms, const struct metric_step *divisor,
			   struct metric_value *value)
{
	const char *name = "what it is divided by";

	if (divisor->op == METRIC_OP_EVENT)
		name = ms->items[divisor->index].name;
	else if (divisor->op == METRIC_OP_METRIC)
		name = ms->metrics[divisor->index].name;
	else if (divisor->op == METRIC_OP_QUANTITY)
		name = quantity_names[divisor->index];
	snprintf(value->why, sizeof(value->why), "%s is 0", name);
	return -1;
}

static int base_value(const struct metrics *ms, const struct metric *m,
		      const struct metric_env *env, struct metric_value *value,
		      double *number);

/* Get the value of an operand; returns 0, or -1 with the reason in @value */
static int operand_value(const struct metrics *ms, const struct metric_step *step,
			 const struct metric_env *env, struct metric_value *value,
			 double *number)
{
	switch (step->op) {
	case METRIC_OP_EVENT:
		return event_value(ms, step, env, value, number);
	case METRIC_OP_QUANTITY:
		*number = quantity_value(env, step->index);
		return 0;
	case METRIC_OP_METRIC:
		return base_value(ms, &ms->metrics[step->index], env, value, number);
	default:
		*number = step->number;
		return 0;
	}
}

static double combine(enum metric_op op, double a, double b)
{
	switch (op) {
	case METRIC_OP_ADD:
		return a + b;
	case METRIC_OP_SUB:
		return a - b;
	case METRIC_OP_MUL:
		return a * b;
	default:
		return a / b;
	}
}

/* The value in base units. Recursive, for at most MAX_LEVELS metrics (link.c) */
static int base_value(const struct metrics *ms, const struct metric *m,
		      const struct metric_env *env, struct metric_value *value,
		      double *number)
{
	const struct metric_step *step;
	double stack[STACK];
	unsigned int i, top = 0;

	for (i = 0; i < m->nr_steps; i++) {
		step = &m->steps[i];
		if (step->op < METRIC_OP_ADD) {
			if (operand_value(ms, step, env, value, &stack[top++]))
				return -1;
			continue;
		}
		if (step->op == METRIC_OP_NEG) {
			stack[top - 1] = -stack[top - 1];
			continue;
		}
		top--;
		if (step->op == METRIC_OP_DIV && stack[top] == 0)
			return divided_by_zero(ms, step - 1, value);
		stack[top - 1] = combine(step->op, stack[top - 1], stack[top]);
	}
	*number = stack[0];
	return 0;
}

static int limit_asks_cores(const struct metric_limit *limit)
{
	return limit->cores_from || limit->cores_below;
}

int metric_asks_cores(const struct metric *m)
{
	unsigned int i;

	for (i = 0; i < m->nr_limits; i++) {
		if (limit_asks_cores(&m->limits[i]))
			return 1;
	}
	return 0;
}

/* Does the range apply to a card with @cores? */
static int limit_applies(const struct metric_limit *limit, unsigned int cores)
{
	if (!limit_asks_cores(limit))
		return 1;
	return cores && cores >= limit->cores_from &&
	       (!limit->cores_below || cores < limit->cores_below);
}

static int in_limit(const struct metric_limit *limit, double value)
{
	return value >= limit->from && !(limit->above && value == limit->from) &&
	       value < limit->below;
}

void metric_evaluate(const struct metrics *ms, const struct metric *m,
		     const struct metric_env *env, struct metric_value *value)
{
	unsigned int i;

	memset(value, 0, sizeof(*value));
	if (base_value(ms, m, env, value, &value->value))
		return;
	value->value /= m->unit.scale;
	if (!isfinite(value->value)) {
		snprintf(value->why, sizeof(value->why), "the numbers are too large");
		return;
	}
	value->available = 1;
	for (i = 0; i < m->nr_limits && !value->limit; i++) {
		if (limit_applies(&m->limits[i], env->all_cores) &&
		    in_limit(&m->limits[i], value->value))
			value->limit = &m->limits[i];
	}
}
