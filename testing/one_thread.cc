// Linked with the programs of fathom_test(... ONE_THREAD): there, a test that starts a thread
// fails.
//
// Such programs are not run with ThreadSanitizer, which could not find anything in them.

#include <pthread.h>

#include <cstdio>
#include <cstdlib>

#ifdef __GLIBC__
#define AS_DECLARED noexcept
#else
#define AS_DECLARED
#endif

// Replaces the library's function, for std::thread as well.
extern "C" int pthread_create(pthread_t* /*thread*/, const pthread_attr_t* /*attributes*/,
                              void* (* /*start*/)(void*), void* /*argument*/) AS_DECLARED {
  std::fputs(
      "A test started a thread, but its program is declared with ONE_THREAD: move the test\n",
      stderr);
  std::abort();
}
