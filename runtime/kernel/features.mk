# SPDX-License-Identifier: GPL-2.0-or-later
# Features of this kernel, found in its headers: -DHAVE_x for compat.h. Versions do not show
# them, since stable kernels take changes from later ones.
#
# $(call ust_has,NAME,HEADER,REGEX): the header is searched as one line.  A
# dot stands for each parenthesis, which make would count.  One awk reads all headers, since each
# program that make runs costs milliseconds, and kbuild includes this file several times.
ust_include := $(srctree)/include/linux
ust_headers :=
ust_rules :=
ust_has = $(eval ust_headers += $(wildcard $(ust_include)/$(2)))FILENAME == \
	"$(ust_include)/$(2)" && /$(3)/ {print "-DHAVE_$(1)"}

x86 := ../../arch/x86/include/asm

ust_rules += $(call ust_has,UPROBE_HANDLE,uprobes.h,struct uprobe [*]uprobe_register.struct)
ust_rules += $(call ust_has,UPROBE_COOKIE,uprobes.h,[*]handler..[^;]*__u64 [*])
ust_rules += $(call ust_has,UPROBE_FILTER_CTX,uprobes.h,[*]filter..[^;]*uprobe_filter_ctx)
ust_rules += $(call ust_has,FILEMAP_FOLIO,pagemap.h,struct folio [*]filemap_get_folio)
ust_rules += $(call ust_has,GUP_VMAS,mm.h,get_user_pages_remote.struct[^;]*vmas)
ust_rules += $(call ust_has,GET_KRETPROBE,kprobes.h,struct kretprobe [*]get_kretprobe)
ust_rules += $(call ust_has,KRETPROBE_IP,kprobes.h,kretprobe_find_ret_addr.struct)
ust_rules += $(call ust_has,FTRACE_REGS,ftrace.h,ftrace_get_regs.struct ftrace_regs)
ust_rules += $(call ust_has,FTRACE_FILTER_IPS,ftrace.h,int ftrace_set_filter_ips)
ust_rules += $(call ust_has,HRTIMER_SETUP,hrtimer.h,void hrtimer_setup.struct)
ust_rules += $(call ust_has,SYSCALL_TRACEPOINTS_FAULT,tracepoint.h,define DECLARE_TRACE_SYSCALL)
ust_rules += $(call ust_has,PDE_DATA_LOWER,proc_fs.h,[^_]pde_data.const)
ust_rules += $(call ust_has,TASK_STATE_HIDDEN,sched.h,unsigned int[[:space:]]+__state;)
ust_rules += $(call ust_has,TASK_FPU,$(x86)/processor.h,define x86_task_fpu)
ust_rules += $(call ust_has,FPSTATE,$(x86)/fpu/types.h,struct fpstate[[:space:]]*[*]fpstate;)
ust_rules += $(call ust_has,TRACE_PUTS_SIZE,kernel.h,__trace_puts.unsigned long[^;]*int size)
ust_rules += $(call ust_has,TRACE_PUTS_SIZE,trace_printk.h,__trace_puts.unsigned long[^;]*int size)

ccflags-y += $(shell awk 'BEGIN {RS = "\001"} {gsub(/\n/, " ")} $(ust_rules)' \
	$(sort $(ust_headers)))

# Handlers are budgeted in instructions.  Nothing here keeps an array on the stack that it
# writes by an index from outside; scripts' strings are in frames.
ccflags-y += -fno-stack-protector
