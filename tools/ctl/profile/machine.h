/* SPDX-License-Identifier: GPL-2.0 */
/* Machines of ELF files that some headers lack */
#ifndef KNC_CTL_MACHINE_H
#define KNC_CTL_MACHINE_H

/* Programs of MPSS. Headers with this machine call it EM_K1OM */
#define EM_OLD_K1OM	181

#endif /* KNC_CTL_MACHINE_H */
