package hook

import (
	"os"
	"runtime"
	"syscall"

	seccomp "github.com/elastic/go-seccomp-bpf"
	"github.com/elastic/go-seccomp-bpf/arch"
)

// The interpreter gives scripts no function that reaches the operating system. The kernel
// enforces the same a second time, in case the interpreter's allow-list has a hole: after
// confine, the process can compute, use memory up to its limit, use the descriptors that
// it has, start threads, and end. It cannot open a file, make a socket, start a program,
// signal another process or gain privileges.

// allowedCalls are the system calls that Go's runtime and C's threads need for that.
var allowedCalls = []string{
	"read", "write", "close", "fcntl",
	"mmap", "munmap", "mprotect", "mremap", "madvise", "brk",
	"futex", "sched_yield", "sched_getaffinity", "set_robust_list", "rseq",
	"sigaltstack", "rt_sigaction", "rt_sigprocmask", "rt_sigreturn", "restart_syscall",
	"nanosleep", "clock_nanosleep", "clock_gettime", "gettimeofday",
	"epoll_create1", "epoll_ctl", "epoll_pwait", "eventfd2", "pipe2",
	"getpid", "gettid", "getrandom", "exit", "exit_group",
}

// maxDescriptors is the limit of open files: the three pipes, and what Go's runtime opens to
// wait for them.
const maxDescriptors = 32

// confine restricts this process for the rest of its life. A kernel without seccomp, or a processor
// that the library does not know, leaves that part out. The limit of processes is not set, because
// the kernel counts the threads of the same user everywhere; the filter allows new threads and no
// new processes.
func confine() error {
	for resource, limit := range map[int]uint64{
		syscall.RLIMIT_FSIZE:  0,
		syscall.RLIMIT_CORE:   0,
		syscall.RLIMIT_NOFILE: maxDescriptors,
	} {
		if err := syscall.Setrlimit(resource, &syscall.Rlimit{Cur: limit, Max: limit}); err != nil {
			return os.NewSyscallError("setrlimit", err)
		}
	}
	if _, unknown := arch.GetInfo(""); unknown != nil || !seccomp.Supported() {
		return nil
	}
	const noSuchCall = seccomp.ActionErrno | seccomp.Action(syscall.ENOSYS)
	policy := seccomp.Policy{
		DefaultAction: seccomp.ActionErrno,
		Syscalls: []seccomp.SyscallGroup{
			{Action: seccomp.ActionAllow, Names: allowedCalls, NamesWithCondtions: []seccomp.NameWithConditions{
				{Name: "clone", Conditions: seccomp.ArgumentConditions{{Operation: seccomp.BitsSet, Value: syscall.CLONE_THREAD}}},
				{Name: "tgkill", Conditions: seccomp.ArgumentConditions{{Operation: seccomp.Equal, Value: uint64(os.Getpid())}}},
			}},
			// A filter cannot see the flags of clone3. Without it, C's library uses clone.
			{Action: noSuchCall, Names: []string{"clone3"}},
		},
	}
	runtime.LockOSThread() // no_new_privs is set for the thread that loads the filter
	defer runtime.UnlockOSThread()
	return seccomp.LoadFilter(seccomp.Filter{NoNewPrivs: true, Flag: seccomp.FilterFlagTSync, Policy: policy})
}
