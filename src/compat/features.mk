# SPDX-License-Identifier: GPL-2.0
#
# The features of this kernel: features.def. Module.symvers is where the kernel was built, which need
# not be where its source is; in lines of comment the second word is no file.

knc-features := $(if $(knc-top),$(knc-top),$(src))/src/compat/features.def
ccflags-y += $(shell while read -r name file form; do \
		for tree in $(srctree) $(objtree); do \
			[ ! -f $$tree/$$file ] || ! tr -s '[:space:]' ' ' <$$tree/$$file | grep -qE "$$form" || \
				{ echo -DKNC_COMPAT_$$name; break; }; \
		done; \
	done <$(knc-features))
