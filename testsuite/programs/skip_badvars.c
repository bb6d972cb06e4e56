/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads of $p->a work in the first call of f() and fail in the second. */
struct s { int a; struct s *n; };

static int f(int x, struct s *p) { return x + (p != 0); }

int main(void)
{
	struct s s = {5, 0};

	return f(3, &s) + f(4, (struct s *)16) - 9;
}
