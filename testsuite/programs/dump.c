/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Memory with unprintable bytes, for dumps. */
static const char bytes[64] = "Hello, dump\001\377 and more of it";

__attribute__((noinline)) int show(const char *text) { return text[0]; }

int main(void) { return show(bytes) != 'H'; }
