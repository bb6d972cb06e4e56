/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
__attribute__((noinline)) int f(int x) { printf("%d\n", x); return x + 1; }
int main(void) { return f(1) - 2; }
