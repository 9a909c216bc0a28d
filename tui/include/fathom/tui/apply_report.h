// ApplyReport and UndoReport: what those who carry plans out tell the browser.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace fathom::tui {

// What applying has done.
struct ApplyReport {
  // A chosen entry that is still where it was.
  struct Left {
    std::size_t index = 0;  // in what was chosen
    std::string why;        // without a full stop
  };
  std::uint64_t moved = 0;    // entries; one below another is not counted
  std::uint64_t trashed = 0;  // those of them that went to the trash
  std::vector<Left> left;     // in the order of the indexes
  bool can_undo = false;      // something was moved that can be moved back
};

struct UndoReport {
  std::string sentence;
  bool can_undo = false;  // there is more
};

}  // namespace fathom::tui
