/* SPDX-License-Identifier: GPL-2.0 */
/* A library that callers.c is linked with */

/* Call @fn with @arg, with many registers in use */
void call_back(void (*fn)(void *arg), void *arg);
