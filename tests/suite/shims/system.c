/* A system that fails as it is told, for programs that load this library first (LD_PRELOAD).
 *
 * SHIM_FLOCK, SHIM_FSYNC_FOLDER, SHIM_FSYNC_FILE   error number of these calls
 * SHIM_THREADS                                     threads that can be started; no more after them
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>

/* The number in a variable, or what is said for one that is not set. */
static int number(const char *name, int without)
{
    const char *text = getenv(name);
    return text ? atoi(text) : without;
}

static int fail(int error)
{
    errno = error;
    return -1;
}

int flock(int fd, int operation)
{
    int (*real)(int, int) = (int (*)(int, int))dlsym(RTLD_NEXT, "flock");
    int error = number("SHIM_FLOCK", 0);
    return error ? fail(error) : real(fd, operation);
}

int fsync(int fd)
{
    int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
    struct stat data;
    int is_folder = fstat(fd, &data) == 0 && S_ISDIR(data.st_mode);
    int error = number(is_folder ? "SHIM_FSYNC_FOLDER" : "SHIM_FSYNC_FILE", 0);
    return error ? fail(error) : real(fd);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *argument)
{
    static int started;
    typedef int create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    create *real = (create *)dlsym(RTLD_NEXT, "pthread_create");
    int most = number("SHIM_THREADS", -1);
    if (most >= 0 && __atomic_fetch_add(&started, 1, __ATOMIC_SEQ_CST) >= most)
        return EAGAIN;
    return real(thread, attributes, start, argument);
}
