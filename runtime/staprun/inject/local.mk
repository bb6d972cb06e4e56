# The loader's part of the user runtime.  Zydis decodes the instructions that make room for jumps.
libstaprun_a_SOURCES += \
	runtime/staprun/inject/arch/arch.h \
	runtime/staprun/inject/arch/branches_x86_64.c \
	runtime/staprun/inject/arch/tables_x86_64.c \
	runtime/staprun/inject/arch/calls_x86_64.c \
	runtime/staprun/inject/arch/decode_x86_64.c \
	runtime/staprun/inject/arch/direct_call.h \
	runtime/staprun/inject/arch/insn.h \
	runtime/staprun/inject/arch/regs.h \
	runtime/staprun/inject/arch/regs_x86_64.h \
	runtime/staprun/inject/arch/relocate_x86_64.c \
	runtime/staprun/inject/arch/signal_frame.h \
	runtime/staprun/inject/arch/signal_frame_x86_64.c \
	runtime/staprun/inject/arch/stub_x86_64.c \
	runtime/staprun/inject/elf/blob.c \
	runtime/staprun/inject/elf/blobfile.c \
	runtime/staprun/inject/elf/blobfile.h \
	runtime/staprun/inject/elf/elf.h \
	runtime/staprun/inject/elf/elffile.c \
	runtime/staprun/inject/elf/vdso.c \
	runtime/staprun/inject/event_fd.c \
	runtime/staprun/inject/event_fd.h \
	runtime/staprun/inject/injector.h \
	runtime/staprun/inject/patch/area.c \
	runtime/staprun/inject/patch/arm.c \
	runtime/staprun/inject/patch/arm.h \
	runtime/staprun/inject/patch/arm_plan.c \
	runtime/staprun/inject/patch/arming.h \
	runtime/staprun/inject/patch/faults.c \
	runtime/staprun/inject/patch/gate.c \
	runtime/staprun/inject/patch/gate.h \
	runtime/staprun/inject/patch/addresses.c \
	runtime/staprun/inject/patch/addresses.h \
	runtime/staprun/inject/patch/goroutines.c \
	runtime/staprun/inject/patch/goroutines.h \
	runtime/staprun/inject/patch/hook.c \
	runtime/staprun/inject/patch/module_map.c \
	runtime/staprun/inject/patch/patch.c \
	runtime/staprun/inject/patch/patch.h \
	runtime/staprun/inject/patch/patch_record.c \
	runtime/staprun/inject/patch/patched_file.c \
	runtime/staprun/inject/patch/patched_file.h \
	runtime/staprun/inject/patch/returns.c \
	runtime/staprun/inject/patch/semaphore.c \
	runtime/staprun/inject/patch/signal_hooks.c \
	runtime/staprun/inject/patch/signals.h \
	runtime/staprun/inject/patch/text_write.c \
	runtime/staprun/inject/patch/trap.c \
	runtime/staprun/inject/patch/watched.c \
	runtime/staprun/inject/patch/watched.h \
	runtime/staprun/inject/process/admission.c \
	runtime/staprun/inject/process/broker.c \
	runtime/staprun/inject/process/credentials.c \
	runtime/staprun/inject/process/death_channel.c \
	runtime/staprun/inject/process/detach.c \
	runtime/staprun/inject/process/agent_code.c \
	runtime/staprun/inject/process/agent_code.h \
	runtime/staprun/inject/process/divert.c \
	runtime/staprun/inject/process/divert.h \
	runtime/staprun/inject/process/exec.c \
	runtime/staprun/inject/process/follow.c \
	runtime/staprun/inject/process/sharers.c \
	runtime/staprun/inject/process/follow.h \
	runtime/staprun/inject/process/fork_child.c \
	runtime/staprun/inject/process/gated_text.c \
	runtime/staprun/inject/process/launches.c \
	runtime/staprun/inject/process/leftover.c \
	runtime/staprun/inject/process/moved_text.c \
	runtime/staprun/inject/process/process.c \
	runtime/staprun/inject/process/process.h \
	runtime/staprun/inject/process/process_events.c \
	runtime/staprun/inject/process/profile.c \
	runtime/staprun/inject/process/profile.h \
	runtime/staprun/inject/process/process_record.c \
	runtime/staprun/inject/process/program_starts.c \
	runtime/staprun/inject/process/program_starts.h \
	runtime/staprun/inject/process/request.c \
	runtime/staprun/inject/process/request.h \
	runtime/staprun/inject/process/sender.c \
	runtime/staprun/inject/process/untraced.c \
	runtime/staprun/inject/process/without_hits.c \
	runtime/staprun/inject/process/watch.c \
	runtime/staprun/inject/process/watch.h \
	runtime/staprun/inject/ptrace/asleep.c \
	runtime/staprun/inject/ptrace/disposition.c \
	runtime/staprun/inject/ptrace/debug_register.c \
	runtime/staprun/inject/ptrace/debug_register.h \
	runtime/staprun/inject/ptrace/frames.c \
	runtime/staprun/inject/ptrace/launch.c \
	runtime/staprun/inject/ptrace/maps.c \
	runtime/staprun/inject/ptrace/patience.c \
	runtime/staprun/inject/ptrace/seccomp.c \
	runtime/staprun/inject/ptrace/send_fd.c \
	runtime/staprun/inject/ptrace/patience.h \
	runtime/staprun/inject/ptrace/ptrace.h \
	runtime/staprun/inject/ptrace/proc_status.c \
	runtime/staprun/inject/ptrace/remote.c \
	runtime/staprun/inject/ptrace/trace_permission.c \
	runtime/staprun/inject/ptrace/tracee.c \
	runtime/staprun/inject/ptrace/tracee_state.c \
	runtime/staprun/inject/script/confine.c \
	runtime/staprun/inject/script/script_channel.c \
	runtime/staprun/inject/script/script_channel.h \
	runtime/staprun/inject/script/script_process.c \
	runtime/staprun/inject/script/script_process.h \
	runtime/staprun/inject/tracer.c \
	runtime/staprun/inject/tracer.h

check_PROGRAMS += testsuite/unit/test_maps testsuite/unit/test_sandbox testsuite/unit/test_tracee
testsuite_unit_test_sandbox_SOURCES = testsuite/unit/test_sandbox.c
testsuite_unit_test_sandbox_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)/runtime/include
testsuite_unit_test_sandbox_LDADD =
testsuite_unit_test_maps_SOURCES = testsuite/unit/test_maps.c testsuite/unit/staprun_check.h
testsuite_unit_test_maps_CPPFLAGS = $(staprun_test_cppflags)
testsuite_unit_test_maps_CFLAGS = $(libstaprun_a_CFLAGS)
testsuite_unit_test_maps_LDADD = libstaprun.a $(ZYDIS_LIBS)
testsuite_unit_test_tracee_SOURCES = testsuite/unit/test_tracee.c testsuite/unit/staprun_check.h
testsuite_unit_test_tracee_CPPFLAGS = $(staprun_test_cppflags)
testsuite_unit_test_tracee_CFLAGS = $(libstaprun_a_CFLAGS)
testsuite_unit_test_tracee_LDADD = libstaprun.a $(ZYDIS_LIBS)

check_PROGRAMS += testsuite/unit/test_agent_code
testsuite_unit_test_agent_code_SOURCES = testsuite/unit/test_agent_code.c \
	testsuite/unit/staprun_check.h runtime/user/arch/x86_64_clock.S
testsuite_unit_test_agent_code_CPPFLAGS = $(staprun_test_cppflags)
testsuite_unit_test_agent_code_CFLAGS = $(libstaprun_a_CFLAGS)
testsuite_unit_test_agent_code_LDADD = libstaprun.a $(ZYDIS_LIBS)

check_PROGRAMS += testsuite/unit/test_killed_tracer
testsuite_unit_test_killed_tracer_SOURCES = testsuite/unit/test_killed_tracer.c \
	testsuite/unit/staprun_check.h
testsuite_unit_test_killed_tracer_CPPFLAGS = $(staprun_test_cppflags)
testsuite_unit_test_killed_tracer_CFLAGS = $(libstaprun_a_CFLAGS)
testsuite_unit_test_killed_tracer_LDADD = libstaprun.a $(ZYDIS_LIBS)
check_PROGRAMS += testsuite/unit/test_slow_seizing
testsuite_unit_test_slow_seizing_SOURCES = testsuite/unit/test_slow_seizing.c \
	testsuite/unit/staprun_check.h
testsuite_unit_test_slow_seizing_CPPFLAGS = $(staprun_test_cppflags)
testsuite_unit_test_slow_seizing_CFLAGS = $(libstaprun_a_CFLAGS)
testsuite_unit_test_slow_seizing_LDADD = libstaprun.a $(ZYDIS_LIBS)

check_PROGRAMS += testsuite/unit/test_stopped_tracer
testsuite_unit_test_stopped_tracer_SOURCES = testsuite/unit/test_stopped_tracer.c \
	testsuite/unit/staprun_check.h
testsuite_unit_test_stopped_tracer_CPPFLAGS = $(staprun_test_cppflags)
testsuite_unit_test_stopped_tracer_CFLAGS = $(libstaprun_a_CFLAGS)
testsuite_unit_test_stopped_tracer_LDADD = libstaprun.a $(ZYDIS_LIBS)

check_PROGRAMS += testsuite/unit/test_elffile
testsuite_unit_test_elffile_SOURCES = testsuite/unit/test_elffile.c testsuite/unit/staprun_check.h
testsuite_unit_test_elffile_CPPFLAGS = $(staprun_test_cppflags)
testsuite_unit_test_elffile_CFLAGS = $(libstaprun_a_CFLAGS)
testsuite_unit_test_elffile_LDADD = libstaprun.a $(ZYDIS_LIBS)

check_PROGRAMS += testsuite/unit/test_patch
testsuite_unit_test_patch_SOURCES = testsuite/unit/test_patch.c testsuite/unit/test_patch_bulk.c \
	testsuite/unit/test_patch_cases.c testsuite/unit/test_patch_refusals.c \
	testsuite/unit/test_patch_unwind.c testsuite/unit/patch_case.h testsuite/unit/patch_test.h \
	testsuite/unit/staprun_check.h
testsuite_unit_test_patch_CPPFLAGS = $(staprun_test_cppflags)
testsuite_unit_test_patch_CFLAGS = $(libstaprun_a_CFLAGS) -fexceptions \
	-fcf-protection=none -fno-sanitize=all
testsuite_unit_test_patch_LDFLAGS = $(AM_LDFLAGS) -pthread
testsuite_unit_test_patch_LDADD = libstaprun.a $(ZYDIS_LIBS)

check_PROGRAMS += testsuite/unit/test_launch
testsuite_unit_test_launch_SOURCES = testsuite/unit/test_launch.c testsuite/unit/staprun_check.h
testsuite_unit_test_launch_CPPFLAGS = $(staprun_test_cppflags)
testsuite_unit_test_launch_CFLAGS = $(libstaprun_a_CFLAGS)
testsuite_unit_test_launch_LDADD = libstaprun.a $(ZYDIS_LIBS)

check_PROGRAMS += testsuite/unit/test_staprun_proc_stat
testsuite_unit_test_staprun_proc_stat_SOURCES = testsuite/unit/test_staprun_proc_stat.c \
	testsuite/unit/staprun_check.h
testsuite_unit_test_staprun_proc_stat_CPPFLAGS = $(staprun_test_cppflags)
testsuite_unit_test_staprun_proc_stat_CFLAGS = $(libstaprun_a_CFLAGS)
testsuite_unit_test_staprun_proc_stat_LDADD = libstaprun.a

check_PROGRAMS += testsuite/unit/test_memory_room
testsuite_unit_test_memory_room_SOURCES = testsuite/unit/test_memory_room.c \
	testsuite/unit/staprun_check.h
testsuite_unit_test_memory_room_CPPFLAGS = $(staprun_test_cppflags)
testsuite_unit_test_memory_room_CFLAGS = $(libstaprun_a_CFLAGS)
testsuite_unit_test_memory_room_LDADD = libstaprun.a

check_PROGRAMS += testsuite/unit/test_trace_permission
testsuite_unit_test_trace_permission_SOURCES = testsuite/unit/test_trace_permission.c \
	testsuite/unit/staprun_check.h
testsuite_unit_test_trace_permission_CPPFLAGS = $(staprun_test_cppflags)
testsuite_unit_test_trace_permission_CFLAGS = $(libstaprun_a_CFLAGS)
testsuite_unit_test_trace_permission_LDADD = libstaprun.a $(ZYDIS_LIBS)
