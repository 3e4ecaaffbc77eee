# SPDX-License-Identifier: GPL-2.0
# bash completion of knc-pmuctl

# names of $2: events, metrics or groups
_knc_pmuctl_names()
{
	# the last one of a list, its name only
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
	local commands="info list stat grant record report script timeline regs reset stats top help"
	local cpus="/sys/devices/system/cpu"

	if [ "$COMP_CWORD" -eq 1 ]; then
		COMPREPLY=($(compgen -W "$commands --help --version" -- "$cur"))
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
		if [ "${COMP_WORDS[1]}" = record ]; then
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
		if [ "${COMP_WORDS[1]}" = script ]; then
			compopt -o nospace
			COMPREPLY=($(compgen -P "${cur%"${cur##*,}"}" \
				-W "comm pid tid cpu time period event ip sym symoff dso" \
				-- "${cur##*,}"))
			return
		fi ;;
	esac
	case ${COMP_WORDS[1]} in
	help)
		_knc_pmuctl_names "$cur" metrics
		COMPREPLY+=($(compgen -W "$commands" -- "$cur")) ;;
	info)
		COMPREPLY=($(compgen -W "--topology --json --help" -- "$cur")) ;;
	list)
		COMPREPLY=($(compgen -W "events metrics groups --unit --raw --json --metrics --check --help" -- "$cur")) ;;
	regs)
		COMPREPLY=($(compgen -W "-C --json --help" -- "$cur")) ;;
	reset)
		COMPREPLY=($(compgen -W "-C -a --force --help" -- "$cur")) ;;
	report)
		COMPREPLY=($(compgen -W "-i --sort -n --percent-limit -g --annotate --json --stdio --folded --flamegraph --title --speedscope --per-thread -e --comm --dso --pid --tid -C --sysroot --help" -- "$cur")) ;;
	script)
		COMPREPLY=($(compgen -W "-i -F -e --comm --dso --pid --tid -C --sysroot --help" -- "$cur")) ;;
	timeline)
		COMPREPLY=($(compgen -W "-i --csv --svg --bin -e -C --help" -- "$cur")) ;;
	top)
		COMPREPLY=($(compgen -W "-e -d -n -C --tasks -p -b --help" -- "$cur")) ;;
	stats)
		COMPREPLY=($(compgen -W "-a --json --help" -- "$cur")) ;;
	record)
		if [ "${cur#-}" != "$cur" ]; then
			COMPREPLY=($(compgen -W "-e -c -F -g -g=user -g=kernel -g=both --max-frames --tbs -p -t --no-inherit -C -a --pin -o --ring-size -q --help" -- "$cur"))
		else
			COMPREPLY=($(compgen -c -- "$cur"))
		fi ;;
	stat)
		if [ "${cur#-}" != "$cur" ]; then
			COMPREPLY=($(compgen -W "-e -M -G --metrics -d -p -t --no-inherit -C -a --pin --passes -r -I --per-cpu --per-core --per-thread -x --json -o --append --help" -- "$cur"))
		else
			COMPREPLY=($(compgen -c -- "$cur"))
		fi ;;
	grant)
		if [ "${cur#-}" != "$cur" ]; then
			COMPREPLY=($(compgen -W "-e --spflt --user-pref --no-inherit --pin -x --json -o --help" -- "$cur"))
		else
			COMPREPLY=($(compgen -c -- "$cur"))
		fi ;;
	esac
}

complete -F _knc_pmuctl knc-pmuctl
