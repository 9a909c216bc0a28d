// RuledTree: a temporary tree that plays the root of a filesystem, with the home directory /home,
// whose entries are 100 days old, and what the rules say about it.

#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <ctime>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "fathom/act/candidates.h"
#include "fathom/fs/scan.h"
#include "fathom/testing/temp_tree.h"

namespace fathom::act {

inline constexpr const char* kCacheTag = "Signature: 8a477f597d28d172789f06886806bc55\n# a cache\n";
inline constexpr std::int64_t kDaySeconds = 24LL * 60 * 60;

class RuledTree : public ::testing::Test {
 protected:
  RuledTree() : rules_(RuleSet::built_in()) {
    options_.now = std::time(nullptr) + 100 * kDaySeconds;
    options_.around.uid = ::geteuid();
    auto& variables = options_.around.variables;
    variables = {{"ROOT", tree_.path()},
                 {"UID", std::to_string(::geteuid())},
                 {"HOME", tree_.path("home")},
                 {"XDG_CACHE_HOME", tree_.path("home/.cache")},
                 {"XDG_CONFIG_HOME", tree_.path("home/.config")},
                 {"XDG_DATA_HOME", tree_.path("home/.local/share")},
                 {"GOCACHE", tree_.path("home/.cache/go-build")},
                 {"GOMODCACHE", tree_.path("home/go/pkg/mod")},
                 {"GRADLE_USER_HOME", tree_.path("home/.gradle")}};
  }

  void files(const std::vector<std::string>& paths) {
    for (const std::string& path : paths) tree_.file(path, 100);
  }

  Candidates find() {
    fs::ScanOptions options;
    options.roots = {tree_.path()};
    scan_ = fs::scan(options);
    return find_candidates(scan_, rules_, options_);
  }

  // The candidates, except empty directories: "safe cargo-target p/target".
  std::vector<std::string> found() {
    found_ = find();
    std::vector<std::string> lines;
    for (const Candidate& one : found_.items) {
      if (one.rule->id == "empty-directories") continue;
      lines.push_back(std::string(to_string(one.cls)) + ' ' + one.rule->id + ' ' +
                      one.path.substr(tree_.path().size() + 1));
    }
    return lines;
  }

  // What was skipped: "p/target is open in process 1 (x)".
  std::vector<std::string> skipped() {
    found_ = find();
    std::vector<std::string> lines;
    for (const SkippedCandidate& one : found_.skipped) {
      lines.push_back(one.path.substr(tree_.path().size() + 1) + ' ' + one.why);
    }
    return lines;
  }

  void cargo_target(const std::string& project) {
    files({project + "/Cargo.toml", project + "/target/.rustc_info.json",
           project + "/target/debug/a.o"});
    tree_.write(project + "/target/CACHEDIR.TAG", kCacheTag);
  }

  using Lines = std::vector<std::string>;

  testing::TempTree tree_;
  RuleSet rules_;
  CandidateOptions options_;
  fs::Scan scan_;
  Candidates found_;
};

}  // namespace fathom::act
