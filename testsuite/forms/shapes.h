/* SPDX-License-Identifier: GPL-2.0-or-later */
struct point { int x; short y; const char *name; };
enum way { NEAR, FAR = 7 };

int twice(const struct point *p, int by);
int area(struct point *p, int times, enum way way);
