// Answers: a cache of responses, and the connections that wait for responses being computed.
//
// Guarantees: concurrent requests for the same question share one computation. The cache takes at
// most kMaxBytes; when it is full it is emptied, because frequent questions soon refill it. Belongs
// to one thread.

#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "fathom/rt/net/tcp_connection.h"
#include "http/response.h"

namespace fathom::web {

// A response, and the 304 response for clients that have it already.
struct KeptAnswer {
  std::string etag;  // empty: errors have none
  WrittenResponse full;
  WrittenResponse not_modified;
};

class Answers {
 public:
  static constexpr std::size_t kMaxBytes = std::size_t{32} << 20;

  struct Waiter {
    rt::TcpConnection::Id connection;
    std::string if_none_match;
  };

  // Null if it is not cached.
  [[nodiscard]] std::shared_ptr<KeptAnswer> find(std::string_view question) const;
  void keep(std::string_view question, std::shared_ptr<KeptAnswer> answer);
  void forget();

  // Adds a waiter. Returns whether it is the first one, so that the caller must start the
  // computation.
  bool wait(std::string_view question, Waiter waiter);
  // Removes and returns all waiters, in the order in which they were added.
  [[nodiscard]] std::vector<Waiter> take_waiters(std::string_view question);
  // The number of questions being answered.
  [[nodiscard]] std::size_t under_way() const { return waiters_.size(); }

 private:
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };
  template <class Value>
  using Map = std::unordered_map<std::string, Value, Hash, std::equal_to<>>;

  Map<std::shared_ptr<KeptAnswer>> kept_;
  std::size_t bytes_ = 0;
  Map<std::vector<Waiter>> waiters_;
};

}  // namespace fathom::web
