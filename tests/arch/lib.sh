# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154
#
# Functions of the scripts for hosts. stat's output is in the file $out, $ctl is knc-pmuctl

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
