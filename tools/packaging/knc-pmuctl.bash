# SPDX-License-Identifier: GPL-2.0
# bash completion of knc-pmuctl

_knc_pmuctl_events()
{
	# the last event of a list, its name only
	local prefix=${1%"${1##*[,\{]}"}
	local names
	names=$(knc-pmuctl list 2>/dev/null | awk 'NR > 1 { print $1 }')
	compopt -o nospace
	COMPREPLY=($(compgen -P "$prefix" -W "$names" -- "${1#"$prefix"}"))
}

_knc_pmuctl()
{
	local cur=${COMP_WORDS[COMP_CWORD]}
	local prev=${COMP_WORDS[COMP_CWORD - 1]}
	local commands="info list stat regs reset help"
	local cpus="/sys/devices/system/cpu"

	if [ "$COMP_CWORD" -eq 1 ]; then
		COMPREPLY=($(compgen -W "$commands --help --version" -- "$cur"))
		return
	fi
	case $prev in
	-e | --event)
		_knc_pmuctl_events "$cur"
		return ;;
	-C | --cpu | --pin)
		COMPREPLY=($(compgen -W "$(cat $cpus/online)" -- "$cur"))
		return ;;
	--unit)
		COMPREPLY=($(compgen -W "P54C CRI VPU" -- "$cur"))
		return ;;
	-o | --output)
		COMPREPLY=($(compgen -f -- "$cur"))
		return ;;
	esac
	case ${COMP_WORDS[1]} in
	help)
		COMPREPLY=($(compgen -W "$commands" -- "$cur")) ;;
	list)
		COMPREPLY=($(compgen -W "--unit --raw --json --help" -- "$cur")) ;;
	regs)
		COMPREPLY=($(compgen -W "-C --json --help" -- "$cur")) ;;
	reset)
		COMPREPLY=($(compgen -W "-C -a --help" -- "$cur")) ;;
	stat)
		if [ "${cur#-}" != "$cur" ]; then
			COMPREPLY=($(compgen -W "-e -C -a --pin -r -I --per-cpu -x --json -o --help" -- "$cur"))
		else
			COMPREPLY=($(compgen -c -- "$cur"))
		fi ;;
	esac
}

complete -F _knc_pmuctl knc-pmuctl
