/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tables and trees as libraries have them, sound ones and damaged ones;
 * ustap.process/summary_forms.stp says what they are.
 */
struct node {
	struct node *next;
	int n;
	int key[4];
	long value[4];
};

struct table {
	long count;
	struct node **buckets;
};

struct branch {
	short n;
	int key[3];
	struct branch *child[4];
};

struct tree {
	struct branch *root;
	long height, count;
};

struct slot {
	long present;
	int *at;
};

__attribute__((noinline)) void table(struct table *t) { __asm__ volatile("" ::"r"(t) : "memory"); }
__attribute__((noinline)) void tree(struct tree *t) { __asm__ volatile("" ::"r"(t) : "memory"); }
__attribute__((noinline)) void slot(struct slot *s) { __asm__ volatile("" ::"r"(s) : "memory"); }

static void tables(void)
{
	static struct node c = {0, 1, {9}, {90}}, b = {&c, 2, {5, -6}, {50, 60}}, a = {0, 0, {0}, {0}};
	static struct node loop = {&loop, 0, {0}, {0}}, wild = {(struct node *)16, 1, {1}, {2}};
	static struct node many = {0, 1 << 30, {1, 1, 1, 1}, {2, 2, 2, 2}};
	static struct node *sound[] = {&a, 0, &b}, *cycle[] = {&loop}, *unreadable[] = {&wild};
	static struct node *large[] = {&many};

	table(&(struct table){3, sound});
	table(&(struct table){0, sound});
	table(&(struct table){1, cycle});
	table(&(struct table){1, unreadable});
	table(&(struct table){1, large});
	table(&(struct table){-5, sound});
	table(&(struct table){1l << 62, (struct node **)16});
}

static void trees(void)
{
	static struct branch leaf[4] = {{2, {1, 2}, {0}}, {1, {4}, {0}}, {3, {6, 7, 8}, {0}}, {0}};
	static struct branch root = {2, {3, 5}, {&leaf[0], &leaf[1], &leaf[2]}};
	static struct branch self = {3, {1, 2, 3}, {&self, &self, &self, &self}};
	static struct branch torn = {2, {3, 5}, {&leaf[0], (struct branch *)16}};

	tree(&(struct tree){&root, 1, 8});
	tree(&(struct tree){0, 0, 0});
	tree(&(struct tree){&root, 1, 1000});
	tree(&(struct tree){&self, 3, 1000});
	tree(&(struct tree){&self, 1l << 40, 1000});
	tree(&(struct tree){&torn, 1, 8});
	tree(&(struct tree){&root, 1, -1});
}

int main(void)
{
	static int value = 7;

	tables();
	trees();
	slot(&(struct slot){1, &value});
	slot(&(struct slot){0, 0});
	return 0;
}
