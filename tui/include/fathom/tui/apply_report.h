// ApplyReport, UndoReport and WriteReport: what those who carry plans out, or write them, tell the
// browser.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace fathom::tui {

// A chosen entry that is still where it was, or is not in the plan that was written.
struct LeftEntry {
  std::size_t index = 0;  // in what was chosen
  std::string why;        // without a full stop
};

// What can be moved back next.
enum class Undoable : std::uint8_t {
  nothing,
  last,     // what was applied last
  earlier,  // what was applied before that, which was moved back or could not be
  refused,  // what could not be moved back completely; there is nothing else
};

// Bytes on the disk.
struct FreedBytes {
  std::uint64_t now = 0;
  std::uint64_t later = 0;  // of files that programs have open, when these close them
};

// What applying has done.
struct ApplyReport {
  std::uint64_t moved = 0;           // or deleted: entries; one below another is not counted
  std::uint64_t trashed = 0;         // those of them that went to the trash
  std::vector<LeftEntry> left = {};  // in the order of the indexes
  Undoable undoable = Undoable::nothing;
  std::optional<FreedBytes> freed = {};  // set if they were to be deleted
};

// The plan that was written.
struct WriteReport {
  std::uint64_t items = 0;      // in the file; 0: none was written
  std::vector<LeftEntry> left;  // in the order of the indexes
};

struct UndoReport {
  std::string sentence;
  Undoable undoable = Undoable::nothing;
};

}  // namespace fathom::tui
