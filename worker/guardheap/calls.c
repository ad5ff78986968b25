/*
 * See calls.h.
 */
#include "worker/guardheap/calls.h"

#include <fcntl.h>
#include <stdbool.h>
#include <sys/mman.h>
#include "worker/guardheap/layout.h"

static bool failed(long result)
{
	return result < 0 && result > -(long)GUARDHEAP_PAGE;
}

unsigned long calls_map(unsigned long address, size_t size, int rights)
{
	int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | (address ? MAP_FIXED : 0);
	long result = kernel_call(SYS_mmap, (long)address, (long)size, rights, flags, -1, 0);

	return failed(result) ? 0 : (unsigned long)result;
}

bool calls_protect(unsigned long address, size_t size, int rights)
{
	return call3(SYS_mprotect, (long)address, (long)size, rights) == 0;
}

void calls_read(const char *path, char *text, size_t size)
{
	long fd = kernel_call(SYS_openat, AT_FDCWD, (long)path, O_RDONLY | O_CLOEXEC, 0, 0, 0);
	long length = fd < 0 ? 0 : call3(SYS_read, fd, (long)text, (long)size - 1);

	text[length > 0 ? length : 0] = '\0';
	if (fd >= 0)
		call3(SYS_close, fd, 0, 0);
}

void *calls_share(const char *path)
{
	long fd = kernel_call(SYS_openat, AT_FDCWD, (long)path,
	    O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600, 0, 0);
	long result;

	if (fd < 0)
		return NULL;
	result = call3(SYS_ftruncate, fd, (long)GUARDHEAP_PAGE, 0);
	if (result == 0)
		result = kernel_call(
		    SYS_mmap, 0, (long)GUARDHEAP_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	call3(SYS_close, fd, 0, 0);
	return failed(result) ? NULL : (void *)result;
}
