/* SPDX-License-Identifier: GPL-2.0 */
/* The library of callers.c */

/* Call @fn with @arg, with many registers in use */
void call_back(void (*fn)(void *arg), void *arg);
