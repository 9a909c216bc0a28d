// The ways to scan: every engine with few and many threads, and what all of them must agree on.

#pragma once

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fathom/fs/scan.h"
#include "fathom/fs/totals.h"
#include "fathom/testing/oracle.h"
#include "fathom/testing/subprocess.h"
#include "hand_made_tree.h"
#include "json_of.h"

namespace fathom::fs {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

// Slow tests are smaller in builds that check each access, and in repeated runs.
inline const bool kSmall = kSanitized || std::getenv("FATHOM_TEST_SMALL") != nullptr;

struct Way {
  Engine engine = Engine::serial;
  unsigned threads = 1;
};

inline std::ostream& operator<<(std::ostream& out, const Way& way) {
  return out << to_string(way.engine) << " with " << way.threads << " threads";
}

inline std::vector<Way> ways_with(const std::vector<unsigned>& threads) {
  std::vector<Way> ways;
  for (const Engine engine : {Engine::serial, Engine::pool, Engine::steal, Engine::lockfree}) {
    for (const unsigned count : threads) ways.push_back({engine, count});
  }
  return ways;
}

inline ScanOptions options_for(const Way& way, std::vector<std::string> roots) {
  ScanOptions options;
  options.roots = std::move(roots);
  options.engine = way.engine;
  options.threads = way.threads;
  return options;
}

// Calls function(Scan) with a scan in every way.
template <class Function>
void scan_every_way(const std::vector<std::string>& roots, Function&& function,
                    const std::vector<unsigned>& threads = {1, 2, 8, 32}) {
  for (const Way& way : ways_with(threads)) {
    SCOPED_TRACE(::testing::Message() << way);
    function(scan(options_for(way, roots)));
    if (::testing::Test::HasFatalFailure()) return;
  }
}

inline std::string describe(const std::vector<ScanError>& errors) {
  std::string text;
  for (const ScanError& error : errors) {
    text += std::string(error.operation) + " " + error.path.substr(0, 300) + ": errno " +
            std::to_string(error.code) + "\n";
  }
  return text;
}

inline bool lower_bound_at(const Scan& scan, const std::string& path) {
  return Totals(scan.tree).lower_bound(directory_at(scan.tree, find_node(scan.tree, path)));
}

inline std::uint64_t inode_of(const std::string& path) {
  struct stat buffer = {};
  EXPECT_EQ(::lstat(path.c_str(), &buffer), 0) << path;
  return buffer.st_ino;
}

// Checks that nothing went wrong, and that the sums are those of the oracle, which implements the
// same rules more simply.
inline void expect_equals_oracle(const Scan& scan, const testing::OracleTotals& expected) {
  EXPECT_TRUE(scan.complete()) << describe(scan.errors);
  EXPECT_EQ(scan.changed, 0U);
  const Counts whole = Totals(scan.tree).whole();
  EXPECT_EQ(whole.disk_bytes, expected.disk_bytes);
  EXPECT_EQ(whole.apparent_bytes, expected.apparent_bytes);
  EXPECT_EQ(whole.entries(), expected.entries);
  EXPECT_EQ(whole.dirs, expected.dirs);
}

// How many names of each type find reports, by find's letters: f, d, l, and others.
inline std::map<char, std::uint64_t> find_counts(const std::vector<std::string>& roots) {
  std::vector<std::string> command = {"find", "-P"};
  command.insert(command.end(), roots.begin(), roots.end());
  command.insert(command.end(), {"-printf", "%y"});
  std::map<char, std::uint64_t> counts;
  for (const char type : testing::run(command, {"LC_ALL=C"}).out) ++counts[type];
  return counts;
}

// Every path below the root according to find, in byte order.
inline std::vector<std::string> find_paths(const std::string& root) {
  const std::string out = testing::run({"find", "-P", root, "-print0"}, {"LC_ALL=C"}).out;
  std::vector<std::string> paths;
  for (std::size_t at = 0; at < out.size();) {
    const std::size_t end = out.find('\0', at);
    paths.push_back(out.substr(at, end - at));
    at = end + 1;
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

inline void expect_equals_find(const Scan& scan, const std::vector<std::string>& roots) {
  std::map<char, std::uint64_t> found = find_counts(roots);
  const Counts whole = Totals(scan.tree).whole();
  EXPECT_EQ(whole.files, found['f']);
  EXPECT_EQ(whole.dirs, found['d']);
  EXPECT_EQ(whole.symlinks, found['l']);
  std::uint64_t all = 0;
  for (const auto& [type, count] : found) all += count;
  EXPECT_EQ(whole.entries(), all);
}

inline void expect_equals_du(const Scan& scan, const std::vector<std::string>& roots,
                             bool one_file_system = false) {
  const Counts whole = Totals(scan.tree).whole();
  EXPECT_EQ(whole.disk_bytes, testing::du(roots, false, one_file_system));
  // Later versions of du ignore everything that is neither a file nor a symbolic link.
  if (testing::installed_du_rule() != testing::ApparentRule::every_kind) return;
  EXPECT_EQ(whole.apparent_bytes, testing::du(roots, true, one_file_system));
}

// Every report of a scan, without the parts that differ from run to run.
inline std::string comparable_json(const Scan& scan) {
  constexpr std::size_t kAll = 1'000'000;
  return without_timing(json_of(scan, {{.kind = ReportKind::summary},
                                       {.kind = ReportKind::largest_files, .count = kAll},
                                       {.kind = ReportKind::largest_dirs, .count = kAll},
                                       {.kind = ReportKind::errors}}));
}

}  // namespace fathom::fs
