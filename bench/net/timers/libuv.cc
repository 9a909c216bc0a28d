// libuv's timers: one object per timer, started and stopped repeatedly.

#include <uv.h>

#include <algorithm>
#include <vector>

#include "net/timers/timers.h"

namespace fathom::bench {

namespace {

class Libuv {
 public:
  explicit Libuv(std::size_t count) : timers_(count) {
    uv_loop_init(&loop_);
    for (uv_timer_t& timer : timers_) {
      uv_timer_init(&loop_, &timer);
      timer.data = this;
    }
  }
  Libuv(const Libuv&) = delete;
  Libuv& operator=(const Libuv&) = delete;
  ~Libuv() {
    for (uv_timer_t& timer : timers_) uv_close(reinterpret_cast<uv_handle_t*>(&timer), nullptr);
    uv_run(&loop_, UV_RUN_DEFAULT);
    uv_loop_close(&loop_);
  }
  void set(std::size_t place, std::chrono::milliseconds delay) {
    const auto call = [](uv_timer_t* timer) { static_cast<Libuv*>(timer->data)->called_ = true; };
    uv_timer_start(&timers_[place], call, static_cast<std::uint64_t>(delay.count()), 0);
  }
  void cancel(std::size_t place) { uv_timer_stop(&timers_[place]); }
  bool is_right() {
    uv_run(&loop_, UV_RUN_NOWAIT);
    return !called_ && std::all_of(timers_.begin(), timers_.end(), [](const uv_timer_t& timer) {
      return uv_is_active(reinterpret_cast<const uv_handle_t*>(&timer)) != 0;
    });
  }

 private:
  uv_loop_t loop_ = {};
  std::vector<uv_timer_t> timers_;
  bool called_ = false;
};

}  // namespace

void add_libuv_timers() {
  add_timer_contender<Libuv>("libuv");
}

}  // namespace fathom::bench
