// Listing: the rows of a list, in an order that is established only where somebody looks.
//
// A row is 4 bytes. A window of a million rows is selected in a pass or two over them; the rest
// stays as it is until show() asks for it. All results are the same as if everything had been
// sorted.
//
//   Listing listing(facts, facts.in(directory), how);
//   listing.narrow("log");
//   listing.show(0, 20);
//   listing.at(3).node;

#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fathom/fs/measure.h"
#include "model/basket.h"
#include "model/condition.h"
#include "model/facts.h"

namespace fathom::tui {

enum class SortKey : std::uint8_t { size, name, items, modified };

// How rows are chosen and ordered.
struct Arrangement {
  SortKey key = SortKey::size;
  bool reverse = false;  // of the whole order: size, items and times begin with the largest
  bool directories_first = false;
  bool hidden = true;  // with names that begin with a dot, and what the scan excluded
  fs::Measure measure = fs::Measure::disk;

  friend bool operator==(const Arrangement&, const Arrangement&) = default;
};

class Listing {
 public:
  static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

  struct Row {
    fs::NodeId node = fs::kNoNode;                // kNoNode: excluded
    fs::DirId directory = fs::kNoDir;             // if it is a directory
    const fs::ExcludedEntry* excluded = nullptr;  // if it was excluded
  };

  Listing() = default;
  // The facts and the items must outlive it.
  Listing(const Facts& facts, Items items, Arrangement how);

  [[nodiscard]] std::size_t size() const { return rows_.size(); }
  // The row at that place. Requires that it was shown since the last change.
  [[nodiscard]] Row at(std::size_t index) const { return row(rows_[index]); }

  // The name of the row; that of a root is its path.
  [[nodiscard]] std::string_view name(std::size_t index) const { return name_of(rows_[index]); }

  // The most bytes that an item has, for bars, whether it is among the rows or not.
  [[nodiscard]] std::uint64_t largest() const { return largest_; }
  // Of the items that are not in the basket, until the measure changes.
  void find_largest_but(const Basket& left_out);

  // All rows that were scanned, in no particular order.
  [[nodiscard]] std::vector<fs::Chosen> entries() const;

  // Puts the rows between begin and end, or the end of the list, in their places.
  void show(std::size_t begin, std::size_t end);

  // Changes the order, and returns the place of the row at `keep`.
  std::size_t arrange(Arrangement how, std::size_t keep);

  // Keeps the rows whose names contain the text, or match the pattern; see fs::NameMatcher. An
  // empty text keeps all.
  void narrow(const std::string& text);
  [[nodiscard]] const std::string& text() const { return text_; }

  // Keeps the rows that the condition selects; null: all. What was excluded has no facts, so no
  // condition selects it.
  void choose(std::shared_ptr<const Condition> condition);
  [[nodiscard]] const std::shared_ptr<const Condition>& condition() const { return condition_; }

  // Puts the row of the node in its place, and returns where that is; kNone if it is not there.
  [[nodiscard]] std::size_t find(fs::NodeId node);

 private:
  // Rows that are in the right places as a group: none of them belongs before or after it.
  struct Segment {
    std::size_t begin = 0;
    std::size_t end = 0;
    bool sorted = false;
  };

  [[nodiscard]] Row row(std::uint32_t id) const;
  [[nodiscard]] std::string_view name_of(std::uint32_t id) const;
  [[nodiscard]] std::uint64_t bytes_of(const Row& row) const;
  [[nodiscard]] std::int64_t modified(const Row& row) const;
  [[nodiscard]] std::uint64_t rank(std::uint32_t id) const;
  [[nodiscard]] bool less(std::uint32_t a, std::uint32_t b) const;
  [[nodiscard]] bool is_hidden(std::uint32_t id) const;
  void drop_unselected();
  template <class MakeKeeps>
  void keep_rows(MakeKeeps make_keeps);
  [[nodiscard]] std::size_t rows_before(std::uint32_t id) const;

  void fill();
  void forget_order();
  void find_largest();
  void show_in(std::size_t segment, std::size_t begin, std::size_t end);
  void cut(std::size_t begin, std::size_t end, std::size_t at);
  void select(std::size_t begin, std::size_t end, std::size_t count, bool last);
  std::size_t place(std::size_t index);
  std::size_t reverse(std::size_t keep);
  [[nodiscard]] std::vector<std::uint32_t>::iterator iterator(std::size_t index) {
    return rows_.begin() + static_cast<std::ptrdiff_t>(index);
  }

  const Facts* facts_ = nullptr;
  Items items_;
  Arrangement how_;
  std::string text_;
  std::shared_ptr<const Condition> condition_;
  // Numbers of items: directories, then others, then excluded ones.
  std::vector<std::uint32_t> rows_;
  std::uint64_t largest_ = 0;
  std::vector<Segment> segments_;  // of rows_, in their order, without gaps
};

}  // namespace fathom::tui
