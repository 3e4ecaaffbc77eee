# SPDX-License-Identifier: GPL-2.0
#
# The features of this kernel (features.def). Both trees are searched, because a kernel need not be
# built where its source is. Comments have no effect: their second word is not the name of a file.

knc-features := $(if $(knc-top),$(knc-top),$(src))/src/compat/features.def
ccflags-y += $(shell while read -r name file form; do \
		for tree in $(srctree) $(objtree); do \
			[ ! -f $$tree/$$file ] || ! tr -s '[:space:]' ' ' <$$tree/$$file | grep -qE "$$form" || \
				{ echo -DKNC_COMPAT_$$name; break; }; \
		done; \
	done <$(knc-features))
