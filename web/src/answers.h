// Answers: a cache of responses.
//
// Guarantees: it takes at most kMaxBytes. When it is full it is emptied, because frequent questions
// soon refill it. Belongs to one thread.

#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "http/response.h"

namespace fathom::web {

// A response, and the 304 response for clients that have it already.
struct KeptAnswer {
  std::string etag;  // empty: errors have none
  WrittenResponse full;
  WrittenResponse not_modified;
  bool keep = true;  // as in Answer
};

class Answers {
 public:
  static constexpr std::size_t kMaxBytes = std::size_t{32} << 20;

  // Null if it is not cached.
  [[nodiscard]] std::shared_ptr<KeptAnswer> find(std::string_view question) const;
  void keep(std::string_view question, std::shared_ptr<KeptAnswer> answer);
  void forget();

 private:
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };

  std::unordered_map<std::string, std::shared_ptr<KeptAnswer>, Hash, std::equal_to<>> kept_;
  std::size_t bytes_ = 0;
};

}  // namespace fathom::web
