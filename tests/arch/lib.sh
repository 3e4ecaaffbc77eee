# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Functions of the scripts for hosts. stat's output is in the file $out

ctl=$KNC_PMUCTL
loop=$KNC_TEST_BUILD/loop
out=$TMPDIR/out

# The count of event $1
count_of()
{
	awk -v event="$1" '$2 == event { print $1 }' "$out"
}

# The value of metric $1, whose line has three fields: value, name and unit
value_of()
{
	awk -v metric="$1" '$2 == metric && NF == 3 { print $1 }' "$out"
}

# metric NAME METRIC FORMULA EVENT...: a test: the metric's value is the formula's, in which a,
# b and so on are the counts of the events
metric()
{
	local name=$1 metric=$2 formula=$3 letters=(a b c d) counts=() i
	shift 3
	for ((i = 0; i < $#; i++)); do
		counts+=(-v "${letters[i]}=$(count_of "${@:i+1:1}")")
	done
	equal "$name" "$(value_of "$metric")" "$(awk "${counts[@]}" "BEGIN { printf \"%g\", $formula }")"
}

# within NAME VALUE LOW HIGH: a test: LOW <= VALUE <= HIGH
within()
{
	if awk -v v="$2" -v low="$3" -v high="$4" 'BEGIN { exit !(v != "" && v >= low && v <= high) }'; then
		ok "$1"
	else
		not_ok "$1" "'$2' is not within $3 and $4: $(cat "$out")"
	fi
}

# stat_loop N EVENTS OPTION...: count the events in N rounds of the loop
stat_loop()
{
	local n=$1 events=$2
	shift 2
	"$ctl" stat "$@" -e "$events" -- "$loop" "$n" >/dev/null 2>"$out"
}

# added NAME EVENTS EVENT WANTED: a test: a million more rounds add WANTED to the count of EVENT
added()
{
	local few

	# the same number of digits, because reading the argument is counted too
	stat_loop 0001000 "$2"
	few=$(count_of "$3")
	stat_loop 1001000 "$2"
	equal "$1" $(($(count_of "$3") - few)) "$4"
}
