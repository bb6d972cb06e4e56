/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Documentation/trace/kprobetrace.rst, usage examples: arguments and results of opening a file. */
#include <uapi/linux/openat2.h>
#include "docs.h"

static int at_entry(struct kprobe *p, struct pt_regs *regs)
{
	const struct open_how *how = (void *)regs->dx;

	if (docs_wanted())
		docs_print("myprobe: (%pS) dfd=0x%x filename=0x%lx flags=0x%x mode=0x%x\n", p->addr,
			   (u32)regs->di, regs->si, (u32)how->flags, (u16)how->mode);
	return 0;
}
NOKPROBE_SYMBOL(at_entry);

/* The return address: other return probes may have trampolines in between. */
#ifdef HAVE_KRETPROBE_IP
#define returns_to(ri, regs) ((void *)(regs)->ip)
#else
#define returns_to(ri, regs) ((void *)(ri)->ret_addr)
#endif

static int at_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	if (docs_wanted())
		docs_print("myretprobe: (%pS <- do_sys_openat2) arg1=0x%x\n", returns_to(ri, regs),
			   (u32)regs_return_value(regs));
	return 0;
}
NOKPROBE_SYMBOL(at_return);

static struct kprobe entry = {.symbol_name = "do_sys_openat2", .pre_handler = at_entry};
static struct kretprobe ret = {.kp.symbol_name = "do_sys_openat2", .handler = at_return};

static int start(void)
{
	int err = register_kprobe(&entry);

	if (!err && (err = register_kretprobe(&ret)))
		unregister_kprobe(&entry);
	return err;
}

static void stop(void)
{
	unregister_kretprobe(&ret);
	unregister_kprobe(&entry);
}

DOCS_MODULE(start, stop);
