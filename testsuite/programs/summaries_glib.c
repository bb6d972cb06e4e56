/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Values of GLib; ustap.process/summaries_glib.stp says what they are. */
#include <glib.h>

__attribute__((noinline)) void shown(GString *s, GList *l, GSList *sl, GPtrArray *p, GByteArray *b)
{
	__asm__ volatile("" ::"r"(s), "r"(l), "r"(sl), "r"(p), "r"(b));
}

int main(void)
{
	GList *l = g_list_append(g_list_append(NULL, GINT_TO_POINTER(1)), GINT_TO_POINTER(2));
	GPtrArray *p = g_ptr_array_new();
	GByteArray *b = g_byte_array_new();

	g_ptr_array_add(p, GINT_TO_POINTER(16));
	g_byte_array_append(b, (const guint8 *)"xyz", 3);
	shown(g_string_new("glib text"), l, g_slist_append(NULL, GINT_TO_POINTER(3)), p, b);
	return 0;
}
