// FindingList: findings as rows: groups, of which the open ones are followed by what is in them.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/findings.h"

namespace fathom::tui {

class FindingList {
 public:
  struct Row {
    static constexpr std::uint32_t kHeading = 0xffffffff;

    std::uint32_t group = 0;
    std::uint32_t item = kHeading;  // its index in shown()

    [[nodiscard]] bool is_heading() const { return item == kHeading; }
  };

  // Null until a search has ended.
  [[nodiscard]] const std::shared_ptr<const Findings>& findings() const { return findings_; }
  void set(std::shared_ptr<const Findings> findings);
  // Forgets everything but the filter.
  void clear();

  // Keeps the rows that match: see narrowed(). An empty text keeps all.
  void narrow(const std::string& text);
  [[nodiscard]] const std::string& text() const { return text_; }
  // The groups that have rows, with what is left of them. Requires findings.
  [[nodiscard]] const FindingRows& shown() const { return text_.empty() ? *findings_ : narrowed_; }

  [[nodiscard]] std::size_t size() const { return rows_.size(); }
  [[nodiscard]] Row row(std::size_t index) const { return rows_[index]; }
  [[nodiscard]] const FindingGroup& group(std::size_t index) const {
    return shown().groups[rows_[index].group];
  }
  // Null for the heading of a group.
  [[nodiscard]] const Finding* item(std::size_t index) const {
    return rows_[index].is_heading() ? nullptr : &shown().items[rows_[index].item];
  }

  [[nodiscard]] bool is_open(std::uint32_t group) const { return open_[group]; }
  // Opens the group, or closes it.
  void toggle(std::uint32_t group);

  // ---- The search
  bool running = false;
  bool cancelling = false;
  std::string progress;  // what it has done so far
  std::string why;       // there are no findings; empty: nobody has searched

 private:
  void arrange();

  std::shared_ptr<const Findings> findings_;
  std::string text_;
  FindingRows narrowed_;    // unless the text is empty
  std::vector<bool> open_;  // by group
  std::vector<Row> rows_;
};

}  // namespace fathom::tui
