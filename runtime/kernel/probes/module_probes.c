/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Probes in kernel modules, armed when a module is loaded and disarmed when it is removed.
 *
 * A notifier reports modules that are about to run and those that have ended. No reference to a
 * module is held, so removing a probed module does not wait for the script.
 */
#include <linux/module.h>
#include <linux/tracepoint.h>

#include "probes/probes.h"
#include "rt.h"

static bool watching;

static int on_module(struct notifier_block *nb, unsigned long state, void *data)
{
	const struct module *m = data;

	if (state == MODULE_STATE_COMING)
		kprobe_module_loaded(m->name);
	else if (state == MODULE_STATE_GOING)
		kprobe_module_unloaded(m->name);
	return NOTIFY_DONE;
}

/* The notifier should precede the kernel's own for modules that leave and follow it for modules
 * that arrive; it works in either order. */
static struct notifier_block module_notifier = {.notifier_call = on_module};

#ifdef CONFIG_MODULES
/* Also called for modules that are loaded already. */
static int on_tracepoints(struct notifier_block *nb, unsigned long state, void *data)
{
	struct tp_module *t = data;
	int i;

	for (i = 0; i < t->mod->num_tracepoints; i++) {
		struct tracepoint *tp = tracepoint_ptr_deref(&t->mod->tracepoints_ptrs[i]);

		if (state == MODULE_STATE_COMING)
			kprobe_tracepoint_added(t->mod->name, tp);
		else if (state == MODULE_STATE_GOING)
			kprobe_tracepoint_removed(tp);
	}
	return NOTIFY_DONE;
}

static struct notifier_block tracepoint_notifier = {.notifier_call = on_tracepoints};
#endif

int module_probes_watch(void)
{
	int err = register_module_notifier(&module_notifier);

	if (err)
		return err;
#ifdef CONFIG_MODULES
	register_tracepoint_module_notifier(&tracepoint_notifier);
#endif
	watching = true;
	return 0;
}

void module_probes_unwatch(void)
{
	if (!watching)
		return;
	watching = false;
#ifdef CONFIG_MODULES
	unregister_tracepoint_module_notifier(&tracepoint_notifier);
#endif
	unregister_module_notifier(&module_notifier);
}
