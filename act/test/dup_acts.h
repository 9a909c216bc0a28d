// Shared by the tests of acts on duplicates: hand-written plans for real files, and invariants that
// hold whatever was done.

#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "fathom/act/dup_apply.h"
#include "fathom/act/dup_plan.h"
#include "fathom/base/error.h"
#include "fathom/testing/temp_tree.h"

namespace fathom::act {

// What a test records of an act: its path below the root, and its result.
struct ActResult {
  std::string path;
  Outcome outcome = Outcome::done;
  std::string why;
  int code = 0;
  std::uint64_t freed = 0;
};

inline std::ostream& operator<<(std::ostream& out, const ActResult& result) {
  return out << result.path << ": " << to_string(result.outcome) << " (" << result.why << ")";
}

inline fs::FileIdentity identity_of(const std::string& path) {
  struct stat seen = {};
  if (::lstat(path.c_str(), &seen) != 0) throw base::SystemError("cannot stat " + path, errno);
  const auto nanoseconds = [](const struct timespec& time) {
    return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
  };
  return {seen.st_dev, seen.st_ino, static_cast<std::uint64_t>(seen.st_size),
          nanoseconds(seen.st_mtim), nanoseconds(seen.st_ctim)};
}

inline bool is_same_inode(const std::string& a, const std::string& b) {
  const fs::FileIdentity left = identity_of(a);
  const fs::FileIdentity right = identity_of(b);
  return left.device == right.device && left.inode == right.inode;
}

inline std::string read_whole(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw base::Error("cannot read " + path);
  std::string text(std::filesystem::file_size(path), '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  return text;
}

// Writes other content of the same length and restores the mtime, repeatedly until the clock of the
// filesystem has advanced.
inline void rewrite_in_secret(const std::string& path, const std::string& content) {
  struct stat before = {};
  struct stat now = {};
  ASSERT_EQ(::lstat(path.c_str(), &before), 0);
  do {
    std::ofstream(path, std::ios::binary) << content;
    const std::array<timespec, 2> times = {before.st_atim, before.st_mtim};
    ASSERT_EQ(::utimensat(AT_FDCWD, path.c_str(), times.data(), 0), 0);
    ASSERT_EQ(::lstat(path.c_str(), &now), 0);
  } while (now.st_ctim.tv_sec == before.st_ctim.tv_sec &&
           now.st_ctim.tv_nsec == before.st_ctim.tv_nsec);
}

// Whether names can be exchanged, and moved without overwriting: since Linux 3.15, but not in
// dup_old_kernel.cc.
inline bool has_renameat2() {
  return ::syscall(SYS_renameat2, -1, "", -1, "", 0U) == 0 || errno != ENOSYS;
}

// The paths of all regular files in a directory, with their contents.
inline std::map<std::string, std::string> files_of(const std::string& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (!entry.is_symlink() && entry.is_regular_file()) {
      files[entry.path().string().substr(folder.size() + 1)] = read_whole(entry.path());
    }
  }
  return files;
}

inline std::set<std::string> contents_of(const std::string& folder) {
  std::set<std::string> contents;
  for (const auto& [path, content] : files_of(folder)) contents.insert(content);
  return contents;
}

// Temporary names that only runs create.
inline std::vector<std::string> temp_names_in(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& [path, content] : files_of(folder)) {
    if (path.find(".fathom-dups-") != std::string::npos) names.push_back(path);
  }
  return names;
}

// A plan for the files of a directory: the first of each group is kept.
inline DupPlan plan_for(DupAction action, const std::string& folder,
                        const std::vector<std::vector<std::string>>& groups) {
  DupPlan plan;
  plan.action = action;
  plan.roots = {folder};
  // So late that no file is young: the identity is sufficient.
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  plan.looked_ns = std::chrono::nanoseconds(now + std::chrono::hours(1)).count();
  for (const auto& paths : groups) {
    PlanGroup group;
    for (const std::string& path : paths) {
      PlanFile file{0, path, identity_of(folder + '/' + path)};
      if (&path == &paths.front()) {
        group.kept = std::move(file);
      } else {
        group.acts.push_back(std::move(file));
      }
    }
    plan.groups.push_back(std::move(group));
  }
  return plan;
}

// A directory with files, and beside it the journal and the quarantine of a run.
class Acts : public ::testing::Test {
 protected:
  [[nodiscard]] std::string folder() const { return tree_.path("data"); }
  [[nodiscard]] std::string at(const std::string& path) const { return folder() + '/' + path; }
  void write(const std::string& path, const std::string& content) {
    tree_.write("data/" + path, content);
  }
  void hardlink(const std::string& path, const std::string& name) {
    tree_.hardlink("data/" + path, "data/" + name);
  }
  // Removes the files and all that runs have left.
  void start_over() const {
    for (const char* used : {"data", "away", "journal"}) {
      std::filesystem::remove_all(tree_.path(used));
    }
  }
  // The contents of the files and of those in the quarantine.
  [[nodiscard]] std::set<std::string> all_contents() const {
    auto contents = contents_of(folder());
    if (std::filesystem::exists(tree_.path("away"))) {
      contents.merge(contents_of(tree_.path("away")));
    }
    return contents;
  }

  [[nodiscard]] DupPlan plan(DupAction action,
                             const std::vector<std::vector<std::string>>& groups) const {
    return plan_for(action, folder(), groups);
  }

  // Options of a real run, with the journal and the quarantine of this test.
  [[nodiscard]] ApplyOptions options() const {
    ApplyOptions options;
    options.dry_run = false;
    options.journal = tree_.path("journal");
    options.quarantine = tree_.path("away");
    options.acts_at_once = acts_at_once_;
    return options;
  }

  std::vector<ActResult> apply(const DupPlan& plan, ApplyOptions options) {
    std::vector<ActResult> result;
    options.on_act = [&](const Act& act) {
      result.push_back({act.file->path, act.outcome, act.why, act.code, act.freed});
    };
    applied_ = apply_plan(plan, options);
    return result;
  }
  std::vector<ActResult> apply(const DupPlan& plan) { return apply(plan, options()); }

  // Carries out a plan that has one act.
  ActResult apply_one(const DupPlan& plan, const ApplyOptions& options) {
    const std::vector<ActResult> result = apply(plan, options);
    if (result.size() != 1) throw base::Error("one act was expected");
    return result.front();
  }
  ActResult apply_one(const DupPlan& plan) { return apply_one(plan, options()); }

  // The reason of an act contains the names that it has left.
  void expect_left_names_in(const std::string& why) const {
    for (const std::string& name : temp_names_in(folder())) {
      EXPECT_NE(why.find(name.substr(name.rfind('/') + 1)), std::string::npos)
          << name << " is left, but only said: " << why;
    }
  }

  testing::TempTree tree_;
  Applied applied_;
  std::size_t acts_at_once_ = ApplyOptions().acts_at_once;
};

// Batch sizes: one act, some, and all acts of a test.
inline constexpr std::size_t kAtOnce[] = {1, 2, 64};

inline constexpr DupAction kActions[] = {DupAction::hardlink, DupAction::reflink, DupAction::remove,
                                         DupAction::quarantine};
// The actions that work on every filesystem.
inline constexpr DupAction kActionsAnywhere[] = {DupAction::hardlink, DupAction::remove,
                                                 DupAction::quarantine};

}  // namespace fathom::act
