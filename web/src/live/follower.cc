// Follower: waits for the descriptor of a Watch.

#include "live/follower.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <exception>
#include <utility>

#include "fathom/base/error.h"
#include "fathom/rt/signals_blocked.h"

namespace fathom::web {

Follower::Follower(const std::vector<std::string>& roots, std::function<void()> changed)
    : changed_(std::move(changed)), watch_(roots) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw base::SystemError("cannot make a pipe", errno);
  stopped_.reset(ends[0]);
  stop_.reset(ends[1]);
  const rt::SignalsBlocked blocked;
  thread_ = std::thread([this] { run(); });
}

Follower::~Follower() {
  stop_.reset();
  thread_.join();
}

fs::Changes Follower::take() {
  const std::lock_guard lock(mutex_);
  told_ = false;
  fs::Changes changes = watch_.take();
  changes.missed = std::exchange(failed_, false) || changes.missed;
  return changes;
}

std::vector<std::string> Follower::not_followed() const {
  const std::lock_guard lock(mutex_);
  return watch_.not_followed();
}

void Follower::run() noexcept {
  std::array<pollfd, 2> waiting = {
      pollfd{.fd = stopped_.get(), .events = 0, .revents = 0},
      pollfd{.fd = watch_.descriptor(), .events = POLLIN, .revents = 0}};
  for (;;) {
    // First at once: the first wait would hide mounts that have changed before it.
    const bool is_read = read();
    // Without memory, there may be some later.
    constexpr int kPause = 1000;  // milliseconds
    ::poll(waiting.data(), is_read ? waiting.size() : 1, is_read ? -1 : kPause);
    if (waiting[0].revents != 0) return;
  }
}

// False if there is no memory for what has changed.
bool Follower::read() {
  bool tell = false;
  bool is_read = true;
  {
    const std::lock_guard lock(mutex_);
    try {
      watch_.read();
    } catch (const std::exception&) {
      failed_ = true;
      is_read = false;
    }
    tell = (failed_ || watch_.changed()) && !std::exchange(told_, true);
  }
  if (tell) changed_();
  return is_read;
}

}  // namespace fathom::web
