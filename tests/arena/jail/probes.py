"""Runs inside the sandbox and tries to get out of it: prints as JSON what each attempt reached, or the error it met.

It first reads a line of facts about the host, JSON made by probe.py: names, numbers and paths that the sandbox must
keep from its agent. The file uses the standard library only. A probe that is refused raises OSError; a value that it
returns was reached.
"""

import ctypes
import errno
import json
import mmap
import os
import platform
import resource
import signal
import socket
import struct
import sys

LIBC = ctypes.CDLL(None, use_errno=True)
IS_X86 = platform.machine() == "x86_64"
FACTS = {}
INHERITED = [name for name in os.listdir("/proc/self/fd") if int(name) > 3]  # 3 is the folder that is read
CLONE_NEWUSER, CLONE_NEWNS, CLONE_NEWPID = 0x10000000, 0x00020000, 0x20000000

# Errors that mean refused or absent; any other error comes from a kernel that took the call.
REFUSALS = {
    errno.EPERM, errno.EACCES, errno.ENOSYS, errno.ENOENT, errno.EROFS, errno.ESRCH, errno.ECONNREFUSED,
    errno.EAFNOSUPPORT, errno.EPROTONOSUPPORT, errno.ENETUNREACH, errno.ENXIO, errno.ENODEV,
}  # fmt: skip

PROBES = {}


def probe(attempt):
    PROBES[attempt.__name__.replace("_s_", "'s ").replace("_", " ")] = attempt
    return attempt


def call(x86_64, aarch64, *arguments):
    """A system call by its numbers."""
    words = [ctypes.c_long(word) if isinstance(word, int) else word for word in arguments]
    result = LIBC.syscall(ctypes.c_long(x86_64 if IS_X86 else aarch64), *words)
    if result == -1:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def opened_for_writing(path):
    """Nothing is written: what opens could be."""
    os.close(os.open(path, os.O_WRONLY))
    return path


def read(path):
    with open(path, "rb") as file:
        return f"{len(file.read(1000))} bytes"


def listed(path):
    return ", ".join(sorted(os.listdir(path))[:5])


def add(name, attempt):
    PROBES[name] = attempt


# Files of the kernel.
for setting in ("kernel/core_pattern", "kernel/modprobe", "vm/overcommit_memory", "vm/drop_caches"):
    add(f"open /proc/sys/{setting} for writing", lambda path=f"/proc/sys/{setting}": opened_for_writing(path))
add("open /proc/sysrq-trigger for writing", lambda: opened_for_writing("/proc/sysrq-trigger"))
add("open /proc/1/oom_score_adj for writing", lambda: opened_for_writing("/proc/1/oom_score_adj"))
add("open /proc/1/mem for writing", lambda: opened_for_writing("/proc/1/mem"))
for path in (
    "/proc/kcore", "/proc/kmsg", "/proc/keys", "/proc/timer_list", "/proc/cmdline", "/proc/kpagecount",
    "/proc/slabinfo", "/proc/sys/kernel/random/boot_id", "/proc/config.gz",
):  # fmt: skip
    add(f"read {path}", lambda path=path: read(path))
for path in ("/sys", "/sys/fs/cgroup", "/sys/kernel"):
    add(f"list {path}", lambda path=path: listed(path))
for name in ("environ", "mem", "maps"):
    add(f"read /proc/1/{name}", lambda name=name: read(f"/proc/1/{name}"))
add("list the root of process 1", lambda: listed("/proc/1/root"))


def refuse():
    """Report that the sandbox showed nothing."""
    raise OSError(errno.EPERM, "nothing to see")


@probe
def read_the_settings_of_the_sandbox_in_a_command_line():
    for name in os.listdir("/proc"):
        if name.isdecimal():
            with open(f"/proc/{name}/cmdline", "rb") as file:
                if FACTS["neighbour"].encode() in file.read() and int(name) != os.getpid():
                    return name
    return refuse()


# Files of the user and the machine.
for path in ("/etc/shadow", "/etc/hostname", "/etc/ssh", "/etc/fstab", "/etc/sudoers", "/etc/machine-id"):
    add(f"read {path}", lambda path=path: listed(path) if os.path.isdir(path) else read(path))
for path in ("/opt", "/home", "/var", "/run", "/boot", "/srv", "/mnt", "/media"):
    add(f"list {path}", lambda path=path: listed(path) or refuse())


@probe
def read_the_names_of_users():
    with open("/etc/passwd") as file:
        users = [line.split(":")[0] for line in file]
    return ", ".join(users) if users != ["agent"] else refuse()


@probe
def read_another_agent_s_file():
    return read(FACTS["other_agent"])


@probe
def see_another_agent_s_name():
    names = os.listdir(os.path.dirname(FACTS["other_agent"]))
    return os.path.basename(FACTS["other_agent"]) in names or refuse()


@probe
def see_the_tournament_s_file():
    names = [name for name in os.listdir(os.path.dirname(FACTS["other_agent"])) if name.endswith((".db", ".git"))]
    return names or refuse()


@probe
def follow_a_link_out_of_its_folder():
    return read(os.path.join(os.path.dirname(FACTS["other_agent"]), "link"))


@probe
def read_a_neighbour_s_folder():
    return listed(FACTS["neighbour"])


@probe
def read_a_file_in_the_host_s_shared_memory():
    return read(FACTS["shared_memory"])


@probe
def write_its_own_folder():
    with open(os.path.join(os.path.dirname(FACTS["other_agent"]), "written"), "w"):
        return "written"


for path in ("/written", "/usr/written", "/etc/written", "/dev/written", "/proc/written"):
    add(f"create {path}", lambda path=path: os.open(path, os.O_CREAT | os.O_WRONLY))
add("create a file beside Python", lambda: os.open(os.path.join(sys.prefix, "written"), os.O_CREAT | os.O_WRONLY))


# The network.
@probe
def connect_to_a_port_of_the_host():
    socket.create_connection(("127.0.0.1", FACTS["port"]), timeout=5).close()
    return "connected"


@probe
def send_a_packet_to_the_internet():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        return sender.sendto(b"x", ("192.0.2.1", 9))


@probe
def connect_to_an_abstract_socket_of_the_host():
    with socket.socket(socket.AF_UNIX) as own:
        own.connect(f"\0{FACTS['abstract']}")
    return "connected"


@probe
def connect_to_a_socket_file_of_the_host():
    with socket.socket(socket.AF_UNIX) as own:
        own.connect(FACTS["socket"])
    return "connected"


FAMILIES = {
    "packet": 17,
    "vsock": 40,
    "alg": 38,
    "bluetooth": 31,
    "can": 29,
    "xdp": 44,
    "key": 15,
    "smc": 43,
    "tipc": 30,
}
for family, number in FAMILIES.items():
    add(f"open a socket of family {family}", lambda number=number: socket.socket(number, socket.SOCK_DGRAM, 0).fileno())
add("open a raw socket", lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, 1).fileno())
add("open a netlink socket to netfilter", lambda: socket.socket(16, socket.SOCK_RAW, 12).fileno())
add("open an MPTCP socket", lambda: socket.socket(socket.AF_INET, socket.SOCK_STREAM, 262).fileno())


# Other processes.
@probe
def signal_a_process_of_the_host():
    os.kill(FACTS["pid"], 0)
    return "signalled"


@probe
def see_a_process_of_the_host():
    names = [name for name in os.listdir("/proc") if name.isdecimal()]
    return names if len(names) > 10 or str(FACTS["pid"]) in names else refuse()


@probe
def signal_process_1():
    os.kill(1, 0)
    return "signalled"


add("trace process 1", lambda: call(101, 117, 16, 1, 0, 0))
add("trace itself", lambda: in_child(lambda: call(101, 117, 0, 0, 0, 0)))
add("read the memory of process 1", lambda: call(310, 270, 1, None, 0, None, 0, 0))
add("take a descriptor of process 1", lambda: call(438, 438, os.pidfd_open(1), 0, 0))
add("enter the mounts of process 1", lambda: call(308, 268, os.open("/proc/1/ns/mnt", os.O_RDONLY), 0))
add(
    "enter the network of its own namespace again", lambda: call(308, 268, os.open("/proc/self/ns/net", os.O_RDONLY), 0)
)


# Rights.
def in_child(action):
    """Run an action that may succeed in a child, so that it harms no later probe."""
    ours, theirs = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.write(theirs, json.dumps(["reached", str(action())]).encode())
        except OSError as error:
            os.write(theirs, json.dumps(["error", error.errno]).encode())
        finally:
            os._exit(0)
    os.close(theirs)
    told = os.read(ours, 4096)
    os.close(ours)
    status = os.waitpid(child, 0)[1]
    if not told:
        if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGSYS:
            raise OSError(errno.EPERM, "killed by SIGSYS")
        return f"status {status}"
    outcome, value = json.loads(told)
    if outcome == "error":
        raise OSError(value, os.strerror(value))
    return value


def is_host_root():
    """Root's id in a user namespace of an ordinary user has no rights outside; FACTS tells who runs the jail."""
    return "user id 0" if FACTS["is_root"] and os.getuid() == 0 else refuse()


add("be root", is_host_root)
add("become root", lambda: become_root() if os.getuid() else is_host_root())
add("become a group", lambda: in_child(lambda: os.setgroups([0])))
add("have a capability", lambda: any_bits("CapEff", "CapPrm", "CapInh", "CapBnd", "CapAmb"))
add("gain rights by a setuid program", lambda: status("NoNewPrivs") == "0" or refuse())
add("run without a filter", lambda: status("Seccomp") == "0" or refuse())
add("make a device", lambda: os.mknod("/tmp/disk", 0o60600, os.makedev(254, 0)))
add("change the root", lambda: in_child(lambda: os.chroot("/tmp")))
add("get a high priority", lambda: in_child(lambda: os.setpriority(os.PRIO_PROCESS, 0, -5)))
add("get real-time scheduling", lambda: in_child(lambda: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))))
add("raise a limit", lambda: in_child(raise_limit))
add("escape the killer of processes when memory runs out", lambda: in_child(lambda: write_own("oom_score_adj", "0")))
add("have an inherited descriptor", lambda: INHERITED or refuse())
add("have a secret in the environment", lambda: os.environ.get("CLASS_SECRET") or refuse())
add("read the name of the host", lambda: os.uname().nodename == FACTS["host"] or refuse())


def become_root():
    try:
        return in_child(lambda: os.setuid(0))
    except OSError as error:
        if error.errno == errno.EINVAL:  # the id does not exist in this user namespace
            refuse()
        raise


def status(name):
    with open("/proc/self/status") as file:
        return next(line.split()[1] for line in file if line.startswith(f"{name}:"))


def any_bits(*names):
    return [name for name in names if int(status(name), 16)] or refuse()


def raise_limit():
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard + 1))
    except ValueError as error:  # Python's form of EPERM
        raise PermissionError(errno.EPERM, str(error)) from error


def write_own(name, text):
    with open(f"/proc/self/{name}", "w") as file:
        file.write(text)


# Namespaces and mounts.
add("make a user namespace", lambda: in_child(lambda: call(272, 97, CLONE_NEWUSER)))
add("make a mount namespace in a user namespace", lambda: in_child(lambda: call(272, 97, CLONE_NEWUSER | CLONE_NEWNS)))
add("clone into a user namespace", lambda: cloned(CLONE_NEWUSER | signal.SIGCHLD))
add("mount a tmpfs", lambda: in_child(lambda: call(165, 40, b"x", b"/tmp", b"tmpfs", 0, None)))
add("mount a tmpfs in a nested namespace", lambda: in_child(nested_tmpfs))
add("unmount what hides /proc/sys", lambda: call(166, 39, b"/proc/sys", 0))
add("make the root writable", lambda: call(165, 40, b"", b"/", b"", 32 | 4096, None))
add("open a file system", lambda: call(430, 430, b"tmpfs", 0))
add("clone a tree of mounts", lambda: call(428, 428, -100, b"/", 1))
add("change a mount", lambda: call(442, 442, -100, b"/", 0, struct.pack("4Q", 0, 1, 0, 0), 32))


def cloned(flags):
    child = call(56, 220, flags, 0, 0, 0, 0)
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)
    return "cloned"


@probe
def clone3_into_a_user_namespace():
    child = call(435, 435, struct.pack("8Q", CLONE_NEWUSER, 0, 0, 0, signal.SIGCHLD, 0, 0, 0), 64)
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)
    return "cloned"


def nested_tmpfs():
    call(272, 97, CLONE_NEWUSER | CLONE_NEWNS)
    return call(165, 40, b"x", b"/tmp", b"tmpfs", 0, None)


# Keys.
@probe
def read_a_key_of_the_host():
    key = call(250, 219, 10, -3, b"user", b"joute-secret", 0)
    return call(250, 219, 11, key, ctypes.create_string_buffer(100), 100)


@probe
def leave_a_key_for_the_next_agent():
    return call(248, 217, b"user", b"joute-left", b"x", 1, -3)


@probe
def request_a_key():
    return call(249, 218, b"user", b"joute-secret", None, -3)


# Parts of the kernel, with arguments that change nothing where they are taken.
add("set up io_uring", lambda: call(425, 425, 1, ctypes.create_string_buffer(120)))
add("set up asynchronous I/O", lambda: call(206, 0, 1, ctypes.create_string_buffer(struct.pack("Q", 0), 8)))
add("make a userfaultfd", lambda: call(323, 282, 1))
add("load a BPF program", lambda: call(321, 280, 0, ctypes.create_string_buffer(72), 72))
add("open a performance counter", lambda: call(298, 241, struct.pack("II104x", 1, 112), 0, -1, -1, 0))
add("make a handle of a file", lambda: call(303, 264, -100, b"/tmp", struct.pack("Ii128x", 128, 0), bytes(8), 0))
add("open a file by its handle", lambda: call(304, 265, -100, struct.pack("Ii8x", 8, 1), 0))
add("watch all files", lambda: call(300, 262, 0, 0))
add("load a new kernel", lambda: call(246, 104, 0, 17, None, 0xFFFF))
add("load a module", lambda: call(313, 273, -1, b"", 0))
add("read the kernel's log", lambda: call(103, 116, 3, ctypes.create_string_buffer(100), 100))
add("set the clock", lambda: call(227, 112, 9999, None))
add("restart the machine", lambda: call(169, 142, 0, 0, 0, None))
add("set the name of the machine", lambda: in_child(lambda: call(170, 161, b"x", 1)))
add("use a swap file", lambda: call(167, 224, b"/none/such", 0))
add("account for processes", lambda: call(163, 89, b"/none/such"))
add("splice memory into a pipe", lambda: call(278, 75, -1, None, 0, 0))
add("switch off address randomization", lambda: in_child(lambda: call(135, 92, 0x0040000)))
add("place memory on a node", lambda: call(238, 237, 0, None, 0))
add("use 32-bit system calls", lambda: in_child(called_by_interrupt) if IS_X86 else refuse())
add("use x32 system calls", lambda: call(0x40000000 + 39, 172) if IS_X86 else refuse())


@probe
def push_input_into_a_terminal():
    leader, follower = os.openpty()
    os.close(leader)
    return LIBC.ioctl(follower, 0x5412, b"x") and fail()


def fail():
    raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def called_by_interrupt():
    """getpid of 32-bit programs: mov eax, 20; int 0x80; ret."""
    code = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    code.write(b"\xb8\x14\x00\x00\x00\xcd\x80\xc3")
    return ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(code)))()


# Memory that belongs to no process.
add("make a memfd", lambda: os.memfd_create("x"))
add("make secret memory", lambda: call(447, 447, 0))
add("make SysV shared memory", lambda: call(29, 194, 0, 4096, 0o1600))
add("make a SysV message queue", lambda: call(68, 186, 0, 0o1600))
add("make SysV semaphores", lambda: call(64, 190, 0, 1, 0o1600))
add("make a POSIX message queue", lambda: call(240, 180, b"joute", os.O_CREAT | os.O_RDWR, 0o600, None))
add("hide from the supervisor", lambda: in_child(lambda: LIBC.prctl(4, 0, 0, 0, 0) and fail()))


@probe
def enlarge_a_pipe():
    import fcntl

    ours, theirs = os.pipe()
    try:
        return fcntl.fcntl(ours, 1031, 1 << 20)
    finally:
        os.close(ours)
        os.close(theirs)


def outcome(attempt):
    """Whether an attempt was refused, and what it reached or met."""
    try:
        reached = attempt()
    except OSError as error:
        refused = error.errno in REFUSALS
        return {"refused": refused, "told": os.strerror(error.errno)}
    return {"refused": False, "told": str(reached)[:100]}


def main():
    print("ready", flush=True)
    FACTS.update(json.loads(sys.stdin.readline()))
    print(json.dumps({name: outcome(attempt) for name, attempt in PROBES.items()}), flush=True)


if __name__ == "__main__":
    main()
