#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# shellcheck disable=SC2317 # functions by name
#
# Exact counts as the user of knc-pmuctl stat sees them
cd "$(dirname "$0")" || exit 1
# shellcheck source=tests/card/guest/lib.sh
. ./lib.sh

out=$TMPDIR/stat

# counts EVENTS PROGRAM N: print the counts, separated by blanks; the tool runs on another hardware
# thread than the program
counts()
{
	rm -f "$out"
	taskset -c 0 "$KNC_PMUCTL" stat --pin 1 -x, -e "$1" -o "$out" -- \
		"$KNC_TEST_BUILD/$2" "$3" || return
	grep -v '^#' "$out" | cut -d, -f1 | paste -sd' '
}

# growth NAME EVENTS PROGRAM WANTED...: a test: the increase from N = 1,000,000 to 2,000,000
growth()
{
	local name=$1 got='' once twice i
	once=$(counts "$2" "$3" 1000000)
	twice=$(counts "$2" "$3" 2000000)
	echo "# $name: $once; $twice"
	shift 3
	read -ra once <<<"$once"
	read -ra twice <<<"$twice"
	for i in "${!twice[@]}"; do
		got="$got $((${twice[i]:-0} - ${once[i]:-0}))"
	done
	equal "$name" "${got# }" "$*"
}

growth stat.instructions INSTRUCTIONS_EXECUTED:u loop 2000000
growth stat.branches BRANCHES:u loop 1000000
growth stat.pair INSTRUCTIONS_EXECUTED:u,INSTRUCTIONS_EXECUTED:u loop 2000000 2000000
growth stat.copy DATA_READ:u,DATA_WRITE:u copy 1000000 1000000
growth stat.copy-instructions INSTRUCTIONS_EXECUTED:u,BRANCHES:u copy 4000000 1000000
growth stat.raw r0016:u,r0012:u call 4000000 3000000

# A kernel that does not report exec to modules: the tool counts from before exec, and says so
KNC_PMUCTL=$KNC_PMUCTL_SHARED LD_PRELOAD=$KNC_TEST_BUILD/old.so growth stat.no-exec INSTRUCTIONS_EXECUTED:u loop 2000000
equal stat.no-exec-said "$(LD_PRELOAD=$KNC_TEST_BUILD/old.so "$KNC_PMUCTL_SHARED" stat -e BRANCHES:u -o "$out" -- \
	"$KNC_TEST_BUILD/loop" 1000 2>&1 | grep -c 'tells no module of exec')" 1
# On such a kernel RDPMC is refused. Events gated by SPFLT are counted nevertheless.
text=$(LD_PRELOAD=$KNC_TEST_BUILD/old.so "$KNC_PMUCTL_SHARED" grant -e BRANCHES:u -- "$KNC_TEST_BUILD/readpmc" 10 2>&1)
equal grant.no-exec-status "$?" 1
has grant.no-exec "$text" "can't give COMMAND permission for RDPMC"
gated()
{
	"$KNC_PMUCTL_SHARED" grant --spflt -x, -e INSTRUCTIONS_EXECUTED:u -o "$out" -- "$KNC_TEST_BUILD/spflt" 1000 500 2>"$TMPDIR/said"
	cut -d, -f1 "$out"
}
want=$(gated)
equal grant.no-exec-spflt "$(LD_PRELOAD=$KNC_TEST_BUILD/old.so gated)" "$want"
equal grant.no-exec-said "$(grep -c 'has no permission for RDPMC' "$TMPDIR/said")" 1
# Timers of such a kernel run only every 10 ms: a turn takes 10 ms, not 4 ms
text=$(LD_PRELOAD=$KNC_TEST_BUILD/old.so "$KNC_PMUCTL_SHARED" stat --json -e BRANCHES:u,INSTRUCTIONS_EXECUTED:u,DATA_READ:u \
	-o /dev/stdout -- "$KNC_TEST_BUILD/loop" 100000000 | grep -m 1 '"turns"')
counted=$(sed -nE 's/.*"counted_ns": ?([0-9]+).*/\1/p' <<<"$text")
equal stat.no-highres "$(sed -nE 's/.*"turns": ?([0-9]+).*/\1/p' <<<"$text")" $((${counted:-0} / 10000000))
has record.no-highres "$(LD_PRELOAD=$KNC_TEST_BUILD/old.so "$KNC_PMUCTL_SHARED" record -C 1 --tbs 1 -o "$out.data" -- true 2>&1)" \
	'timers of this kernel run every 10 ms'
rm -f "$out.data"
text=$(LD_PRELOAD=$KNC_TEST_BUILD/old.so "$KNC_PMUCTL_SHARED" info)
has info.old "$text" '^not here +call chains, overflow interrupts by vectors, exec$'
has info.old-users "$text" '^users can count +nothing: .*CAP_SYS_ADMIN'
has info.all "$("$KNC_PMUCTL" info)" '^features .*limited rates, copies of stacks, context switches$'

# a terminal shows the elapsed time, unless the command itself writes to the terminal
sleep 2.5 &
has stat.sign "$(script -qec "$KNC_PMUCTL stat -p $! -e BRANCHES" /dev/null)" 'knc-pmuctl stat: [0-9]+ s'
for command in stat grant; do
	script -qec "$KNC_PMUCTL $command -e BRANCHES -o /dev/null -- sh -c 'printf 12; sleep 2.5; printf 34'" /dev/null >"$out"
	equal $command.screen "$(<"$out")" 1234
done

# Colours are for terminals, and for users who want them; cpi has none, because its good value
# depends on the machine's speed
cat >"$TMPDIR/metrics" <<'METRICS'
{"version": 1, "groups": [], "metrics": [{"name": "always", "title": "always bad", "source": "none",
  "formula": "BRANCHES / INSTRUCTIONS_EXECUTED", "unit": "ratio",
  "limits": [{"verdict": "bad", "above": 0, "says": "as it should be", "source": "none"}]}]}
METRICS
colours()
{
	script -qec "$KNC_PMUCTL stat --metrics $TMPDIR/metrics -M always -- $KNC_TEST_BUILD/copy 1000000" \
		/dev/null >"$out"
	grep -c 'as it should be' "$out"
	grep -c "$(printf '\033')\[[0-9]*m" "$out"
}
equal stat.colours "$(colours | paste -sd' ')" '1 1'
equal stat.no-colours "$(NO_COLOR=1 colours | paste -sd' ')" '1 0'

# On a real card, unlike the emulated one, no event is reported as missing
sed 's/ hypervisor//' /proc/cpuinfo >"$TMPDIR/cpuinfo"
mount --bind "$TMPDIR/cpuinfo" /proc/cpuinfo
equal stat.real-card "$("$KNC_PMUCTL" stat -x, -M l1_compute_intensity -- true 2>&1 | sort | paste -sd' ' |
	sed -E 's/[0-9]*,100.00/TIME,100.00/g; s/[0-9]*,,DATA_READ_OR_WRITE,/COUNT,,DATA_READ_OR_WRITE,/; s|[0-9]+\.[0-9]{6},[MK]/sec|RATE|')" \
	'0,,VPU_ELEMENTS_ACTIVE,TIME,100.00,0.000000,/sec 0,elements/access,l1_compute_intensity,,,,metric COUNT,,DATA_READ_OR_WRITE,TIME,100.00,RATE'
# the card's clock, once for each core
text=$("$KNC_PMUCTL" stat -a -- true 2>&1)
has stat.real-card.ghz "$text" '^ +[0-9]+ +CPU_CLK_UNHALTED +core-wide, once per core  # [0-9]\.[0-9]{3} GHz, [0-9.]+ s$'
has stat.real-card.cpi "$text" '^ +[0-9]+ +INSTRUCTIONS_EXECUTED +# [0-9.]+ CPI$'
has stat.real-card.rate "$text" '^ +[0-9]+ +BRANCHES +# [0-9]+\.[0-9]{3} [MK]/sec$'
umount /proc/cpuinfo

has_ended()
{
	! grep -q '^State:.[^Z]' "/proc/$1/status" 2>/dev/null
}

# has_slept PID N: has the process ended, or slept N times?
has_slept()
{
	has_ended "$1" || awk -v n="$2" '/^voluntary/ { exit !($2 >= n) }' "/proc/$1/status"
}

# The tool's terminal hangs up, with and without nohup. The program wakes many times a second: if it
# still wakes after the signal, it has survived.
hung_up()
{
	sh -c "$1 exec '$KNC_PMUCTL' stat -p 1 -e BRANCHES -o '$out'" &
	local tool=$! end=ends slept
	until_true counting $tool
	slept=$(sed -n 's/^voluntary_ctxt_switches:.//p' /proc/$tool/status)
	kill -HUP $tool
	until_true has_slept $tool $((slept + 20))
	has_ended $tool || end='goes on'
	[ "$end" = ends ] || kill -TERM $tool
	wait $tool
	echo "$end, $?"
}
rm -f "$out"
hung_up 'trap "" HUP;' >"$out.said"
equal stat.nohup "$(<"$out.said")" 'goes on, 0'
has stat.nohup-counts "$(<"$out")" ' BRANCHES$'
hung_up '' >"$out.said"
equal stat.hangup "$(<"$out.said")" 'ends, 0'

# sent SIGNAL OPTION COMMAND...: send a signal to stat; print how it ends
sent()
{
	local signal=$1 option=$2 tool end=ends slept
	shift 2
	env "$option" "$@" &
	tool=$!
	until_true counting $tool
	slept=$(sed -n 's/^voluntary_ctxt_switches:.//p' /proc/$tool/status)
	kill "-$signal" $tool
	until_true has_slept $tool $((slept + 20))
	has_ended $tool || end='goes on'
	[ "$end" = ends ] || kill -TERM $tool
	wait $tool
	echo "$end, $?"
}
for signal in INT QUIT; do
	stat=("$KNC_PMUCTL" stat -p 1 -e BRANCHES -o "$out")
	sent $signal --ignore-signal=$signal "${stat[@]}" >"$out.said"
	equal stat.ignored-$signal "$(<"$out.said")" 'goes on, 0'
	sent $signal --default-signal=$signal "${stat[@]}" >"$out.said"
	equal stat.taken-$signal "$(<"$out.said")" 'ends, 0'
done
# the command inherits an ignored signal, as from a script's shell
# shellcheck disable=SC2016 # text for another shell
text=$(env --ignore-signal=INT "$KNC_PMUCTL" stat -e BRANCHES -o "$out" -- sh -c 'kill -INT $PPID $$; echo goes on')
equal stat.ignored-command "$text, $?" 'goes on, 0'

# The tool, its program, or both are killed while events are multiplexed: nothing is left behind
three=BRANCHES:u,DATA_READ:u,DATA_WRITE:u
for who in tool program both; do
	"$KNC_PMUCTL" stat -e $three -o /dev/null -- "$KNC_TEST_BUILD/copy" 100000000000 2>/dev/null &
	tool=$!
	until_true pgrep -P $tool -x copy
	program=$(pgrep -P $tool -x copy)
	sleep 0.3
	[ $who = program ] || kill -KILL $tool
	[ $who = tool ] || kill -KILL "$program"
	wait $tool 2>/dev/null
	equal stat.killed-$who.status $? 137
	[ $who != tool ] || kill -KILL "$program"
	if until_true sh -c "'$KNC_PMUCTL' info | grep -q 'no session has a counter'"; then
		ok stat.killed-$who.nothing-left
	else
		not_ok stat.killed-$who.nothing-left "$("$KNC_PMUCTL" info | grep owner)"
	fi
	growth stat.killed-$who.after BRANCHES:u loop 1000000
done

# Files of metrics are read only if a metric is requested: reading this pipe waits for a writer
mkdir "$TMPDIR/waits"
mkfifo "$TMPDIR/waits/x.json"
out=$(KNC_PMU_METRICS=$TMPDIR/waits timeout 60 "$KNC_PMUCTL" stat -e CPU_CLK_UNHALTED:u,INSTRUCTIONS_EXECUTED:u \
	"$KNC_TEST_BUILD/loop" 1000 2>&1)
equal stat.no-metric-files $? 0
has stat.cpi "$out" ' INSTRUCTIONS_EXECUTED:u +# [~0-9.]+ CPI'
cat "$TMPDIR/metrics" >"$TMPDIR/waits/x.json" &
writer=$!
has stat.metric-files "$(KNC_PMU_METRICS=$TMPDIR/waits timeout 60 "$KNC_PMUCTL" stat -M always "$KNC_TEST_BUILD/copy" 1000 2>&1)" \
	'as it should be'
kill $writer 2>/dev/null
exit $failed
