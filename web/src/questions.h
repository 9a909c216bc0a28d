// Questions: those that are being computed, those that wait for a thread, and who waits for each.
//
// Guarantees: concurrent requests for the same question share one computation. At most `at_once`
// questions are computed at a time; the others start in the order in which they were asked. A
// question for which nobody waits anymore is dropped, or its computation is cancelled. Belongs to
// one thread.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "fathom/rt/cancel.h"
#include "fathom/rt/net/tcp_connection.h"

namespace fathom::web {

class Questions {
 public:
  using Number = std::uint64_t;
  using Connection = rt::TcpConnection::Id;

  // Starts the computation, and makes ended() be called later, on this thread.
  using Start = std::function<void(Number, const rt::CancelToken&)>;

  struct Waiter {
    Connection connection;
    std::string if_none_match;
  };

  explicit Questions(std::size_t at_once) : at_once_(at_once) {}

  // A connection waits for one question at a time. The same text is the same question.
  void ask(std::string_view text, Waiter waiter, Start start);

  // Cancels what is being computed; those who wait for it still get an answer.
  void cancel() noexcept;

  // The connection no longer waits. Does nothing if it does not.
  void leave(Connection connection) noexcept;

  // The computation has ended; the next one starts. Returns the waiters in the order in which they
  // asked.
  [[nodiscard]] std::vector<Waiter> ended(Number number);

  // How many were started so far.
  [[nodiscard]] std::uint64_t started() const { return started_; }
  // Including those that were cancelled and have not ended.
  [[nodiscard]] std::size_t under_way() const { return queued_.size() + running_.size(); }

 private:
  struct Question {
    Number number;
    std::string text;
    Start start;
    std::vector<Waiter> waiters;
    rt::CancelSource cancel;
    bool running = false;
  };
  using Place = std::list<Question>::iterator;

  void start_some();
  void drop(Place question) noexcept;

  const std::size_t at_once_;
  Number last_ = 0;
  std::uint64_t started_ = 0;
  std::list<Question> queued_;
  std::list<Question> running_;
  // The keys are the texts of the questions. Without those that were cancelled.
  std::unordered_map<std::string_view, Place> by_text_;
  std::unordered_map<Connection, Place> by_waiter_;
};

}  // namespace fathom::web
