// Subdirectories: directories that were found in another one and wait to be opened.
//
// They are one work item, and take a few bytes more than their names: a tree may have millions of
// them in one directory. When the item runs, it takes one directory and is spawned again with the
// rest, so that the order is that of one item for each directory, and thieves find work.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "engine/engine.h"
#include "walk/directory.h"

namespace fathom::fs {

class Subdirectories final : public Work {
 public:
  // While it exists, it owns the open directory `in`, and uses its descriptor.
  explicit Subdirectories(Directory& in);
  ~Subdirectories() override;

  // `inode` as in Directory; `picked` says whether Selection::only picks it.
  void add(std::string_view name, std::uint64_t inode, bool picked);

  [[nodiscard]] std::size_t size() const { return size_; }

  // Removes a directory and returns it, as a work item that nobody has spawned. There must be one.
  [[nodiscard]] Directory* take();
  // Removes half of them, but at least one if there are two.
  [[nodiscard]] std::unique_ptr<Subdirectories> split();

  void run(unsigned worker) noexcept override;

 private:
  // The name follows, and a 0.
  static constexpr std::size_t kHeader = sizeof(std::uint64_t) + 1;

  [[nodiscard]] std::size_t length_at(std::size_t at) const;

  Directory& in_;
  std::string waiting_;
  std::size_t at_ = 0;  // what is before it has been taken
  std::size_t size_ = 0;
};

}  // namespace fathom::fs
