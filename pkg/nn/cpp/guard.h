// How C++ exceptions reach a caller in C.
#pragma once

#include <c10/util/Exception.h>

#include <cstring>
#include <exception>
#include <stdexcept>

namespace alamos {

// Runs f; what it throws becomes the message that the caller frees.
template <class F>
char *guard(F f) {
  try {
    f();
    return nullptr;
  } catch (const c10::Error &e) {
    return strdup(e.what_without_backtrace());
  } catch (const std::exception &e) {
    return strdup(e.what());
  } catch (...) {
    return strdup("unknown C++ exception");
  }
}

inline void require(bool ok, const char *what) {
  if (!ok) throw std::invalid_argument(what);
}

}  // namespace alamos
