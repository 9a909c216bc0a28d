// Expectations for the result of explore().

#pragma once

#include <gtest/gtest.h>

#include "model/checker.h"

namespace fathom::model {

inline void expect_clean(const Result& result) {
  EXPECT_EQ(result.wrong, 0U);
  EXPECT_EQ(result.raced, 0U);
  EXPECT_EQ(result.deadlocked, 0U);
  EXPECT_EQ(result.endless, 0U);
  if (!result.clean()) {
    ADD_FAILURE() << "in run " << result.runs << ":\n" << result.trace;
    return;
  }
  EXPECT_GT(result.runs, 100U);
}

}  // namespace fathom::model
