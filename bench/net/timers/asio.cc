// Boost.Asio's steady_timer: one object per timer, set and cancelled repeatedly. Its handlers are
// called on cancellation; these calls are part of the cost.

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <deque>

#include "net/timers/timers.h"

namespace fathom::bench {

namespace {

namespace asio = boost::asio;

class Asio {
 public:
  explicit Asio(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) timers_.emplace_back(context_);
  }
  void set(std::size_t place, std::chrono::milliseconds delay) {
    timers_[place].expires_at(now_ + delay);
    timers_[place].async_wait(
        [this](const boost::system::error_code& error) { (error ? cancelled_ : called_) += 1; });
    ++set_;
  }
  void cancel(std::size_t place) {
    timers_[place].cancel();
    context_.poll();
  }
  bool is_right() {
    context_.poll();
    return called_ == 0 && set_ - cancelled_ == timers_.size();
  }

 private:
  const std::chrono::steady_clock::time_point now_ = std::chrono::steady_clock::now();
  asio::io_context context_;
  std::deque<asio::steady_timer> timers_;
  std::size_t set_ = 0;
  std::size_t cancelled_ = 0;
  std::size_t called_ = 0;
};

}  // namespace

void add_asio_timers() {
  add_timer_contender<Asio>("asio");
}

}  // namespace fathom::bench
