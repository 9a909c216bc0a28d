// DupPlan: what to do with duplicate files, as data that people can read and edit before it is
// applied.
//
// For each group a plan names the file to keep and the files to act on, each with the identity that
// it had when it was compared. It leaves no decision open: apply_plan() does exactly what the plan
// says, or refuses.
//
//   act::DupPlan plan = act::make_plan(found.tree, same, {.action = DupAction::hardlink});
//   act::write_plan(plan, sink);
//   act::DupPlan again = act::read_dup_plan(source);
//
// As text, a plan consists of lines of JSON (docs/JSON-dups.md): the first has the action and the
// roots, each further line names a file, and the last one marks the end. To do less, delete lines.
// A group whose kept file was deleted while others remain is refused.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fathom/fs/duplicates.h"
#include "fathom/fs/sink.h"
#include "fathom/fs/source.h"
#include "fathom/fs/tree.h"

namespace fathom::act {

// What is done with the files of a group that are not kept.
enum class DupAction : std::uint8_t {
  hardlink,    // its name becomes another name of the kept file
  reflink,     // it shares the blocks of the kept file; the rest of it stays
  remove,      // it is removed
  quarantine,  // it is moved to a directory on the same filesystem; undo moves it back
};

[[nodiscard]] std::string_view to_string(DupAction action);
[[nodiscard]] std::optional<DupAction> parse_dup_action(std::string_view name);

// Which file of a group is kept. Among equally good ones, the one with the smallest path.
struct KeepRule {
  enum class By : std::uint8_t {
    first,     // the smallest path
    oldest,    // by time of last modification, as is the next
    newest,    //
    shortest,  // the path with the fewest bytes
    order,     // a file below the root that was named first
    glob,      // every file that matches is kept; a group without a match is left alone
  };
  By by = By::first;
  std::string pattern;  // for glob: like a line of IgnoreRules, applied to the path below a root
};

[[nodiscard]] std::string to_string(const KeepRule& rule);
// Accepts "oldest", "glob:PATTERN" and so on.
[[nodiscard]] std::optional<KeepRule> parse_keep_rule(std::string_view text);

struct PlanFile {
  std::uint32_t root = 0;  // its index in DupPlan::roots
  std::string path;        // below the root; bytes; not empty, and without . or ..
  fs::FileIdentity identity;
  friend bool operator==(const PlanFile&, const PlanFile&) = default;
};

// A file that is left alone, because check_acts() has found that an act on it would be refused.
struct SkippedFile {
  PlanFile file;
  std::string why;  // as in Act::why
  friend bool operator==(const SkippedFile&, const SkippedFile&) = default;
};

struct PlanGroup {
  PlanFile kept;
  std::vector<PlanFile> acts;             // the names to act on, in this order
  std::vector<SkippedFile> skipped = {};  // for information
  friend bool operator==(const PlanGroup&, const PlanGroup&) = default;
};

// What a plan would do, according to check_acts(). It stays as it is when lines are deleted later.
struct PlanSums {
  std::uint64_t files = 0;  // names that would be acted on
  std::uint64_t freed = 0;  // bytes, as is the next; see Act::freed and Act::held
  std::uint64_t held = 0;
  friend bool operator==(const PlanSums&, const PlanSums&) = default;
};

struct DupPlan {
  DupAction action = DupAction::hardlink;
  KeepRule keep;  // for information
  // Absolute directories, without ., .., trailing slashes or symbolic links.
  std::vector<std::string> roots;
  // When the scan began; 0: earlier searches have compared some of the files. See apply_plan().
  std::int64_t looked_ns = 0;
  std::string quarantine;        // for that action: absolute; empty: named when it is applied
  std::optional<PlanSums> sums;  // none: nobody has checked it
  std::vector<PlanGroup> groups;
  std::uint64_t too_long = 0;  // names that make_plan() skipped because they do not fit in a line

  [[nodiscard]] std::uint64_t acts() const;
  [[nodiscard]] std::string path_of(const PlanFile& file) const;  // absolute
};

struct PlanOptions {
  DupAction action = DupAction::hardlink;
  KeepRule keep;
  std::vector<std::string> roots;  // the scan's roots, in their order, as realpath(3) returns them
  std::int64_t looked_ns = 0;      // nanoseconds since the epoch, taken before the scan
  std::string quarantine;          // as in DupPlan
};

// Makes no system calls. The plan acts on every name of a file that is not kept, except further
// names of an inode whose data is shared anyway (reflink). A group on several filesystems becomes
// one group per filesystem if the action cannot cross them; a file that is then alone needs no act.
// Temporary names of apply_plan() are left over from a killed run: they are neither kept nor acted
// on. Neither are files below the quarantine, which the user may delete at any time. Names that are
// too long for a line of a plan are left out. Throws base::Error if the number of roots differs
// from that of the tree. The plan is not checked yet: see check_acts().
[[nodiscard]] DupPlan make_plan(const fs::Tree& tree, const fs::Duplicates& duplicates,
                                const PlanOptions& options);

// For each group, the index of the file that would be kept if the whole group were on one
// filesystem, or kNoneKept.
[[nodiscard]] std::vector<std::uint32_t> kept_files(const fs::Tree& tree,
                                                    const fs::Duplicates& duplicates,
                                                    const PlanOptions& options);

// Why the plan is invalid whatever the filesystem holds, or nothing: a path leads out of its root
// or occurs twice, a file is in two groups, or sizes differ within a group. Hence an inode belongs
// to one group, and no sequence of acts can reach the kept file of another.
[[nodiscard]] std::optional<std::string> flaw_of(const DupPlan& plan);

void write_plan(const DupPlan& plan, const fs::Sink& sink);

// Throws base::Error with the line number for a text that is not a plan, is truncated, is of a
// later version or has a flaw; and whatever the source throws. Lines may be missing, within the
// limits of flaw_of(), and so may everything that plans of earlier versions lack: the quarantine,
// the sums and the skipped files.
[[nodiscard]] DupPlan read_dup_plan(const fs::Source& source);

}  // namespace fathom::act
