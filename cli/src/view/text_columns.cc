// TextColumns: drops columns by rank, then shares the rest of the line among the paths.

#include "view/text_columns.h"

#include <algorithm>

namespace fathom::cli {

namespace {

constexpr unsigned kWidestPadding = 60;  // so that one long path does not shift the next column far

bool is_path(const fs::Column& column) {
  return column.type == fs::CellType::path;
}

class Fitting {
 public:
  Fitting(const std::vector<fs::Column>& columns, const std::vector<unsigned>& widest)
      : columns_(columns) {
    for (const bool paths : {false, true}) {
      for (std::size_t i = 0; i < columns.size(); ++i) {
        if (columns[i].type == fs::CellType::bound || is_path(columns[i]) != paths) continue;
        fitted_.push_back({i, widest[i]});
      }
    }
  }

  std::vector<TextColumn> endless() {
    for (TextColumn& column : fitted_) {
      if (is_path(columns_[column.index])) column.width = std::min(column.width, kWidestPadding);
    }
    return std::move(fitted_);
  }

  std::vector<TextColumn> within(unsigned line, unsigned path_part) {
    while (needed(line / path_part) > line && leave_one_out()) continue;
    cut_paths(line);
    const unsigned total = width();
    if (total > line) {
      // Only the last column can still be cut, or the only one.
      unsigned& last = fitted_.back().width;
      last -= std::min(last, total - line);
    }
    return std::move(fitted_);
  }

 private:
  [[nodiscard]] unsigned gaps() const {
    return kIndent + kGap * static_cast<unsigned>(fitted_.size() - 1);
  }
  [[nodiscard]] unsigned width_of(bool paths) const {
    unsigned sum = 0;
    for (const TextColumn& column : fitted_) {
      if (is_path(columns_[column.index]) == paths) sum += column.width;
    }
    return sum;
  }
  [[nodiscard]] unsigned width() const {
    return fitted_.empty() ? 0 : gaps() + width_of(false) + width_of(true);
  }
  // The width of the line if paths are cut to at most so much of it.
  [[nodiscard]] unsigned needed(unsigned paths) const {
    return gaps() + width_of(false) + std::min(width_of(true), paths);
  }

  // Removes the non-path column with the highest rank, the last of equal ones, and the column that
  // is paired with it. Keeps at least one.
  bool leave_one_out() {
    auto worst = fitted_.end();
    unsigned others = 0;
    for (auto it = fitted_.begin(); it != fitted_.end(); ++it) {
      if (is_path(columns_[it->index])) continue;
      ++others;
      if (worst == fitted_.end() || columns_[it->index].rank >= columns_[worst->index].rank) {
        worst = it;
      }
    }
    if (others < 2) return false;
    const std::size_t index = worst->index;
    fitted_.erase(worst);
    std::erase_if(fitted_, [this, index](const TextColumn& column) {
      return column.index + 1 == index && columns_[column.index].with_next;
    });
    return true;
  }

  // Max-min fair sharing: narrower paths get their width, and the others share the rest equally.
  void cut_paths(unsigned line) {
    std::vector<TextColumn*> paths;
    for (TextColumn& column : fitted_) {
      if (is_path(columns_[column.index])) paths.push_back(&column);
    }
    std::sort(paths.begin(), paths.end(),
              [](const TextColumn* a, const TextColumn* b) { return a->width < b->width; });
    const unsigned taken = fitted_.empty() ? 0 : gaps() + width_of(false);
    unsigned room = line - std::min(line, taken);
    for (std::size_t i = 0; i < paths.size(); ++i) {
      const unsigned share = room / static_cast<unsigned>(paths.size() - i);
      paths[i]->width = std::min(paths[i]->width, share);
      room -= paths[i]->width;
    }
  }

  const std::vector<fs::Column>& columns_;
  std::vector<TextColumn> fitted_;
};

}  // namespace

std::vector<TextColumn> fit_columns(const std::vector<fs::Column>& columns,
                                    const std::vector<unsigned>& widest, unsigned line,
                                    unsigned path_part) {
  Fitting fitting(columns, widest);
  return line == kEndless ? fitting.endless() : fitting.within(line, path_part);
}

}  // namespace fathom::cli
