# SPDX-License-Identifier: GPL-2.0
"""Kernel messages that tests cause or expect, as regular expressions"""

# on every card, because a busy machine causes them: only those about lateness. The last is of the
# deadline scheduler, since 6.12.
NOISE = ['hrtimer: interrupt took [0-9]+ ns', 'nmi_check_duration: [0-9]+ callbacks suppressed',
         'sched: DL replenish lagged too much']
# of tests/card/run: tests switch the NMI watchdog on, request pmi= modes that do not
# exist, and take CPUs offline that have pinned tasks or pending interrupts.
ALLOWED = ['NMI watchdog: ', r'process [0-9]+ \((knc-pmuctl|task|tsample)\) no longer affine to cpu',
           r'(select_fallback_rq|show_signal): [0-9]+ callbacks suppressed',
           r'knc_pmu: pmi=(NMI|fast|): the overflow interrupt can be',
           'knc_pmu: pmi=irq: this kernel gives modules no interrupt vectors',
           r'APIC: Stale IRR: [0-9a-f]{8}(,0{8}){7} ISR: 0']
# The debugging kernel's unwinder follows frame pointers. If a sample comes where the kernel uses that
# register otherwise, it reports this once and dumps the stack. The dump's addresses (%p) are hashes as
# soon as the kernel has random numbers.
UNWINDER = ['WARNING: stack recursion on stack type', "WARNING: kernel stack (regs|frame) at .* has bad '[a-z ]+' value",
            'unwind stack type:[0-9]+ next_sp:', r'(\(____ptrval____\)|[0-9a-f]{16}): [0-9a-f]{16} (\(|\.\.\.)']
UNPRIVILEGED = [r'knc_pmu: unprivileged=(some|) is not known: write']
# when the kernel's own page allocations fail
NO_PAGES = [r'Huh VM_FAULT_OOM leaked out to the #PF handler\. Retrying PF',
            r'(pagefault_out_of_memory|warn_alloc): [0-9]+ callbacks suppressed',
            'kobject: can not set name properly!', r'kobject_add_internal failed for .* \(error: -12 ',
            'Failed to add kobject for irq [0-9]+']
# whenever a CPU gets an NMI without a handler
UNKNOWN_NMI = ['Uhhuh. NMI received for unknown reason', 'Dazed and confused, but trying to continue',
               'Do you have a strange power saving mode enabled']

# Reports that are expected, from their first line to their last; they are taken out of the log.
# The report of a data race is between two lines of equal signs; its first line names both functions.
# It is kept if one of them is this module's.
OTHER_RACES = r'^<\d+>[^=\n]*={60,}\n(?=.*KCSAN)(?!.*knc_)(.*\n)*?.*={60,}\n'
# That fork() got no stack, up to the last line about memory. A report with a function of this module is
# kept, and fails the test: the function lacks __GFP_NOWARN.
REFUSED_STACK = (r'^(?!.*knc_).*vmalloc error: size [0-9]+, [^,\n]* allocation failed.*\n'
                 r'((?!.*knc_).*\n)*?(.* pages reserved\n|\Z)')
# backtraces of all CPUs, which fill the log
BACKTRACES = r'^.*Show backtrace of all active CPUs(.*\n)*?.*knc-test: backtraces end.*\n'
