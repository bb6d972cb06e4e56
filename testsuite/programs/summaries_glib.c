/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Values of GLib; ustap.process/summaries_glib.stp says what they are. */
#include <glib.h>

__attribute__((noinline)) void shown(GString *s, GList *l, GSList *sl, GPtrArray *p, GByteArray *b)
{
	__asm__ volatile("" ::"r"(s), "r"(l), "r"(sl), "r"(p), "r"(b));
}

__attribute__((noinline)) void tables(GHashTable *h, GHashTable *s, GHashTable *e, GQueue *q)
{
	__asm__ volatile("" ::"r"(h), "r"(s), "r"(e), "r"(q));
}

int main(void)
{
	GList *l = g_list_append(g_list_append(NULL, GINT_TO_POINTER(1)), GINT_TO_POINTER(2));
	GPtrArray *p = g_ptr_array_new();
	GByteArray *b = g_byte_array_new();
	GHashTable *h = g_hash_table_new(NULL, NULL), *s = g_hash_table_new(NULL, NULL);
	GQueue *q = g_queue_new();

	g_ptr_array_add(p, GINT_TO_POINTER(16));
	g_byte_array_append(b, (const guint8 *)"xyz", 3);
	shown(g_string_new("glib text"), l, g_slist_append(NULL, GINT_TO_POINTER(3)), p, b);
	g_hash_table_insert(h, GINT_TO_POINTER(3), (void *)0x123456789aul);
	g_hash_table_add(s, GINT_TO_POINTER(7));
	g_queue_push_tail(q, GINT_TO_POINTER(5));
	g_queue_push_tail(q, GINT_TO_POINTER(6));
	tables(h, s, g_hash_table_new(g_str_hash, g_str_equal), q);
	return 0;
}
