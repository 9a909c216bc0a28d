// Survey: everything below an open directory, or one other entry, as it is now.
//
// Two surveys of the same entries have the same digest. It covers names, kinds, permissions, inodes
// and, except for directories, sizes and modification times; with CtimeRule::of_single_names also
// the change times of files with one name. Those of other entries change by our own acts: removing
// a name changes that of the inode's other names, and moving a directory changes its own.

#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fathom/rt/cancel.h"
#include "os/file_state.h"
#include "os/tree_walk.h"

namespace fathom::act {

enum class CtimeRule : std::uint8_t { of_single_names, ignored };

using InodeKey = std::pair<std::uint64_t, std::uint64_t>;  // device and number

// The number of one state of an entry. Equal numbers mean equal states, except with a probability
// of 2^-64 for each pair.
using Mark = std::uint64_t;
[[nodiscard]] Mark mark_of(const TreeWalk::Place& place, const FileState& state, CtimeRule ctime);

// The inodes with several names that were seen, over any number of surveys.
struct SeenLinks {
  struct Inode {
    std::uint64_t seen = 0;   // names
    std::uint64_t links = 0;  // names that it has
    std::uint64_t bytes = 0;  // on the disk
  };
  std::map<InodeKey, Inode> by_inode;

  void add(const FileState& state);
};

inline constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

struct Survey {
  std::uint64_t entries = 0;  // with the one at the top
  std::uint64_t bytes = 0;    // on the disk, each inode once
  std::string digest;         // of everything below the top; empty if it is not a directory
  std::vector<Mark> marks;    // sorted; only for a removal, as are the next two
  int denied = 0;             // -errno, if the system does not let this user remove an entry
  std::string denied_path;    // the first such entry that was found
  std::int64_t first_change_ns = kNever;  // of those that SurveyOptions::since_ns wants
  std::string obstacle;                   // why it cannot be acted on as a whole; empty: it can
  std::string never;                      // what it contains that is never touched, as a sentence
  SeenLinks links;
};

// Why a directory is not touched that contains one of SurveyOptions::roots.
inline constexpr std::string_view kContainsRoot = "it contains a root of the scan";

struct SurveyOptions {
  CtimeRule ctime = CtimeRule::of_single_names;
  std::string path = {};                      // absolute, of the directory; empty: unknown
  const std::set<InodeKey>* roots = nullptr;  // that are never touched; null: none
  bool for_removal = false;        // then there are marks, and permission to remove is asked for
  std::int64_t since_ns = kNever;  // to look for changes at this time or later
  // Called with each entry that is not a directory, and the walk that found it.
  std::function<void(const TreeWalk::Place&, const FileState&, const TreeWalk&)> on_file = {};
  rt::CancelToken cancel = {};  // once cancelled, the result is incomplete
};

[[nodiscard]] Survey survey_folder(int folder, const FileState& state,
                                   const SurveyOptions& options);

// Of an entry that is not a directory.
[[nodiscard]] Survey survey_file(const FileState& state, const SurveyOptions& options);

}  // namespace fathom::act
