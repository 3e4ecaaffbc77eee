# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2317 # functions by name
#
# Functions for scripts that look at the screen of knc-pmuctl top, in a terminal of tmux whose
# session is "top"

socket=/run/knc-test-tmux

mux()
{
	LC_ALL=C.UTF-8 tmux -S "$socket" -f /dev/null "$@"
}

screen()
{
	mux capture-pane -p -t top
}

shows()
{
	line_of "$(screen)" "$1"
}

# shown NAME REGEX: a test: REGEX appears on the screen
shown()
{
	if until_true shows "$2"; then
		ok "$1"
	else
		not_ok "$1" "no '$2' in '$(screen)'"
	fi
}

keys()
{
	mux send-keys -t top "$@"
}
