/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A global that a function changes, and a type that the kernel does not have. */
static volatile int level = 1;
struct compatible_box {
	int content;
};
static volatile struct compatible_box box = {7};

__attribute__((noinline)) static int step(int by)
{
	level += by;
	return level;
}

int main(void) { return step(4) + box.content != 12; }
