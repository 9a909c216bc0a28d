// Expectations in a child process, where a failed EXPECT_ would not reach the parent: each throws
// base::Error if it does not hold.

#pragma once

#include <gtest/gtest.h>

#include <string>

#include "fathom/base/error.h"

namespace fathom::fs {

inline void require(bool holds, const std::string& what) {
  if (!holds) throw base::Error("not so: " + what);
}

template <class A, class B>
void require_equal(const A& got, const B& wanted, const std::string& what) {
  if (got == wanted) return;
  throw base::Error(what + ": " + ::testing::PrintToString(got) + " instead of " +
                    ::testing::PrintToString(wanted));
}

}  // namespace fathom::fs
