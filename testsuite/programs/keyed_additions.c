/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls add() three times with each of 800 keys, so that buckets of the hash table have chains. */
__attribute__((noipa)) void add(long key, long value) { (void)key, (void)value; }

int main(void)
{
	for (long value = 1; value <= 3; value++)
		for (long key = 0; key < 800; key++)
			add(key * 7919, value * key);
	return 0;
}
