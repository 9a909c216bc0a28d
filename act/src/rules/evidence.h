// Evidence: whether conditions hold for an entry, read from the filesystem below the root of the
// scan, without following links.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fathom/act/rules.h"
#include "fathom/act/surroundings.h"
#include "fathom/fs/tree.h"
#include "os/safe_open.h"
#include "rules/git_trees.h"
#include "rules/scanned_paths.h"

namespace fathom::act {

// The entry about which is asked.
struct EvidenceSubject {
  const ScannedRoot& root;
  std::string below_root;  // its path from the root
  std::string path;        // absolute
  fs::Kind kind = fs::Kind::directory;
  const std::vector<std::string_view>& names_inside;  // of everything in it, at any depth
  const Surroundings& around;
  std::int64_t now = 0;
};

class Evidence {
 public:
  Evidence(const EvidenceSubject& subject, GitTrees& git) : subject_(subject), git_(git) {}

  // Whether the condition holds. Adds the paths that prove it, relative to the entry.
  [[nodiscard]] bool holds(const Condition& condition, std::vector<std::string>& proof);

  [[nodiscard]] const GitTrees::Answer& git();

 private:
  [[nodiscard]] std::optional<std::string> below_root(std::string_view relative) const;
  [[nodiscard]] bool locate(std::string_view relative, Location& location) const;
  [[nodiscard]] bool locate_itself(Location& location) const;
  [[nodiscard]] bool is(std::string_view relative, fs::Kind kind) const;
  [[nodiscard]] std::optional<std::string> text_of(std::string_view relative,
                                                   std::size_t most) const;

  [[nodiscard]] bool file(const Condition& condition, std::vector<std::string>& proof) const;
  [[nodiscard]] bool directory(const Condition& condition, std::vector<std::string>& proof) const;
  [[nodiscard]] bool glob(const Condition& condition, std::vector<std::string>& proof) const;
  [[nodiscard]] bool only(const Condition& condition) const;
  [[nodiscard]] bool somewhere(const Condition& condition) const;
  [[nodiscard]] bool source_outside(const Condition& condition,
                                    std::vector<std::string>& proof) const;
  [[nodiscard]] bool compiled() const;
  [[nodiscard]] bool core_dump() const;
  [[nodiscard]] bool live_log(std::vector<std::string>& proof) const;
  [[nodiscard]] bool not_running(const Condition& condition) const;
  [[nodiscard]] bool trashed(const Condition& condition, std::vector<std::string>& proof) const;
  [[nodiscard]] bool orphan_info() const;
  [[nodiscard]] bool unused(const Condition& condition) const;
  [[nodiscard]] bool empty() const;

  const EvidenceSubject& subject_;
  GitTrees& git_;
  std::optional<GitTrees::Answer> answer_;  // of git
};

// "2026-01-31T08:00:00" in a record of the trash, in seconds since the epoch.
[[nodiscard]] std::optional<std::int64_t> deletion_date(std::string_view record);

// The names that a rotated log may have had before it was rotated: "a.log" for "a.log.1.gz" and for
// "a-20260131.log". None if the name is not that of a rotated log.
[[nodiscard]] std::vector<std::string> names_before_rotation(std::string_view name);

}  // namespace fathom::act
