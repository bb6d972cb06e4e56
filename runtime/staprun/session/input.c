/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * staprun's standard input, for the script's input probes: characters are read while the script
 * runs and go to it by commands, a few at a time and in order. A terminal hands them over at once
 * meanwhile, not line by line. Without such probes they are keys of --monitor, if it is a terminal
 * and nothing else reads it.
 */
#include "base/message.h"
#include "session/run.h"
#include "wire.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <termios.h>
#include <unistd.h>

static struct termios before; /* of the terminal */
static bool changed;
static tcflag_t changed_modes;

/* MODES: the local modes that are switched off. */
static void change_terminal(tcflag_t modes)
{
	struct termios t;

	/* a job in the background must not change it */
	if (tcgetattr(STDIN_FILENO, &before) || tcgetpgrp(STDIN_FILENO) != getpgrp())
		return;
	t = before;
	t.c_lflag &= ~modes;
	t.c_cc[VMIN] = 1;
	t.c_cc[VTIME] = 0;
	changed = !tcsetattr(STDIN_FILENO, TCSANOW, &t);
	changed_modes = modes;
}

/* True if a person at a terminal sees the display of --monitor and can press keys. */
static bool takes_keys(const struct run *r)
{
	return r->out.view && !r->last.input && !r->child.pid && isatty(STDIN_FILENO) &&
	       isatty(STDOUT_FILENO) && tcgetpgrp(STDIN_FILENO) == getpgrp();
}

void input_open(struct run *r)
{
	r->input.open = r->last.input && !r->child.pid;
	if (r->last.input && r->child.pid)
		warning("the command of -c has the standard input; the script's input probes get "
			"none");
	r->input.is_keys = takes_keys(r);
	if (r->input.is_keys) {
		r->input.open = true;
		monitor_take_keys(r->out.view);
		change_terminal(ICANON | ECHO);
	} else if (r->input.open) {
		change_terminal(ICANON);
	}
}

void input_check(void)
{
	struct termios t;

	if (changed && !tcgetattr(STDIN_FILENO, &t) && t.c_lflag & changed_modes)
		change_terminal(changed_modes);
}

void input_close(void)
{
	if (changed)
		tcsetattr(STDIN_FILENO, TCSANOW, &before);
	changed = false;
}

static bool is_free(const struct run *r)
{
	return r->phase == RUNNING && !r->stop && !run_is_busy(r);
}

int input_fd(const struct run *r)
{
	bool ready = r->input.is_keys ? r->phase == RUNNING && !r->stop
				      : is_free(r) && r->input.at == r->input.n;

	return r->input.open && ready ? STDIN_FILENO : -1;
}

void input_read(struct run *r)
{
	ssize_t n = read(STDIN_FILENO, r->input.text, sizeof r->input.text);

	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	r->input.at = 0;
	r->input.n = n > 0 ? (size_t)n : 0;
	r->input.open = n > 0;
	if (r->input.is_keys) {
		r->stop |= !monitor_keys(r->out.view, r->input.text, r->input.n);
		r->input.n = 0;
	}
}

bool input_due(const struct run *r) { return is_free(r) && r->input.at < r->input.n; }

void input_send(struct run *r)
{
	uint32_t chars = 0, n;

	for (n = 0; n < UST_INPUT_CHARS && r->input.at < r->input.n; n++)
		chars |= (uint32_t)(unsigned char)r->input.text[r->input.at++] << 8 * n;
	r->feeding = true;
	order_start(&r->order, UST_CMD_INPUT, n, (pid_t)chars);
}
