// Plan: files and directories to be removed or moved away, as data that people can read and shorten
// before it is carried out.
//
// Each item names one entry below a root, with its identity when the plan was made. A directory
// stands for everything below it, of which the plan has a digest. apply_plan() does exactly what
// the plan says, or refuses the item.
//
//   act::Draft draft = act::draft_plan(chosen);
//   act::write_plan(draft.plan, sink);
//   act::Plan again = act::read_plan(source);
//
// As text, a plan consists of lines of JSON (docs/ACTING.md): the first has the roots, each further
// line is an item, and the last one marks the end. To do less, delete lines. Duplicates have plans
// of their own (dup_plan.h), because each of their acts depends on a file that is kept.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fathom/act/open_file.h"
#include "fathom/fs/file_identity.h"
#include "fathom/fs/sink.h"
#include "fathom/fs/source.h"
#include "fathom/fs/tree.h"
#include "fathom/rt/cancel.h"

namespace fathom::act {

enum class Action : std::uint8_t {
  remove,      // it is removed for good
  quarantine,  // it is moved to a directory on the same filesystem; undo moves it back
  trash,       // the same, to the desktop's trash
};

[[nodiscard]] std::string_view to_string(Action action);  // "delete", "quarantine", "trash"
[[nodiscard]] std::optional<Action> parse_action(std::string_view name);

// Why an item was chosen. For information, except the evidence: all of it must still be there,
// unchanged, when the item is acted on.
struct Reason {
  std::string rule;                   // for example "cargo-target"; empty: chosen by hand
  std::string rule_class;             // "safe", "probably" or "yours"; empty: chosen by hand
  std::string rebuild;                // the command that makes it again
  std::vector<std::string> evidence;  // paths relative to the item, such as "CACHEDIR.TAG"
  friend bool operator==(const Reason&, const Reason&) = default;
};

struct PlanItem {
  Action action = Action::quarantine;
  std::uint32_t root = 0;  // its index in Plan::roots
  std::string path;        // below the root; bytes; not empty, and without . or ..
  fs::Kind kind = fs::Kind::file;
  fs::FileIdentity identity;
  std::uint64_t entries = 1;  // with everything below
  std::uint64_t bytes = 0;    // on the disk, each inode once
  std::string digest;         // of everything below a directory; else empty
  // Whether it has one of several names of an inode in the plan. Acting on one of them changes the
  // change time of the others, so those of files are not compared.
  bool shares_inodes = false;
  Reason reason;
  std::string evidence_digest;  // empty if there is no evidence
  friend bool operator==(const PlanItem&, const PlanItem&) = default;
};

// What a plan would do, according to draft_plan(). It stays as it is when lines are deleted later
// (Plan::shortened).
struct PlanTotals {
  std::uint64_t entries = 0;
  // Bytes on the disk that removing the items frees, each inode only if all its names are in the
  // plan. `freed_at_most` includes what may be shared with files or snapshots outside the plan.
  std::uint64_t freed = 0;
  std::uint64_t freed_at_most = 0;
  // The same for what is moved: these bytes become free when the quarantine or trash is emptied.
  std::uint64_t held = 0;
  // Of all these, bytes of files that processes have open: free only when they are closed.
  std::uint64_t open = 0;
  friend bool operator==(const PlanTotals&, const PlanTotals&) = default;
};

struct Plan {
  // Absolute directories, without ., .., trailing slashes or symbolic links.
  std::vector<std::string> roots;
  std::string host;             // where it was made; empty: unknown
  std::string quarantine;       // as in RunOptions, which goes before; empty: none was chosen
  std::int64_t created_ns = 0;  // nanoseconds since the epoch, before anything was examined
  std::vector<PlanItem> items;
  std::optional<PlanTotals> totals;
  bool shortened = false;  // items were removed after it was written, so totals are larger

  [[nodiscard]] std::string path_of(const PlanItem& item) const;  // absolute
};

// ---- Making a plan

// What was seen of an entry before it was chosen.
struct Seen {
  std::uint64_t device = 0;  // 0: unknown, for example since a restart of the machine
  std::uint64_t inode = 0;   // 0: unknown
  // Of the entry with everything below it. Nothing: not all of it was seen.
  struct Sums {
    std::uint64_t entries = 0;
    std::uint64_t bytes = 0;  // on the disk, each inode once
    friend bool operator==(const Sums&, const Sums&) = default;
  };
  std::optional<Sums> sums = std::nullopt;
};

// An entry that somebody has chosen.
struct Chosen {
  std::string path;  // absolute, without ., .. or trailing slashes, and without symbolic links
                     // above the entry
  Action action = Action::quarantine;
  Reason reason = {};
  std::optional<Seen> seen = std::nullopt;  // what it must still be; nothing: whatever is there
};

// A chosen entry that is not in the plan.
struct NotPlanned {
  std::string path;  // absolute
  std::string why;   // without a full stop
};

struct Draft {
  Plan plan;  // with totals
  std::vector<NotPlanned> refused;
  std::vector<OpenFile> open;  // files in the plan
};

struct DraftOptions {
  std::vector<std::string> roots = {};  // as in Plan; every choice is below one of them
  bool keep_roots = false;              // whether a choice is refused that is, or contains, a root
  std::string host = {};                // as in Plan, as is the next
  std::string quarantine = {};
  // Nanoseconds since the epoch: when the scan began that the choices come from. Without it, a
  // choice may have changed since.
  std::optional<std::int64_t> scanned_ns = std::nullopt;
  rt::CancelToken cancel = {};
};

// Examines each choice on the filesystem. Choices inside other choices are dropped, because those
// include them, unless they are refused because of a root. A choice is refused if apply_plan()
// would refuse it: it is one of the paths that no plan may have (never_touch.h), cannot be read
// completely, has another filesystem mounted below it, or is not what was seen of it. So is one of
// which anything has changed since the scan: somebody may be working on it. Changes nothing. Throws
// base::Error for a choice that is not below a root, unless it is one and they are kept.
[[nodiscard]] Draft draft_plan(std::vector<Chosen> choices, const DraftOptions& options);

// ---- Text

// Why the plan is invalid whatever the filesystem holds, or nothing: a path leads out of its root,
// or one item contains another.
[[nodiscard]] std::optional<std::string> flaw_of(const Plan& plan);

void write_plan(const Plan& plan, const fs::Sink& sink);

// Throws base::Error with the line number for a text that is not such a plan, is truncated, is of a
// later version or has a flaw; and whatever the source throws. Items may be missing or reordered.
[[nodiscard]] Plan read_plan(const fs::Source& source);

}  // namespace fathom::act
