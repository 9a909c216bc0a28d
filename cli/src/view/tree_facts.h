// TreeFacts: what a wide terminal shows of each row of the tree view between its bar and its name:
// the number of entries, the last modification and the owner.
//
//   TreeFacts facts(input, view);
//   for (const TreeViewRow& row : rows) facts.add(row);
//   facts.row(0) == "183,928  2026-11-22  root      "

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "fathom/fs/owner_names.h"
#include "fathom/fs/report.h"
#include "term/label.h"
#include "view/tree_view_rows.h"
#include "view/view.h"

namespace fathom::cli {

class TreeFacts {
 public:
  // The input and the view must outlive it.
  TreeFacts(const fs::ReportInput& input, const View& view);

  // The width that rows of the input have at most, unless a year has more than four digits.
  [[nodiscard]] static unsigned widest(const fs::ReportInput& input, const View& view);

  void add(const TreeViewRow& row);

  // ---- Texts, all as wide as the columns of the rows that were added

  [[nodiscard]] unsigned width() const;  // including the gap after the last column
  [[nodiscard]] std::string headings() const;
  [[nodiscard]] std::string row(std::size_t i) const;  // in the order in which rows were added

 private:
  struct Facts {
    std::string figure;  // entries; if these are the order of the rows, the size. Empty for a file
    std::string modified;  // a date
    Label owner;
  };

  [[nodiscard]] std::string figure(const TreeViewRow& row) const;
  [[nodiscard]] std::string date(const TreeViewRow& row) const;
  [[nodiscard]] std::string owner(const TreeViewRow& row);
  [[nodiscard]] std::string joined(std::string_view figure, std::string_view date,
                                   const Label& owner) const;

  const fs::ReportInput& input_;
  const View& view_;
  const bool by_count_;
  const fs::OwnerNames names_;
  std::unordered_map<std::uint32_t, std::string> owners_;  // by uid
  std::vector<Facts> rows_;
  unsigned figure_width_;
  unsigned date_width_;
  unsigned owner_width_;
};

}  // namespace fathom::cli
