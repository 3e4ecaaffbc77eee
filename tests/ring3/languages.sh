# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# The part of tests/ring3/on-card for other languages and markers: LIKWID's, Fortran, OpenMP and
# Python. It uses the functions and variables of on-card.

# row REGION COMMAND...: run the command; print the region's visits and its inclusive, min and max
# instructions
row()
{
	local region=$1
	shift
	KNC_REGIONS=csv:$KNC_VM_SCRATCH/regions grant -e INSTRUCTIONS_EXECUTED:u,DATA_READ:u -- "$@" >"$KNC_VM_SCRATCH/said"
	awk -F, -v region="\"$region\"" '$1 == region && /INSTR/ { print $2, $4, $7, $8 }' "$KNC_VM_SCRATCH/regions"
}

# rows REGION: the same for another region of that run
rows()
{
	awk -F, -v region="\"$1\"" '$1 == region && /INSTR/ { print $2, $4, $7, $8 }' "$KNC_VM_SCRATCH/regions"
}

# between NAME GOT LEAST MOST: a test: GOT is within these bounds
between()
{
	echo "# $1: $2"
	if [ "$2" -ge "$3" ] && [ "$2" -le "$4" ]; then
		ok "$1"
	else
		not_ok "$1" "$2 instead of $3 to $4"
	fi
}

# Nested regions by LIKWID's markers and by KNC_BEGIN() give the same table
likwid_regions()
{
	local one own got
	row none "$build/likwid-knc" regions
	own=$(rows inner)
	equal likwid.own "$own" "100 400100 4001 4001"
	for one in gcc clang g++ clang++; do
		row none "$build/likwid-$one" regions
		equal "likwid.$one.inner" "$(rows inner)" "$own"
		equal "likwid.$one.empty" "$(rows empty)" "100 0 0 0"
		got=$(rows outer)
		equal "likwid.$one.outer.visits" "${got%% *}" 100
		# the report is wrong by at most a few instructions for each inner region
		got=${got#* }
		between "likwid.$one.outer" "${got%% *}" 599800 600400
		got=$(rows recurse)
		equal "likwid.$one.recurse.visits" "${got%% *}" 10
		got=${got#* }
		between "likwid.$one.recurse" "${got%% *}" 20000 20100
		equal "likwid.$one.columns" "$(cut -d, -f1-3 "$KNC_VM_SCRATCH/regions" | sort)" \
			"$(row none "$build/likwid-knc" regions; cut -d, -f1-3 "$KNC_VM_SCRATCH/regions" | sort)"
	done
}

likwid_others()
{
	local got
	row none "$build/likwid-gcc" named
	equal likwid.named "$(rows step-0)/$(rows step-1)/$(rows none)" "50 100100 2002 2002/50 100100 2002 2002/"
	# regions that begin outer to inner and end in the same order: 6,000, 12,000 and 28,000
	# instructions
	row none "$build/likwid-gcc" overlap
	for got in "first 6000" "second 12000" "third 28000"; do
		equal "likwid.overlap.${got% *}.visits" "$(rows "${got% *}" | cut -d' ' -f1)" 100
		between "likwid.overlap.${got% *}" "$(rows "${got% *}" | awk '{ print int($2 / 100) }')" \
			"${got#* }" $((${got#* } + 400))
	done
	between likwid.overlap.around "$(rows around | awk '{ print int($2 / 100) }')" 30000 30400
	row none "$build/likwid-gcc" reset
	equal likwid.reset.inside "$(rows inside)" "10 20010 2001 2001"
	equal likwid.reset.visits "$(rows warm | cut -d' ' -f1)" 10
	between likwid.reset.warm "$(rows warm | cut -d' ' -f2)" 40000 40100
	between likwid.reset.around "$(rows around | cut -d' ' -f2)" 400000 401000
	KNC_REGIONS=none "$build/likwid-gcc" regions 2>"$KNC_VM_SCRATCH/said"
	has likwid.no-counters "$(cat "$KNC_VM_SCRATCH/said")" \
		'^knc: the counters can.t be read, and LIKWID.s markers measure nothing: start the program by knc-pmuctl grant$'
}

# Thread k executes 2,000 * (k + 1) instructions 50 times; each thread reads its own counts
openmp()
{
	local of want i
	want=$(for i in {0..7}; do echo "thread $i 2 $(((i + 1) * 100000 + 50)) 0 50 1"; done)
	for of in gomp omp; do
		row none "$build/likwid-$of" threads 8
		equal "openmp.$of.each" "$(sort "$KNC_VM_SCRATCH/said")" "$want"
		equal "openmp.$of.all" "$(rows part)" "400 3600400 2001 16001"
		row none "$build/likwid-$of" threads 64
		equal "openmp.$of.64.each" "$(grep -c ' 2 [0-9]*00050 0 50 1$' "$KNC_VM_SCRATCH/said")" 64
		equal "openmp.$of.64" "$(rows part)" "3200 208003200 2001 128001"
	done
}

# A call of loop() adds two or three instructions to those of the loop
fortran()
{
	local got name
	row none "$build/fortran" regions
	has fortran.init "$(cat "$KNC_VM_SCRATCH/said")" '^init 0$'
	equal fortran.empty "$(rows "a region with a longer name")" "100 0 0 0"
	for name in inner-0 inner-1; do
		has "fortran.$name" "$(rows $name)" '^50 200[12][05]0 400[1-4] 400[1-4]$'
	done
	row none "$build/fortran" threads
	has fortran.threads "$(rows part)" '^400 360[01][0-9]00 200[1-4] 1600[1-4]$'
	got=$($user "$build/fortran" read)
	has fortran.refused "$got" '^three -22$'
	has fortran.count "$got" '^count 0$'
	# the loop's 2,000 instructions, and those of the readings
	equal fortran.read "$(grep -c '^read 0 20[0-9][0-9] 100[0-9]$' <<<"$got")" 3
	equal fortran.read.same "$(grep '^read' <<<"$got" | sort -u | wc -l)" 1
	has fortran.closed "$got" '^closed -9$'
}

# field_of NAME N: field N of the line that begins with NAME
field_of()
{
	awk -v name="$1" -v n="$2" '$1 == name { print $n; exit }' <<<"$said"
}

python()
{
	local said round more
	said=$($user "$build/python3" "$build/python.py" "$build" 2>&1)
	has python.value "$said" '^returned value$'
	# each 1,000 rounds execute the same instructions, except in Python's allocator, which may
	# take its longer path even in the least of ten visits
	round=$(($(field_of work-5000 5) - $(field_of work-4000 5)))
	between python.round "$round" 10000 1000000
	between python.rounds "$(($(field_of work-3000 5) - $(field_of work-2000 5) - round))" -16 16
	between python.rounds.more "$(($(field_of work-4000 5) - $(field_of work-3000 5) - round))" -16 16
	equal python.visits "$(field_of work-4000 2)" 10
	between python.most $(($(field_of work-4000 7) - $(field_of work-4000 5))) 0 1000
	more=$(($(field_of work-5000 6) - $(field_of work-4000 6)))
	between python.branches "$(($(field_of work-3000 6) - $(field_of work-2000 6) - more))" -4 4
	equal python.empty "$(field_of empty 2)" 5
	between python.empty.cost "$(field_of empty 3)" 0 1000
	equal python.called "$(field_of called 2)" 3
	equal python.raised "$(field_of raised 2)" 1
	has python.closed "$said" '^closed True$'
	has python.report "$said" '^work-4000 +10  INSTRUCTIONS_EXECUTED '
	has python.three "$said" '^three: /dev/knc_pmu counts nothing: Invalid argument, reason 28 of knc_pmu.h'
	has python.none "$said" '^none: there is no event INSTRUCTIONS: '
	has python.kernel "$said" '^kernel: /dev/knc_pmu counts nothing: Operation not permitted, reason 1 of knc_pmu.h'
}

# The examples of ring3.rst print what it says
example_languages()
{
	local got
	OMP_NUM_THREADS=4 row none "$build/markers"
	equal example.markers "$(rows triad | cut -d' ' -f1)/$(rows fill | cut -d' ' -f1)/$(cat "$KNC_VM_SCRATCH/said")" 20/4/39998
	row none "$build/solver"
	equal example.regions "$(rows sweep | cut -d' ' -f1)/$(tail -n 1 "$KNC_VM_SCRATCH/said")" "8/$("$build/solver" | tail -n 1)"
	got=$(KNC_REGIONS=csv $user "$build/solver" 2>&1)
	has example.regions.own "$got" '^[1-9][0-9]{4,} instructions, [1-9][0-9]{2,} branches$'
	equal example.regions.own.visits "$(field "$got" sweep counter0 2)" 8
	got=$($user "$build/python3" -B "$build/count.py" 2>&1)
	has example.python "$got" '^171$'
	has example.python.visits "$got" '^collatz +199  BRANCHES '
	has example.python.all "$got" '^all +1  INSTRUCTIONS_EXECUTED +[1-9][0-9]{5,} '
}

languages()
{
	likwid_regions
	likwid_others
	openmp
	fortran
	python
	example_languages
}
