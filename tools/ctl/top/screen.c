// SPDX-License-Identifier: GPL-2.0
/*
 * knc-pmuctl top: the terminal and its keys
 *
 * The terminal is restored at every end of the program: keys, signals, errors, and also
 * crashes, if they raise a signal that can be handled.
 */
#include <curses.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <term.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "cli/array.h"
#include "cli/clock.h"
#include "cli/message.h"
#include "top/display.h"
#include "top/signals.h"

#define MIN_COLUMNS	30
#define TITLE_LINES	2	/* title, state */
#define FOOT_LINES	2	/* sum and keys */
#define MIN_LINES	(TITLE_LINES + 2 + FOOT_LINES)	/* a heading and a row */
#define KEY_ESCAPE	27
#define KEY_DELETE	127

static const char * const help[] = {
	"keys",
	"",
	"  t             switch between hardware threads and processes",
	"  e             show the next set of events",
	"  E             choose events: EVENT[/COUNTER][:MODIFIERS],...; or cmt/llc_occupancy/",
	"  < > or arrows sort by the column to the left, to the right",
	"  r             reverse the order",
	"  up, down      scroll; also page up, page down, home",
	"  space         freeze, go on",
	"  h             show this text",
	"  q             quit",
	"",
	"Counts are those of one interval, levels those of its end.",
	"*  core-wide: of all threads of the core",
	"~  an estimate: more than two events take turns on the counters",
	"?  a rough estimate: from fewer than 20 turns, or on the emulated card, whose speed",
	"   depends on the events",
	"-  not counted",
	"+  a stand-in: packed SSE operations, in the place of the vector unit's",
	"!  not program-related: other cores cause it, whatever the program does",
	"",
	"any key: back",
	NULL
};

/**
 * struct screen - the state of the terminal
 * @t: the counts
 * @place: the columns
 * @left_out: the columns that don't fit; "": all fit
 * @first_row: the first row that is shown
 * @frozen: the counts on the screen do not change
 * @helping: the help is shown
 * @editing: the user is typing events
 * @typed: the events so far
 * @quit: the program is to end
 * @status: the exit status
 */
struct screen {
	struct top *t;
	struct top_columns place;
	char left_out[512];
	unsigned int first_row;
	int frozen;
	int helping;
	int editing;
	char typed[512];
	int quit;
	int status;
};

/* crashes */

static struct termios saved_terminal;
static char restore_text[128];

/* Signal handler: restores the terminal with async-signal-safe functions only */
static void on_crash(int sig)
{
	if (write(STDOUT_FILENO, restore_text, strlen(restore_text)) < 0)
		_exit(CTL_SIGNAL + sig);
	tcsetattr(STDIN_FILENO, TCSANOW, &saved_terminal);
	raise(sig);
}

static void append_capability(const char *name)
{
	const char *text = tigetstr(name);
	size_t len = strlen(restore_text);

	if (text && text != (const char *)-1)
		snprintf(restore_text + len, sizeof(restore_text) - len, "%s", text);
}

static void prepare_for_crashes(void)
{
	static const int signals[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT };
	struct sigaction action;
	unsigned int i;

	append_capability("sgr0");
	append_capability("rmkx");
	append_capability("cnorm");
	append_capability("rmcup");
	memset(&action, 0, sizeof(action));
	action.sa_handler = on_crash;
	action.sa_flags = SA_RESETHAND | SA_NODEFER;
	for (i = 0; i < ARRAY_SIZE(signals); i++)
		sigaction(signals[i], &action, NULL);
}

/* drawing */

/* Print a line, cut off at the width of the terminal */
static void put_line(int y, const char *text)
{
	if (y < LINES)
		mvaddnstr(y, 0, text, COLS);
}

static void draw_title(const struct screen *s)
{
	const struct top *t = s->t;
	char text[256];

	snprintf(text, sizeof(text), "%s top: %u %s, %s %.2f s%s", PROGRAM, t->nr_rows,
		 t->mode == TOP_THREADS ? "hardware threads" : "processes",
		 top_interval_word(t), t->interval / 1e9,
		 s->frozen ? "  [frozen, space: go on]" : "");
	attron(A_BOLD);
	put_line(0, text);
	attroff(A_BOLD);
}

static void draw_state(const struct screen *s)
{
	const struct top *t = s->t;
	char text[1024];

	if (s->editing)
		snprintf(text, sizeof(text), "events: %s", s->typed);
	else if (t->message.text[0])
		snprintf(text, sizeof(text), "%s", t->message.text);
	else
		snprintf(text, sizeof(text), "set %u of %u: %s; ordered by %s%s", t->set_index + 1,
			 top_nr_sets(t), t->set.name, top_column_title(t, t->sort),
			 t->reverse ? ", the other way round" : "");
	put_line(1, text);
	if (s->editing)
		move(1, strlen(text) < (size_t)COLS ? (int)strlen(text) : COLS - 1);
}

/* Decide what fits: a low window has fewer lines of headings */
static void arrange(struct screen *s)
{
	unsigned int most = LINES - MIN_LINES + 1, nr;
	char names[sizeof(s->left_out) - 32];

	top_place(s->t, COLS, &s->place);
	nr = top_left_out(s->t, &s->place, names, sizeof(names));
	s->left_out[0] = '\0';
	if (nr)
		snprintf(s->left_out, sizeof(s->left_out), "%u too wide, left out: %s", nr, names);
	if (nr && most > 1)
		most--;
	if (s->place.nr_lines > most)
		s->place.nr_lines = most;
}

/* Lines above and below the rows */
static unsigned int head_lines(const struct screen *s)
{
	return TITLE_LINES + s->place.nr_lines;
}

static unsigned int foot_lines(const struct screen *s)
{
	return FOOT_LINES + (s->left_out[0] && LINES > MIN_LINES);
}

static void draw_heading(const struct screen *s)
{
	unsigned int i, column = s->t->sort;
	char line[TOP_LINE];

	attron(A_REVERSE);
	for (i = 0; i < s->place.nr_lines; i++) {
		top_heading_line(s->t, &s->place, i, line, sizeof(line));
		mvhline(TITLE_LINES + i, 0, ' ', COLS);
		put_line(TITLE_LINES + i, line);
		if (s->place.width[column])
			mvchgat(TITLE_LINES + i, s->place.first[column],
				s->place.width[column], A_REVERSE | A_BOLD | A_UNDERLINE, 0, NULL);
	}
	attroff(A_REVERSE);
}

/* The number of rows that fit */
static unsigned int room(const struct screen *s)
{
	int rows = getmaxy(stdscr) - head_lines(s) - foot_lines(s);

	return rows > 0 ? rows : 1;
}

static void draw_rows(struct screen *s)
{
	const struct top *t = s->t;
	unsigned int i, at = head_lines(s);
	char line[TOP_LINE];

	if (s->first_row + room(s) > t->nr_rows)
		s->first_row = t->nr_rows > room(s) ? t->nr_rows - room(s) : 0;
	for (i = 0; i < room(s) && s->first_row + i < t->nr_rows; i++) {
		top_line(t, &t->rows[s->first_row + i], &s->place, 0, line, sizeof(line));
		put_line(at + i, line);
	}
	if (!t->nr_rows) {
		put_line(at, "counting ...");
		return;
	}
	top_line(t, &t->total, &s->place, 0, line, sizeof(line));
	attron(A_BOLD);
	put_line(at + i, line);
	attroff(A_BOLD);
}

static void draw_foot(const struct screen *s)
{
	const struct top *t = s->t;
	char text[512];
	size_t len;
	unsigned int i;

	len = snprintf(text, sizeof(text), "h help  q quit  t %s  e events  <> order  space %s",
		       t->mode == TOP_THREADS ? "processes" : "threads",
		       s->frozen ? "go on" : "freeze");
	for (i = 0; top_remark(t, i) && len < sizeof(text); i++)
		len += snprintf(text + len, sizeof(text) - len, "  | %s", top_remark(t, i));
	attron(A_DIM);
	if (foot_lines(s) > FOOT_LINES)
		put_line(LINES - FOOT_LINES, s->left_out);
	put_line(LINES - 1, text);
	attroff(A_DIM);
}

static void draw_help(void)
{
	unsigned int i;

	for (i = 0; help[i]; i++)
		put_line(i, help[i]);
}

static void draw(struct screen *s)
{
	erase();
	curs_set(s->editing ? 1 : 0);
	if (s->helping) {
		draw_help();
	} else if (LINES < MIN_LINES || COLS < MIN_COLUMNS) {
		put_line(0, "make the window larger");
	} else {
		arrange(s);
		draw_title(s);
		draw_heading(s);
		draw_rows(s);
		draw_foot(s);
		draw_state(s);
	}
	refresh();
}

/* keys */

static void move_sort(struct top *t, int by)
{
	unsigned int n = top_nr_columns(t);

	do
		t->sort = (t->sort + n + by) % n;
	while (!top_column_title(t, t->sort));
}

static void move_rows(struct screen *s, int by)
{
	if (by < 0 && s->first_row < (unsigned int)-by)
		s->first_row = 0;
	else
		s->first_row += by;
}

static void accept_typed(struct screen *s)
{
	struct top_set set;

	s->editing = 0;
	if (!s->typed[0])
		return;
	if (!top_parse_set(&set, s->typed, &s->t->message))
		top_change_set(s->t, &set);
}

static void edit_key(struct screen *s, int key)
{
	size_t len = strlen(s->typed);

	if (key == '\n' || key == '\r' || key == KEY_ENTER)
		accept_typed(s);
	else if (key == KEY_ESCAPE)
		s->editing = 0;
	else if ((key == KEY_BACKSPACE || key == KEY_DELETE || key == '\b') && len)
		s->typed[len - 1] = '\0';
	else if (key > ' ' && key < KEY_DELETE && len + 1 < sizeof(s->typed))
		s->typed[len] = key;
}

static void begin_editing(struct screen *s)
{
	memset(s->typed, 0, sizeof(s->typed));
	s->editing = 1;
}

/* Handle a key that scrolls; returns 0 for other keys */
static int scroll_key(struct screen *s, int key)
{
	switch (key) {
	case KEY_UP:
		move_rows(s, -1);
		return 1;
	case KEY_DOWN:
		move_rows(s, 1);
		return 1;
	case KEY_PPAGE:
		move_rows(s, -(int)room(s));
		return 1;
	case KEY_NPAGE:
		move_rows(s, room(s));
		return 1;
	case KEY_HOME:
		s->first_row = 0;
		return 1;
	}
	return 0;
}

static void command_key(struct screen *s, int key)
{
	struct top *t = s->t;

	switch (key) {
	case 'q':
	case 'Q':
		s->quit = 1;
		break;
	case 'h':
	case '?':
		s->helping = 1;
		break;
	case ' ':
		s->frozen = !s->frozen;
		break;
	case 't':
		top_change_mode(t);
		break;
	case 'e':
		top_change_set(t, NULL);
		break;
	case 'E':
		begin_editing(s);
		break;
	case '<':
	case KEY_LEFT:
		move_sort(t, -1);
		break;
	case '>':
	case KEY_RIGHT:
		move_sort(t, 1);
		break;
	case 'r':
		t->reverse = !t->reverse;
		break;
	}
}

static void take_key(struct screen *s, int key)
{
	if (key == KEY_RESIZE)
		return;
	if (s->helping) {
		s->helping = 0;
		return;
	}
	if (s->editing) {
		edit_key(s, key);
		return;
	}
	s->t->message.text[0] = '\0';
	if (scroll_key(s, key))
		return;
	command_key(s, key);
	top_sort(s->t);
}

/* Handle all typed keys; returns 1 if sessions were opened, which begins a new interval */
static int take_keys(struct screen *s)
{
	unsigned int opened = s->t->opened;
	int key;

	while (!s->quit && (key = getch()) != ERR)
		take_key(s, key);
	return opened != s->t->opened;
}

/* Wait until a key, a signal or @until; returns 0 if the terminal is gone */
static int wait_for_keys(unsigned long long until)
{
	unsigned long long now = now_ns(), left = until > now ? until - now : 0;
	const struct timespec ts = {
		.tv_sec = left / NSEC_PER_SEC,
		.tv_nsec = left % NSEC_PER_SEC,
	};
	struct pollfd fds[] = {
		{ .fd = STDIN_FILENO, .events = POLLIN },
		{ .fd = top_signal_fd(), .events = POLLIN },
	};

	if (ppoll(fds, ARRAY_SIZE(fds), &ts, NULL) <= 0)
		return 1;
	return !(fds[0].revents & (POLLHUP | POLLERR | POLLNVAL));
}

/* Give the terminal back while the program is stopped; its size may change meanwhile */
static void stop(void)
{
	endwin();
	top_stop();
	raise(SIGWINCH);
}

static void run(struct screen *s)
{
	unsigned long long now, next, last = now_ns();
	struct top *t = s->t;
	unsigned int n = 0;

	next = last + t->delay;

	while (!s->quit && !(t->count && n >= t->count)) {
		draw(s);
		if (!wait_for_keys(next) || top_signal())
			break;
		if (top_stop_asked())
			stop();
		if (take_keys(s)) {
			s->frozen = 0;
			last = now_ns();
			next = last + t->delay;
		}
		now = now_ns();
		if (now < next || s->quit)
			continue;
		next = now + t->delay;
		if (s->frozen)
			continue;
		t->interval = now - last;
		last = now;
		n++;
		if (top_refresh(t, &t->message)) {
			s->status = CTL_FAILED;
			break;
		}
	}
}

static int unknown_terminal(const char *name)
{
	if (!name || !*name)
		return complain("TERM is not set: set it to the type of the terminal, or use -b");
	return complain("unknown type of terminal '%s' (TERM): set a known one, or use -b",
			name);
}

int top_interactive(struct top *t)
{
	struct screen s = { .t = t };
	SCREEN *terminal;

	if (!strcmp(getenv("TERM") ? : "", "dumb"))
		return complain("this terminal has no screen (TERM=dumb): use -b for plain text");
	tcgetattr(STDIN_FILENO, &saved_terminal);
	terminal = newterm(NULL, stdout, stdin);
	if (!terminal)
		return unknown_terminal(getenv("TERM"));
	prepare_for_crashes();
	cbreak();
	noecho();
	nonl();
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	set_escdelay(25);
	run(&s);
	endwin();
	delscreen(terminal);
	if (s.status)
		return complain("%s", t->message.text);
	return top_signal() ? CTL_SIGNAL + top_signal() : CTL_OK;
}
