// State: everything that decides what the screen shows. Keys, sizes, and new results of the scan
// change it (press.h, update.h); nothing else does, and none of it asks the system or a clock.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "fathom/base/bytes.h"
#include "fathom/tui/apply_report.h"
#include "model/basket.h"
#include "model/extras.h"
#include "model/facts.h"
#include "model/finding_list.h"
#include "model/found.h"
#include "model/listing.h"
#include "model/map.h"

namespace fathom::tui {

// What does not change.
struct Settings {
  base::Units units = base::Units::iec;
  bool unicode = true;
  bool saved = false;      // a saved scan is shown: there is nothing to rescan here
  bool read_only = false;  // nothing may be changed: no shell, and plans cannot be applied
  bool can_apply = false;  // plans can be applied
  bool sees_all = true;    // no option leaves out entries of directories
  bool can_plan = false;   // plans can be written
  bool plain = false;      // there are commands instead of keys
  std::string home;        // shown as ~; may be empty
  std::string note;        // in the first line: "saved 2026-11-20"; may be empty
};

enum class View : std::uint8_t {
  tree,
  largest,
  types,
  ages,
  owners,
  clean,
  grew,
  duplicates,
  found
};
inline constexpr std::size_t kViews = 9;

// What is open above the list, and takes the keys.
enum class Layer : std::uint8_t {
  none,
  filter,
  where,
  info,
  help,
  plan,
  planned,  // info about the selected entry of the plan
  write,
  quit,
  apply,
  remove,
  undo
};

struct Columns {
  bool exclusive = false;
  bool items = true;
  bool modified = true;
  bool owner = true;
  std::uint8_t share = 3;  // bit 0: per cent, bit 1: a bar
};

struct Cursor {
  std::size_t at = 0;
  std::size_t top = 0;  // the first row on the screen
};

struct ScanProgress {
  bool running = false;
  std::uint64_t entries = 0;
  double seconds = 0;
  bool cancelling = false;
};

struct State {
  Settings settings;
  unsigned width = 80;
  unsigned height = 24;

  // ---- Results
  std::shared_ptr<const Facts> facts;    // never null
  std::shared_ptr<const Extras> extras;  // null, or of this scan, perhaps of an earlier moment
  bool extras_failed = false;            // those of these facts, by this measure, cannot be made
  ScanProgress progress;
  std::optional<unsigned> disk_percent;  // of the filesystem, in use

  // ---- The list
  View view = View::tree;
  fs::DirId place = fs::kNoDir;  // of View::tree
  std::shared_ptr<const Found> found;
  Arrangement how;
  Columns columns;
  Listing listing;  // of tree, largest and found
  std::array<Cursor, kViews> cursors;
  std::unordered_map<fs::DirId, fs::NodeId> remembered;  // the selected rows of other places

  // The filter of a view of sums, and the rows that it keeps, unless it is empty.
  std::string report_text;
  std::vector<ReportRow> report_rows;

  Map map;  // of View::tree
  std::array<FindingList, kSearches> searches;

  // Entries that do not count in the sums of the directory in which they are.
  Basket left_out;

  // ---- Marks and the plan
  Basket marks;
  Basket plan;
  std::unordered_set<fs::NodeId> trash;  // those of the plan that go to the trash of the desktop
  std::unordered_map<fs::NodeId, std::string>
      why_left;                                // of the plan, when applied or written last
  std::optional<std::size_t> anchor;           // the other end of a range that is being marked
  std::optional<fs::Freed::Sums> marked_sums;  // nothing: not known yet, or nothing is marked
  std::optional<fs::Freed::Sums> planned_sums;
  // Without those below another one, whose fate they share; at most, while sums wait.
  std::size_t marked_items = 0;
  std::size_t planned_items = 0;
  std::size_t trashed_items = 0;             // of the planned ones
  bool sums_wait = false;                    // the sums are not added up yet: see finish_sums()
  std::vector<fs::Chosen> told_last_copies;  // which the user knows to be the last copies
  bool marks_safe_later = false;             // once it is known what the rules call safe
  Undoable undoable = Undoable::nothing;     // what can be moved back next
  bool has_deleted = false;                  // something that cannot be moved back
  std::set<fs::DirId> outdated;  // directories with what was moved, which are to be scanned again

  // ---- Above the list
  Layer layer = Layer::none;
  std::string prompt;         // of filter, where, write and remove
  bool filter_waits = false;  // the list does not follow the prompt yet: see finish_filter()
  std::string text_before;    // what Escape restores in the filter
  View view_before = View::tree;
  std::string where_error;       // what is wrong with the prompt; empty: nothing known
  std::size_t where_column = 0;  // and where: a byte of the prompt, from 0
  std::size_t scroll = 0;        // of help and info
  Cursor plan_cursor;
  std::string message;  // until the next key

  [[nodiscard]] Cursor& cursor() { return cursors[static_cast<std::size_t>(view)]; }
  [[nodiscard]] const Cursor& cursor() const { return cursors[static_cast<std::size_t>(view)]; }
  [[nodiscard]] FindingList& search(Search one) { return searches[static_cast<std::size_t>(one)]; }
  [[nodiscard]] const FindingList& search(Search one) const {
    return searches[static_cast<std::size_t>(one)];
  }
};

// The size of a screen below which nothing is shown but a request for more room.
inline constexpr unsigned kLeastWidth = 40;
inline constexpr unsigned kLeastHeight = 10;
// Larger ones are not used completely.
inline constexpr unsigned kMostWidth = 300;
inline constexpr unsigned kMostHeight = 100;

// Below it, tables have only sizes and names.
inline constexpr unsigned kWidthForColumns = 60;

// From here on there is room for a map, and for a wide plan.
inline constexpr unsigned kWidthForMap = 150;

[[nodiscard]] inline bool is_too_small(const State& state) {
  return state.width < kLeastWidth || state.height < kLeastHeight;
}

// Around the list: three lines above and three below.
inline constexpr unsigned kFrameRows = 6;

[[nodiscard]] std::size_t list_rows(const State& state);

// Whether the rows of the view are those of State::listing.
[[nodiscard]] bool lists_entries(View view);

// The search whose findings the view shows; nothing if it shows something else.
[[nodiscard]] std::optional<Search> search_of(View view);

// Whether the rows of the view are entries, not sums; headings may be among them.
[[nodiscard]] bool has_entries(View view);

// The findings on the screen; null if there is something else.
[[nodiscard]] const FindingList* findings_on_screen(const State& state);

// The search that must begin, because something is shown, or would be, that it finds.
[[nodiscard]] std::optional<Search> wanted_search(const State& state);

// What the rules of `fathom clean` say about the entry; null: nothing, or nobody has asked them.
[[nodiscard]] const act::Candidate* ruled(const State& state, fs::NodeId node);

// The rows of a view of sums, and those that its filter keeps; null if they are not known yet.
[[nodiscard]] const std::vector<ReportRow>* whole_report_of(const State& state);
[[nodiscard]] const std::vector<ReportRow>* report_of(const State& state);

// What the list is filtered by.
[[nodiscard]] const std::string& filter_text(const State& state);

// The number of rows in the list.
[[nodiscard]] std::size_t list_size(const State& state);

// The row of an entry at that place of the list; nothing if the list is shorter, or has something
// else there.
[[nodiscard]] std::optional<Listing::Row> row_at(const State& state, std::size_t index);

// The bytes of the row by State::how.
[[nodiscard]] std::uint64_t bytes_of(const State& state, const Listing::Row& row);

// Whether something is shown, or would be, that only Extras know.
[[nodiscard]] bool wants_extras(const State& state);

// Whether they are needed now, not known, and can be.
[[nodiscard]] bool lacks_extras(const State& state);

// The plan, or else the marks.
[[nodiscard]] const Basket& basket_to_write(const State& state);

// Whether quitting would lose something that was dear.
[[nodiscard]] bool has_much_to_lose(const State& state);

}  // namespace fathom::tui
