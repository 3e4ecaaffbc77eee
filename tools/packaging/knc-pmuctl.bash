# SPDX-License-Identifier: GPL-2.0
# bash completion of knc-pmuctl

# complete $1 with the names of $2: events, metrics or groups
_knc_pmuctl_names()
{
	# complete only the last name of a list
	local prefix=${1%"${1##*[,\{]}"}
	local names
	names=$(knc-pmuctl list "$2" 2>/dev/null | awk 'NR > 1 { print $1 }')
	compopt -o nospace
	COMPREPLY=($(compgen -P "$prefix" -W "$names" -- "${1#"$prefix"}"))
}

_knc_pmuctl()
{
	local cur=${COMP_WORDS[COMP_CWORD]}
	local prev=${COMP_WORDS[COMP_CWORD - 1]}
	local command=${COMP_WORDS[1]} words
	local cpus="/sys/devices/system/cpu"

	if [ "$COMP_CWORD" -eq 1 ]; then
		COMPREPLY=($(compgen -W "$(knc-pmuctl --options) --help --version" -- "$cur"))
		return
	fi
	case $prev in
	-e | --event)
		_knc_pmuctl_names "$cur" events
		return ;;
	-M | --metric)
		_knc_pmuctl_names "$cur" metrics
		return ;;
	-G | --group)
		_knc_pmuctl_names "$cur" groups
		return ;;
	-p | --pid | -t | --tid)
		COMPREPLY=($(compgen -W "$(cd /proc && echo [0-9]*)" -- "$cur"))
		return ;;
	-C | --cpu | --pin)
		COMPREPLY=($(compgen -W "$(cat $cpus/online) cores compact scatter" -- "$cur"))
		return ;;
	-c | --count)
		# another command's -c may take no argument
		if [ "$command" = record ]; then
			COMPREPLY=($(compgen -W "on hi lo" -- "$cur"))
			return
		fi ;;
	--unit)
		COMPREPLY=($(compgen -W "P54C CRI VPU" -- "$cur"))
		return ;;
	-o | --output | -i | --input | --metrics | --check | --flamegraph | --speedscope | --svg)
		COMPREPLY=($(compgen -f -- "$cur"))
		return ;;
	--sysroot)
		COMPREPLY=($(compgen -d -- "$cur"))
		return ;;
	--sort)
		compopt -o nospace
		COMPREPLY=($(compgen -P "${cur%"${cur##*,}"}" \
			-W "symbol dso comm pid tid cpu event srcline" -- "${cur##*,}"))
		return ;;
	-F | --fields)
		if [ "$command" = script ]; then
			compopt -o nospace
			COMPREPLY=($(compgen -P "${cur%"${cur##*,}"}" \
				-W "comm pid tid cpu time period event ip sym symoff dso" \
				-- "${cur##*,}"))
			return
		fi ;;
	esac
	words=$(knc-pmuctl --options "$command" 2>/dev/null | awk '{ print $1 }')
	case $command in
	help)
		_knc_pmuctl_names "$cur" metrics
		words+=" $(knc-pmuctl --options)" ;;
	list)
		words+=" events metrics groups" ;;
	record | stat | grant)
		if [ "${cur#-}" = "$cur" ]; then
			COMPREPLY=($(compgen -c -- "$cur"))
			return
		fi
		[ "$command" != record ] || words+=" -g=user -g=kernel -g=both" ;;
	esac
	COMPREPLY+=($(compgen -W "$words" -- "$cur"))
}

complete -F _knc_pmuctl knc-pmuctl
