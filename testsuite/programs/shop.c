/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A shop, for the examples in documents. */
#include <stdio.h>
#include <string.h>

struct item { const char *name; int price, left; };

static struct item items[] = {{"tea", 3, 10}, {"cup", 12, 1}};
int sold;

static inline __attribute__((always_inline)) int cost(const struct item *it, int n)
{
	return it->price * n;
}

__attribute__((noipa)) struct item *find(const char *name)
{
	for (int i = 0; i < 2; i++)
		if (!strcmp(items[i].name, name))
			return &items[i];
	return NULL;
}

__attribute__((noipa)) int sell(const char *name, int n)
{
	struct item *it = find(name);

	if (!it || it->left < n)
		goto refused;
	it->left -= n;
	sold += n;
	return cost(it, n);
refused:
	return -1;
}

int main(void)
{
	sell("tea", 2);
	sell("cup", 1);
	sell("cup", 1);
	sell("milk", 1);
	sell("tea", 3);
	printf("%d sold\n", sold);
	return 0;
}
