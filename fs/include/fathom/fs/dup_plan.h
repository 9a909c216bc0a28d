// DupPlan: what is to become of duplicate files, as data that people read and edit before it is
// done.
//
// A plan names, of each group, the file that is kept and those that give way, each with the
// identity that it had while it was compared. It holds no decision that is still to be made:
// apply_plan() does exactly what stands there, or refuses.
//
//   fs::DupPlan plan = fs::make_plan(found.tree, same, {.action = DupAction::hardlink});
//   fs::write_plan(plan, sink);
//   fs::DupPlan again = fs::read_plan(source);
//
// As text a plan is lines of JSON: the first says what to do and below which roots, each further
// one names a file, the last says that the plan is whole. Whoever wants less done deletes lines; a
// group whose kept file was deleted and others were not is refused.

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

namespace fathom::fs {

// What becomes of a file that gives way.
enum class DupAction : std::uint8_t {
  hardlink,    // its name becomes one more of the kept file
  reflink,     // its blocks become those of the kept file; all else of it stays
  remove,      // it goes
  quarantine,  // it is moved to a folder on its filesystem, from where undo brings it back
};

[[nodiscard]] std::string_view to_string(DupAction action);
[[nodiscard]] std::optional<DupAction> parse_dup_action(std::string_view name);

// Which file of a group is kept. Of several that are as good the one with the smallest path.
struct KeepRule {
  enum class By : std::uint8_t {
    first,     // the smallest path
    oldest,    // by the time of the last modification, as is the next
    newest,    //
    shortest,  // the path with the fewest bytes
    order,     // what lies below the root that was named first
    glob,      // whatever matches: all of it is kept, and a group without any is left out
  };
  By by = By::first;
  std::string pattern;  // of glob: as a line of IgnoreRules, for paths below a root
};

[[nodiscard]] std::string to_string(const KeepRule& rule);
// "oldest", "glob:PATTERN" and so on.
[[nodiscard]] std::optional<KeepRule> parse_keep_rule(std::string_view text);

struct PlanFile {
  std::uint32_t root = 0;  // its place among the roots
  std::string path;        // below the root; bytes, and neither empty nor with . or .. in it
  FileIdentity identity;
  friend bool operator==(const PlanFile&, const PlanFile&) = default;
};

struct PlanGroup {
  PlanFile kept;
  std::vector<PlanFile> acts;  // the names that give way, in this order
  friend bool operator==(const PlanGroup&, const PlanGroup&) = default;
};

struct DupPlan {
  DupAction action = DupAction::hardlink;
  KeepRule keep;                   // for people
  std::vector<std::string> roots;  // directories: absolute, without . or .. and slashes at the end
  std::int64_t looked_ns = 0;      // when the scan began: see apply_plan()
  std::vector<PlanGroup> groups;
  std::uint64_t too_long = 0;  // names that make_plan() has left out, as no line can hold them

  [[nodiscard]] std::uint64_t acts() const;
  [[nodiscard]] std::string path_of(const PlanFile& file) const;  // absolute
};

struct PlanOptions {
  DupAction action = DupAction::hardlink;
  KeepRule keep;
  std::vector<std::string> roots;  // the scan's, in their order, as realpath(3) says them
  std::int64_t looked_ns = 0;      // nanoseconds since the epoch, taken before the scan
};

// Asks the filesystem nothing. A root that is a file is named by its directory. Every name of a
// file gives way, but for further names of one whose data is shared anyway (reflink). A group on
// several filesystems becomes one on each if the action cannot cross them; what is left alone there
// needs no act. Names that a run of apply_plan() makes up are what a killed one has left: they are
// neither kept nor acted on, nor are those that are too long for a line of a plan. Throws
// base::Error if there are not as many roots as the tree has.
[[nodiscard]] DupPlan make_plan(const Tree& tree, const Duplicates& duplicates,
                                const PlanOptions& options);

// In place of a file: the group is left alone.
inline constexpr std::uint32_t kNoneKept = 0xffffffff;

// The place of the file that would be kept in each group, were all of it on one filesystem, or
// kNoneKept.
[[nodiscard]] std::vector<std::uint32_t> kept_files(const Tree& tree, const Duplicates& duplicates,
                                                    const PlanOptions& options);

// Why nobody may carry out the plan, whatever the filesystem says; nothing if one may: a path
// leads out of its root or stands there twice, a file is in two groups, sizes differ in one.
// An inode thus belongs to one group, and no chain of acts can reach the kept file of another.
[[nodiscard]] std::optional<std::string> flaw_of(const DupPlan& plan);

void write_plan(const DupPlan& plan, const Sink& sink);

// Whether a text begins as a plan does, of whatever version, be it whole or not.
[[nodiscard]] bool is_plan(const Source& source);

// Throws base::Error with the line for what is no such plan, is cut off, is of a later version, or
// has a flaw; and what the source throws. Lines may be missing, as far as flaw_of() allows.
[[nodiscard]] DupPlan read_plan(const Source& source);

}  // namespace fathom::fs
