/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The page of --output=html: its beginning, which scripts/html-page makes at build time, and rows.
 */
#include "output/output.h"
#include "output/output_format.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static uint64_t rows_size;

#ifdef HTML_PAGES

__asm__(".section .rodata\n"
	"html_page:\n"
	".incbin \"html_page.html\"\n"
	"html_page_end:\n"
	".previous\n");
extern const char html_page[], html_page_end[];

size_t html_page_size(void) { return (size_t)(html_page_end - html_page); }
void html_page_write(struct output *o) { output_bytes(o, html_page, html_page_size()); }

#else

size_t html_page_size(void) { return 0; }
void html_page_write(struct output *o) { (void)o; }

#endif

void json_put_in_page(struct output *o, const char *json, size_t len)
{
	const char *end = json + len, *p;

	rows_size += len;
	for (; (p = memchr(json, '<', (size_t)(end - json))); json = p + 1) {
		output_bytes(o, json, (size_t)(p - json));
		output_text(o, "\\u003c");
	}
	output_bytes(o, json, (size_t)(end - json));
}

uint64_t html_rows_size(void) { return rows_size; }
