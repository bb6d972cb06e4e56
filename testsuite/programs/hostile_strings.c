/* Strings that must not become markup, script or broken text in a page. */
#include <stdio.h>

__attribute__((noinline)) void show(const char *s, int i) { printf("%d %zu\n", i, sizeof s); }

int main(void)
{
	static const char *const all[] = {
		"</script><img src=x onerror=alert(1)>",
		"<!--<script>",
		"]]><svg onload=alert(1)>&lt;&amp;",
		"line\xe2\x80\xa8paragraph\xe2\x80\xa9",
		"bad \xff\xfe\xc3 bytes",
		"\"'`${1}\\u003c\\",
	};

	for (int i = 0; i < 60; i++)
		show(all[i % 6], i * i);
	return 0;
}
