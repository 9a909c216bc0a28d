// Answers: responses that were made once and may be sent again, and who waits for those that are
// being made.
//
// Guarantees: each question is answered by one computation for all who ask it meanwhile. What is
// kept takes no more than kMaxBytes; beyond that all is forgotten, for what is asked often is soon
// there again. Belongs to one thread.

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

// A response, and what is sent instead to who has it already.
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

  // Null when it is not there.
  [[nodiscard]] std::shared_ptr<KeptAnswer> find(std::string_view question) const;
  void keep(std::string_view question, std::shared_ptr<KeptAnswer> answer);
  void forget();

  // Whether the waiter is the first, who has to see that the answer is made.
  bool wait(std::string_view question, Waiter waiter);
  // All who wait, in the order in which they came.
  [[nodiscard]] std::vector<Waiter> take_waiters(std::string_view question);
  // Questions that are being answered.
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
