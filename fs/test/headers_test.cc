// Data flows in one direction, and so do includes: including scan.h provides nothing of what
// follows a scan.

#include <gtest/gtest.h>

#include "fathom/fs/scan.h"

namespace fathom::fs {

class Totals;
class Table;
class ReportInput;

namespace {

template <class Type>
concept Known = requires {
  sizeof(Type);
};

TEST(Headers, OfAScanDoNotIncludeLaterStages) {
  EXPECT_TRUE(Known<Scan>);
  EXPECT_FALSE(Known<Totals>);
  EXPECT_FALSE(Known<Table>);
  EXPECT_FALSE(Known<ReportInput>);
}

}  // namespace
}  // namespace fathom::fs
