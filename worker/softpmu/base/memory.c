/*
 * See memory.h. Changes nothing of a tracee but the byte that memory_is_writable writes over
 * itself.
 */
#include "worker/softpmu/base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/ptrace.h>

#include "worker/softpmu/base/kernel.h"

enum { MEM_PATH_MAX = 32, PAGE = 4096 };

/* A container's filter answers EPERM before the kernel looks at the tracee, or ENOSYS. */
static bool is_forbidden(long result)
{
	return result == -EPERM || result == -ENOSYS;
}

struct transfer {
	pid_t tid;
	const struct iovec *local, *remote;
	size_t locals, remotes;
};

/* One stretch of both lists after the other, through a descriptor of /proc/TID/mem. */
static long read_lists(long fd, const struct transfer *transfer)
{
	long total = 0, moved = 0;
	size_t there = 0, here = 0, there_at = 0, here_at = 0;

	while (there < transfer->remotes && here < transfer->locals && moved >= 0) {
		const struct iovec *remote = &transfer->remote[there];
		const struct iovec *local = &transfer->local[here];
		size_t left = remote->iov_len - there_at, room = local->iov_len - here_at;
		size_t part = left < room ? left : room;

		moved = part == 0 ? 0
				  : kernel_call(SYS_pread64, fd,
					(long)((char *)local->iov_base + here_at), (long)part,
					(long)((char *)remote->iov_base + there_at), 0, 0);
		if (moved != (long)part)
			break;
		total += moved;
		there_at += part;
		here_at += part;
		if (there_at == remote->iov_len)
			there++, there_at = 0;
		if (here_at == local->iov_len)
			here++, here_at = 0;
	}
	return total > 0 ? total : -EFAULT;
}

long memory_read_lists(
    pid_t tid, const struct iovec *local, size_t locals, const struct iovec *remote, size_t remotes)
{
	const struct transfer transfer = {tid, local, remote, locals, remotes};
	long moved = kernel_call(
	    SYS_process_vm_readv, tid, (long)local, (long)locals, (long)remote, (long)remotes, 0);
	char path[MEM_PATH_MAX];
	long fd;

	if (!is_forbidden(moved))
		return moved;
	snprintf(path, sizeof(path), "/proc/%d/mem", tid);
	fd = kernel_call(SYS_openat, AT_FDCWD, (long)path, O_RDONLY | O_CLOEXEC, 0, 0, 0);
	if (fd < 0)
		return moved;
	moved = read_lists(fd, &transfer);
	kernel_call(SYS_close, fd, 0, 0, 0, 0, 0);
	return moved;
}

size_t memory_read_some(pid_t tid, uint64_t address, void *bytes, size_t size)
{
	struct iovec local = {bytes, size}, remote = {(void *)(uintptr_t)address, size};
	const long got = memory_read_lists(tid, &local, 1, &remote, 1);

	return got > 0 ? (size_t)got : 0;
}

bool memory_read(pid_t tid, uint64_t address, void *bytes, size_t size)
{
	return memory_read_some(tid, address, bytes, size) == size;
}

size_t memory_read_code(pid_t tid, uint64_t address, uint8_t *bytes, size_t length)
{
	struct iovec local = {bytes, length};
	struct iovec remote[3];
	size_t remotes = 0;
	long got;

	/* The kernel reads whole elements only, so use one element per page. */
	while (length > 0 && remotes < 3) {
		size_t part = PAGE - (address & (PAGE - 1));

		if (part > length)
			part = length;
		remote[remotes++] = (struct iovec){(void *)(uintptr_t)address, part};
		address += part;
		length -= part;
	}
	got = memory_read_lists(tid, &local, 1, remote, remotes);
	return got > 0 ? (size_t)got : 0;
}

size_t memory_code_reader(void *context, uint64_t address, uint8_t *bytes, size_t length)
{
	return memory_read_code(*(const pid_t *)context, address, bytes, length);
}

bool memory_read_word(pid_t tid, uint64_t address, uint64_t *word)
{
	return memory_read(tid, address, word, sizeof *word);
}

bool memory_write(pid_t tid, uint64_t address, const uint64_t *words, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (kernel_ptrace(PTRACE_POKEDATA, tid, address + i * sizeof *words, words[i]) < 0)
			return false;
	}
	return true;
}

/*
 * A byte is written over itself to see: where the program cannot write, neither can this call. What
 * may write anywhere (/proc/TID/mem) cannot tell, and so a page counts as writable there.
 */
bool memory_is_writable(pid_t tid, uint64_t address)
{
	uint8_t byte;
	struct iovec local = {&byte, 1}, remote = {(void *)(uintptr_t)address, 1};
	long wrote;

	if (!memory_read(tid, address, &byte, 1))
		return false;
	wrote = kernel_call(SYS_process_vm_writev, tid, (long)&local, 1, (long)&remote, 1, 0);
	return wrote == 1 || is_forbidden(wrote);
}
