/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Settings of the kernel that restrict which modules it loads. */
#include "module/kernel_module.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

void kernel_setting(const char *path, char *buf, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, buf, size - 1);

	if (fd >= 0)
		close(fd);
	buf[n > 0 ? n : 0] = 0;
	buf[strcspn(buf, "\n")] = 0;
}

bool lockdown_active(void)
{
	char line[128];

	kernel_setting("/sys/kernel/security/lockdown", line, sizeof line);
	return strstr(line, "[integrity]") || strstr(line, "[confidentiality]");
}

bool signatures_enforced(void)
{
	char line[16];

	kernel_setting("/sys/module/module/parameters/sig_enforce", line, sizeof line);
	return line[0] == 'Y' || lockdown_active();
}
