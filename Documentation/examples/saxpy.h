/* SPDX-License-Identifier: GPL-2.0 */
/* The loops of saxpy.S, for saxpy.c: @n is a multiple of 16, @x and @y are at multiples of 64 */
#ifndef SAXPY_H
#define SAXPY_H

void saxpy_naive(float *y, const float *x, const float *a, long n);
void saxpy_vector(float *y, const float *x, const float *a, long n);
void saxpy_masked(float *y, const float *x, const float *a, long n);

#endif /* SAXPY_H */
