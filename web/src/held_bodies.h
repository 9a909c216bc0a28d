// HeldBodies: the bodies of the requests that wait for their answers, and how large they are
// together.
//
//   const std::shared_ptr<const std::string> body = bodies.hold(request.body);
//   bodies.bytes();  // counts it as long as somebody refers to it

#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "fathom/base/atomic.h"

namespace fathom::web {

// Belongs to one thread; what it returns may be released on any thread, also after its end.
class HeldBodies {
 public:
  [[nodiscard]] std::shared_ptr<const std::string> hold(std::string_view body) {
    auto text = std::make_unique<const std::string>(body);
    bytes_->fetch_add(text->size(), base::memory_order_relaxed);
    return {text.release(), [sum = bytes_](const std::string* held) {
              sum->fetch_sub(held->size(), base::memory_order_relaxed);
              delete held;
            }};
  }

  [[nodiscard]] std::size_t bytes() const { return bytes_->load(base::memory_order_relaxed); }

 private:
  using Sum = base::atomic<std::size_t>;
  std::shared_ptr<Sum> bytes_ = std::make_shared<Sum>(0);
};

}  // namespace fathom::web
