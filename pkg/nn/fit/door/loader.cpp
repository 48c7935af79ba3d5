#include <dlfcn.h>
#include <glob.h>
#include <pthread.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

extern "C" {
extern const unsigned long alamos_door_count;
extern void *alamos_door_table[];
extern const char alamos_door_names[];
void alamos_door_open();
}

// ALAMOS_WHEELS is the folder of NVIDIA's Python packages beside Python's torch, and
// ALAMOS_REAL the library behind the door, which stands beside it. Before that library this
// loads what Python's torch loads beforehand too (since 2.6), because cuDNN and cuSPARSE look
// for it by name alone.

static void fail(const char *what) {
	const char *why = dlerror();
	std::fprintf(stderr, "alamos: %s: %s (make setup fits alamos to the libtorch that is installed)\n", what, why ? why : "unknown error");
	std::exit(1);
}

static void preload(const char *library) {
	static const char wheels[] = ALAMOS_WHEELS;
	glob_t found;
	if (glob((std::string(wheels) + "/*/lib/" + library).c_str(), 0, nullptr, &found) == 0)
		for (size_t i = 0; i < found.gl_pathc; i++) dlopen(found.gl_pathv[i], RTLD_NOW | RTLD_GLOBAL);
	globfree(&found);
}

static void load() {
	preload("libnvJitLink.so.*");
	preload("libnvrtc-builtins.so.*");
	preload("libnvrtc.so.*");
	Dl_info self;
	if (!dladdr(reinterpret_cast<void *>(&alamos_door_open), &self)) fail("cannot find libtch.so");
	std::string path(self.dli_fname);
	path = path.substr(0, path.rfind('/') + 1) + ALAMOS_REAL;
	// Global, as it would be had the program been linked to it.
	void *real = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
	if (!real) fail("cannot load libtorch");
	const char *name = alamos_door_names;
	for (unsigned long i = 0; i < alamos_door_count; i++, name += std::strlen(name) + 1) {
		void *to = dlsym(real, name);
		if (!to) fail(name);
		__atomic_store_n(&alamos_door_table[i], to, __ATOMIC_RELEASE);
	}
}

void alamos_door_open() {
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	pthread_once(&once, load);
}
