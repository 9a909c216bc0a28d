// What the readers say about a file that is not as fathom wrote it.

#pragma once

#include <string>

#include "fathom/base/error.h"

namespace fathom::store {

// Throws a base::Error, whose message follows the name of the file.
[[noreturn]] inline void damaged(const std::string& why) {
  throw base::Error("is damaged: " + why);
}

}  // namespace fathom::store
