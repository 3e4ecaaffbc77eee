# SPDX-License-Identifier: GPL-2.0
# bash completion of knc-pmuctl

# _knc_pmuctl_match PREFIX CUR WORD...: the words that begin with $2, whatever its case, after $1
_knc_pmuctl_match()
{
	local prefix=$1 cur=$2 word
	shift 2
	for word; do
		[[ ${word,,} != "${cur,,}"* ]] || COMPREPLY+=("$prefix$word")
	done
}

# complete the last name of the list $1 with those of $2: events, metrics or groups
_knc_pmuctl_names()
{
	# keep the prefix of braces and commas
	local prefix=${1%"${1##*[,\{]}"} before=${#COMPREPLY[@]} pmu
	local word=${1#"$prefix"}
	compopt -o nospace
	case $word in
	knc/* | arch/* | westmere/* | uncore/*)
		# complete with the events of that PMU
		pmu=${word%%/*}
		_knc_pmuctl_match "$prefix$pmu/" "${word#*/}" \
			$(knc-pmuctl list "$2" --pmu "$pmu" 2>/dev/null | awk 'NR > 1 { print $1 "/" }')
		return ;;
	esac
	_knc_pmuctl_match "$prefix" "$word" \
		$(knc-pmuctl list "$2" 2>/dev/null | awk 'NR > 1 { print $1 }')
	# add other tools' names only if no event's own name begins so, because their case differs
	[ "$2" != events ] || [ ${#COMPREPLY[@]} -gt "$before" ] ||
		_knc_pmuctl_match "$prefix" "$word" \
			$(knc-pmuctl list --collect 2>/dev/null | sed -nE 's/^    ([^[ ]+)\[.*/\1/p')
}

# complete the command that is word $1, and its arguments by its own completion
_knc_pmuctl_wrapped()
{
	if declare -F _comp_command_offset >/dev/null; then
		_comp_command_offset "$1"
	elif declare -F _command_offset >/dev/null; then
		_command_offset "$1"
	elif [ "$COMP_CWORD" -eq "$1" ]; then
		COMPREPLY=($(compgen -c -- "${COMP_WORDS[COMP_CWORD]}"))
	else
		# without bash-completion: files
		compopt -o default
	fi
}

# complete $2, the argument of option $1 of $command, as the command's table of options names it;
# fails if there is no such option with an argument
_knc_pmuctl_argument()
{
	local cur=$2 arg
	arg=$(knc-pmuctl --options "$command" 2>/dev/null |
		awk -v o="$1" '($1 == o || $2 == o) && $3 !~ /^(-$|\[)/ { print $3 }')
	case $arg in
	'') return 1 ;;
	EVENT*) _knc_pmuctl_names "$cur" events ;;
	METRIC*) _knc_pmuctl_names "$cur" metrics ;;
	GROUP*) _knc_pmuctl_names "$cur" groups ;;
	PID* | TID*) COMPREPLY=($(compgen -W "$(cd /proc && echo [0-9]*)" -- "$cur")) ;;
	CPU*)
		COMPREPLY=($(compgen -W "$(cat /sys/devices/system/cpu/online) cores compact scatter" \
			-- "$cur")) ;;
	PERIOD) COMPREPLY=($(compgen -W "on hi lo" -- "$cur")) ;;
	PMU) _knc_pmuctl_match "" "$cur" knc arch westmere uncore cmt ;;
	FILE) COMPREPLY=($(compgen -f -- "$cur")) ;;
	DIR) COMPREPLY=($(compgen -d -- "$cur")) ;;
	KEY* | FIELD*)
		[ "$arg" = "${arg#K}" ] && arg="comm pid tid cpu time period event ip sym symoff dso" ||
			arg="symbol dso comm pid tid cpu event srcline"
		compopt -o nospace
		COMPREPLY=($(compgen -P "${cur%"${cur##*,}"}" -W "$arg" -- "${cur##*,}")) ;;
	*\|*) _knc_pmuctl_match "" "$cur" ${arg//|/ } ;;
	esac
}

_knc_pmuctl()
{
	local cur=${COMP_WORDS[COMP_CWORD]}
	local command=${COMP_WORDS[1]} prev value= words i

	if [ "$COMP_CWORD" -eq 1 ]; then
		COMPREPLY=($(compgen -W "$(knc-pmuctl --options) --help --version --no-pager --via --recorder" -- "$cur"))
		return
	fi
	for ((i = 2; i < COMP_CWORD; i++)); do
		if [ "${COMP_WORDS[i]}" = -- ]; then
			_knc_pmuctl_wrapped $((i + 1))
			return
		fi
	done
	# bash splits --event=X into three words, and X:u,Y too
	i=$((COMP_CWORD - 1))
	[[ $cur != [=:] ]] || cur= i=$COMP_CWORD
	while [ "$i" -gt 2 ] && [[ ${COMP_WORDS[i]} == [=:] ]]; do
		[ "${COMP_WORDS[i]}" != = ] || value=y
		i=$((i - 1))
		# the option is the word before "="; a word before ":" is part of the argument
		[ -n "$value" ] || i=$((i - 1))
	done
	prev=${COMP_WORDS[i]}
	! _knc_pmuctl_argument "$prev" "$cur" || return 0
	words=$(knc-pmuctl --options "$command" 2>/dev/null | awk '{ print ($1 != "--" ? $1 : ""), $2 }')
	case $command in
	help)
		_knc_pmuctl_names "$cur" metrics
		_knc_pmuctl_names "$cur" groups
		_knc_pmuctl_names "$cur" events
		compopt +o nospace
		words+=" $(knc-pmuctl --options)" ;;
	list)
		words+=" events metrics groups" ;;
	record | stat | grant)
		if [ "$command $prev" = "record -g" ]; then
			_knc_pmuctl_match "" "$cur" user kernel both fp dwarf
			[ -z "$value" ] || return
		fi
		if [ "${cur#-}" = "$cur" ]; then
			COMPREPLY+=($(compgen -c -- "$cur"))
			return
		fi
		[ "$command" != record ] || words+=" -g=user -g=kernel -g=both" ;;
	esac
	COMPREPLY+=($(compgen -W "$words" -- "$cur"))
}

complete -F _knc_pmuctl knc-pmuctl
