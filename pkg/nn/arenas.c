// Threads come and go with trainers and sessions, and by default each may get an
// arena of memory of its own, up to eight a processor, that keeps what it freed: a
// run of many generations grew by a quarter for the first dozens of them. One a
// processor is enough. glibc heeds this only before other threads have theirs, so
// it is said when the program starts.
#ifdef __linux__
#include <malloc.h>
#include <unistd.h>

#ifdef M_ARENA_MAX
__attribute__((constructor)) static void limit_arenas(void) {
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	mallopt(M_ARENA_MAX, processors > 2 ? (int)processors : 2);
}
#endif
#endif
