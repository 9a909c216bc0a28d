// Branches: the lines that lead to the names in a tree.

#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "term/terminal.h"

namespace fathom::cli {

// The pieces, each `width` columns wide.
struct Branches {
  std::string_view fork, end, pass, blank;
  unsigned width;
};

[[nodiscard]] inline Branches branches(const Terminal& terminal) {
  const bool narrow = terminal.width < 60;
  if (terminal.unicode) {
    return narrow ? Branches{"├ ", "└ ", "│ ", "  ", 2} : Branches{"├─ ", "└─ ", "│  ", "   ", 3};
  }
  return narrow ? Branches{"| ", "` ", "| ", "  ", 2} : Branches{"|- ", "`- ", "|  ", "   ", 3};
}

// The branch that leads to a row. A Row has `depth`, `last` and `parent`; see TreeViewRow.
template <class Row>
std::string branch_to(const std::vector<Row>& rows, std::size_t i, const Branches& pieces) {
  if (rows[i].depth == 0) return "";
  std::string text(rows[i].last ? pieces.end : pieces.fork);
  for (std::size_t above = rows[i].parent; rows[above].depth > 0; above = rows[above].parent) {
    text.insert(0, rows[above].last ? pieces.blank : pieces.pass);
  }
  return text;
}

}  // namespace fathom::cli
