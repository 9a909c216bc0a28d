// A real filesystem: /usr has cases that no test would think of.

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "every_way.h"
#include "fathom/testing/oracle.h"

namespace fathom::fs {
namespace {

constexpr const char* kRoot = "/usr";

// The results of du and find; taken twice, because another program may be writing there.
struct Known {
  std::uint64_t disk_bytes = 0;
  std::uint64_t apparent_bytes = 0;
  std::map<char, std::uint64_t> counts;

  bool operator==(const Known&) const = default;

  static Known ask() {
    return {.disk_bytes = testing::du(kRoot, false),
            .apparent_bytes = testing::du(kRoot, true),
            .counts = find_counts({kRoot})};
  }
};

TEST(Usr, EqualsDuAndFindInEveryWay) {
  if (::access(kRoot, R_OK | X_OK) != 0) GTEST_SKIP() << "no " << kRoot;
  const Known before = Known::ask();
  std::vector<Scan> scans;
  for (const Way& way : ways_with({2, 8})) scans.push_back(scan(options_for(way, {kRoot})));
  if (!(Known::ask() == before)) GTEST_SKIP() << kRoot << " changes while it is being scanned";

  const bool same_rule = testing::installed_du_rule() == testing::ApparentRule::every_kind;
  const std::string json = comparable_json(scans[0]);
  for (const Scan& scan : scans) {
    SCOPED_TRACE(to_string(scan.engine));
    const Counts whole = Totals(scan.tree).whole();
    EXPECT_EQ(whole.disk_bytes, before.disk_bytes);
    if (same_rule) {
      EXPECT_EQ(whole.apparent_bytes, before.apparent_bytes);
    }
    auto counts = before.counts;
    EXPECT_EQ(whole.files, counts['f']);
    EXPECT_EQ(whole.dirs, counts['d']);
    EXPECT_EQ(whole.symlinks, counts['l']);
    std::uint64_t all = 0;
    for (const auto& [type, count] : counts) all += count;
    EXPECT_EQ(whole.entries(), all);
    EXPECT_TRUE(comparable_json(scan) == json);
  }
}

}  // namespace
}  // namespace fathom::fs
