// Blocks: gathers small pieces of text into blocks for a sink.
//
//   Blocks text(sink);
//   for (...; text.wanted();) text.put(piece);
//   text.flush();

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string_view>

#include "fathom/fs/sink.h"

namespace fathom::fs {

class Blocks {
 public:
  // The sink must outlive the object.
  explicit Blocks(const Sink& sink)
      : sink_(sink), block_(std::make_unique_for_overwrite<char[]>(kSize)) {}
  Blocks(const Blocks&) = delete;
  Blocks& operator=(const Blocks&) = delete;

  void put(char byte) {
    if (used_ == kSize) flush();
    block_[used_++] = byte;
  }
  void put(std::string_view text) {
    while (!text.empty()) {
      if (used_ == kSize) flush();
      const std::size_t part = std::min(text.size(), kSize - used_);
      std::memcpy(block_.get() + used_, text.data(), part);
      used_ += part;
      text.remove_prefix(part);
    }
  }

  // Passes the rest to the sink. Call it once, at the end.
  void flush() {
    if (wanted_ && used_ > 0) wanted_ = sink_({block_.get(), used_});
    used_ = 0;
  }

  // Whether the sink wants more.
  [[nodiscard]] bool wanted() const { return wanted_; }

 private:
  static constexpr std::size_t kSize = 64UL * 1024;

  const Sink& sink_;
  std::unique_ptr<char[]> block_;  // its first used_ bytes are not yet in the sink
  std::size_t used_ = 0;
  bool wanted_ = true;
};

}  // namespace fathom::fs
