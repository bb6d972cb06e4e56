/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The library of module_main.c: variables that are read from elsewhere. */
int lib_count = 77;
static volatile long lib_static = -5;
struct point { int x, y; } lib_point = {3, 4};
struct point *lib_pointer = &lib_point;
__thread int lib_thread_local = 1;

int lib_add(int a)
{
	lib_count++;
	return a + (int)lib_static + lib_thread_local;
}
