// NeverTouch: what no act may remove or move, whichever rule or person chose it, and whatever
// rights the user has. No option turns this off.
//
// Looks at the path, at the directories above it, and at the entry itself, on the filesystem at
// that moment and without following links. It knows places and marks, not contents: before an act
// on a directory, also ask never_inside() about each entry below it.
//
//   const NeverTouch never(own_surroundings());
//   if (const auto why = never.why("/home/ana")) skip("/home/ana " + *why);  // is your home ...
//
// One thread at a time.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "fathom/act/surroundings.h"
#include "fathom/base/set_aside.h"

namespace fathom::act {

struct Location;  // os/safe_open.h

class NeverTouch {
 public:
  explicit NeverTouch(Surroundings surroundings);
  ~NeverTouch();
  NeverTouch(NeverTouch&&) noexcept;
  NeverTouch& operator=(NeverTouch&&) noexcept;

  // Why the entry at an absolute path may not be touched, as the rest of a sentence that begins
  // with its path: "is a mount point". Nothing if it may. An entry that cannot be examined may not
  // be touched. With `root_device`, it must also be on that filesystem.
  [[nodiscard]] std::optional<std::string> why(
      const std::string& path, std::optional<std::uint64_t> root_device = std::nullopt) const;

  // The same for one of many regular files, at its location and open. What follows from its
  // directory is asked once and remembered. Attributes are left to the act: the system refuses it.
  [[nodiscard]] std::optional<std::string> why_file(const std::string& path,
                                                    const Location& location, int file) const;

 private:
  struct Above;
  struct Known;
  struct Marks;

  [[nodiscard]] std::optional<std::string> why_not_there(
      const std::string& path, const std::optional<std::uint64_t>& root_device, Known* known) const;

  Surroundings around_;
  base::SetAside set_aside_;
  std::unique_ptr<Above> above_;  // of the path in question
  std::unique_ptr<Known> known_;  // by why_file()
};

// What the names of the files beside a SQLite database end with, while a program uses it or after
// one crashed.
inline constexpr std::string_view kSqliteParts[] = {"-wal", "-shm", "-journal"};

// An entry below a directory. The functions are called only for few names.
struct EntryInside {
  std::string_view name;
  std::function<std::string()> path;  // absolute; or below the directory, with / at the beginning
  std::function<bool()> has_entries;  // whether it is a directory that is not empty
};

// Why a directory that contains this entry, at any depth, may not be touched: "a git work tree" for
// .git; nothing for most entries.
[[nodiscard]] std::optional<std::string_view> never_inside(const EntryInside& entry);

// The same for an entry of an open directory: also by what is beside it, and how it begins.
[[nodiscard]] std::optional<std::string_view> never_inside(const EntryInside& entry, int folder);

}  // namespace fathom::act
