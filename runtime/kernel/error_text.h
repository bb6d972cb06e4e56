/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Words for the kernel's errors in messages, those of strerror(3), as the user runtime has them. */
#ifndef USTAP_KERNEL_ERROR_TEXT_H
#define USTAP_KERNEL_ERROR_TEXT_H

#include <linux/errno.h>

/* ERR: negative, as kernel functions return it. */
static inline const char *error_text(int err)
{
	switch (-err) {
	case EPERM:
		return "Operation not permitted";
	case ENOENT:
		return "No such file or directory";
	case EIO:
		return "Input/output error";
	case ENOMEM:
		return "Cannot allocate memory";
	case EACCES:
		return "Permission denied";
	case EBUSY:
		return "Device or resource busy";
	case EEXIST:
		return "File exists";
	case ENODEV:
		return "No such device";
	case ENOTDIR:
		return "Not a directory";
	case EINVAL:
		return "Invalid argument";
	case ENOSPC:
		return "No space left on device";
	case ENOSYS:
		return "Function not implemented";
	case ELOOP:
		return "Too many levels of symbolic links";
	case ESTALE:
		return "Stale file handle";
	case ENOEXEC:
		return "Exec format error";
	case EOPNOTSUPP:
	case ENOTSUPP:
		return "Operation not supported";
	default:
		return "an error";
	}
}

#endif
