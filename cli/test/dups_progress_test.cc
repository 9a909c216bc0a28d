// Tests of the progress line of fathom dups.

#include <gtest/gtest.h>

#include <string>

#include "run/dups_session.h"

namespace fathom::cli {
namespace {

constexpr base::Units kUnits = base::Units::iec;

const fs::DuplicateProgress kKnown = {.files = 1200,
                                      .files_total = 3400,
                                      .bytes = 3ULL << 30,
                                      .bytes_total = 12ULL << 30,
                                      .groups = 5,
                                      .wasted_bytes = 1 << 20,
                                      .seconds = 10};

TEST(DupsProgress, ShowsShareBytesTimeAndFindings) {
  EXPECT_EQ(progress_text(kKnown, kUnits, 200),
            "comparing 25%  3.0 GiB of 12 GiB  30 s left  1,200 of 3,400 files  "
            "5 groups, 1.0 MiB wasted");
}

TEST(DupsProgress, FitsEveryWidth) {
  for (unsigned columns = 14; columns < 120; ++columns) {
    EXPECT_LE(progress_text(kKnown, kUnits, columns).size(), columns);
  }
}

TEST(DupsProgress, ShowsNoUnreliableTime) {
  fs::DuplicateProgress known = kKnown;
  known.seconds = 0.5;
  EXPECT_EQ(progress_text(known, kUnits, 200).find(" left"), std::string::npos);
  known = kKnown;
  known.bytes = 0;
  EXPECT_EQ(progress_text(known, kUnits, 200).find(" left"), std::string::npos);
  known.bytes = known.bytes_total;
  EXPECT_EQ(progress_text(known, kUnits, 200).find(" left"), std::string::npos);
}

TEST(DupsProgress, RoundsTimes) {
  fs::DuplicateProgress known = kKnown;
  const auto says = [&](double seconds, const char* left) {
    known.seconds = seconds;  // three times as many remain
    return progress_text(known, kUnits, 200).find(std::string("  ") + left + " left  ") !=
           std::string::npos;
  };
  EXPECT_TRUE(says(33, "99 s"));
  EXPECT_TRUE(says(40, "2 min"));
  EXPECT_TRUE(says(1200, "60 min"));
  EXPECT_TRUE(says(3600, "3 h"));
  EXPECT_TRUE(says(1e300, "1000000 h"));
}

TEST(DupsProgress, IsEmptyWithoutWork) {
  EXPECT_EQ(progress_text({}, kUnits, 200), "comparing 0%  0 B of 0 B  0 of 0 files");
}

}  // namespace
}  // namespace fathom::cli
