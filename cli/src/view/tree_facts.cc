// TreeFacts: makes the texts of each row, and pads them to the widest.

#include "view/tree_facts.h"

#include <algorithm>

#include "fathom/base/bytes.h"
#include "term/number.h"
#include "view/cell_text.h"

namespace fathom::cli {

namespace {

constexpr unsigned kFactGap = 2;
constexpr unsigned kWidestOwner = 16;
constexpr std::string_view kModifiedHeading = "Modified";
constexpr std::string_view kOwnerHeading = "Owner";

std::string_view figure_heading(bool by_count) {
  return by_count ? "Size" : "Entries";
}

std::string padding(unsigned used, unsigned wanted) {
  return std::string(wanted - std::min(used, wanted), ' ');
}

unsigned length(std::string_view ascii) {
  return static_cast<unsigned>(ascii.size());
}

}  // namespace

TreeFacts::TreeFacts(const fs::ReportInput& input, const View& view)
    : input_(input),
      view_(view),
      by_count_(view.order == Order::count),
      names_(input.scan().owner_names()),
      figure_width_(length(figure_heading(by_count_))),
      date_width_(length(kModifiedHeading)),
      owner_width_(length(kOwnerHeading)) {}

unsigned TreeFacts::widest(const fs::ReportInput& input, const View& view) {
  constexpr unsigned kDate = 10;
  constexpr unsigned kSize = 8;
  const unsigned figure =
      view.order == Order::count ? kSize : length(grouped(input.totals().whole().entries()));
  const unsigned heading = length(figure_heading(view.order == Order::count));
  return std::max(figure, heading) + kDate + kWidestOwner + 3 * kFactGap;
}

void TreeFacts::add(const TreeViewRow& row) {
  rows_.push_back({figure(row), date(row), Label(owner(row), view_.terminal.unicode)});
  const Facts& facts = rows_.back();
  figure_width_ = std::max(figure_width_, length(facts.figure));
  date_width_ = std::max(date_width_, length(facts.modified));
  owner_width_ = std::max(owner_width_, std::min(facts.owner.width(), kWidestOwner));
}

unsigned TreeFacts::width() const {
  return figure_width_ + date_width_ + owner_width_ + 3 * kFactGap;
}

std::string TreeFacts::headings() const {
  return joined(figure_heading(by_count_), kModifiedHeading, Label(kOwnerHeading, true));
}

std::string TreeFacts::row(std::size_t i) const {
  return joined(rows_[i].figure, rows_[i].modified, rows_[i].owner);
}

std::string TreeFacts::figure(const TreeViewRow& row) const {
  const bool file = row.top == fs::kNoDir;
  if (!by_count_) return file ? "" : grouped(input_.totals().below(row.top).entries());
  const std::uint64_t bytes = file ? fs::bytes_of(input_.tree().entry(row.node), view_.measure)
                                   : fs::bytes_of(input_.totals().below(row.top), view_.measure);
  return base::format_bytes(bytes, view_.units);
}

std::string TreeFacts::date(const TreeViewRow& row) const {
  const std::int64_t time = modified(input_, row.node, row.top);
  if (time == fs::kUnknownTime) return "-";
  const std::string text = cell_text(time, fs::CellType::time, view_.units, false);
  return text.substr(0, text.find(' '));
}

// The name, or the number if there is none, or "-".
std::string TreeFacts::owner(const TreeViewRow& row) {
  const fs::Tree& tree = input_.tree();
  const std::uint32_t uid = tree.uid(row.top == fs::kNoDir ? row.node : tree.node(row.top));
  if (uid == fs::kUnknownOwner) return "-";
  const auto [found, fresh] = owners_.try_emplace(uid);
  if (fresh) found->second = names_.user(uid).value_or(std::to_string(uid));
  return found->second;
}

std::string TreeFacts::joined(std::string_view figure, std::string_view date,
                              const Label& owner) const {
  const std::string gap(kFactGap, ' ');
  const std::string shown = owner.fitted(owner_width_, view_.terminal.unicode ? "…" : "...");
  return right(figure, figure_width_) + gap + std::string(date) +
         padding(length(date), date_width_) + gap + shown +
         padding(std::min(owner.width(), owner_width_), owner_width_) + gap;
}

}  // namespace fathom::cli
