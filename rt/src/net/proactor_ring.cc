// Proactor::Ring and Proactor::Buffers: setting up io_uring, and finding out what the kernel
// supports.

#include "net/proactor_ring.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <fstream>
#include <memory>
#include <new>
#include <string>
#include <utility>

#include "fathom/base/atomic.h"
#include "fathom/base/error.h"
#include "fathom/base/retry.h"

namespace fathom::rt {

namespace {

constexpr unsigned kMostBuffers = 32'768;  // the kernel's limit
constexpr int kBufferGroup = 0;
// How long to wait until the kernel releases a closed ring; it usually takes tens of milliseconds.
constexpr int kReleaseMilliseconds = 10'000;

std::string why_refused() {
  int disabled = 0;
  std::ifstream("/proc/sys/kernel/io_uring_disabled") >> disabled;
  if (disabled == 0) return "io_uring is refused, by a seccomp filter or another policy";
  return "io_uring is disabled by the sysctl kernel.io_uring_disabled";
}

[[noreturn]] void fail(int error) {
  switch (error) {
    case ENOSYS:
      throw base::SystemError("the kernel does not support io_uring, or hides it", error);
    case EPERM:
    case EACCES:
      throw base::SystemError(why_refused(), error);
    case EINVAL:
      throw base::SystemError("the kernel is too old for this use of io_uring", error);
    case ENOMEM:
      throw base::SystemError("the limit of locked memory is too low for io_uring", error);
    default:
      throw base::SystemError("cannot create an io_uring", error);
  }
}

// From the best set of flags to what every kernel with io_uring supports.
constexpr unsigned kAlways = IORING_SETUP_R_DISABLED | IORING_SETUP_CQSIZE | IORING_SETUP_CLAMP;
constexpr std::array<unsigned, 3> kFlags = {
    kAlways | IORING_SETUP_SUBMIT_ALL | IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN,
    kAlways | IORING_SETUP_SUBMIT_ALL | IORING_SETUP_COOP_TASKRUN, kAlways};

// Unlike thread ids of pthreads and of the kernel, these numbers are never reused.
std::uint64_t this_thread_number() noexcept {
  static base::atomic<std::uint64_t> last{0};
  thread_local const std::uint64_t number = last.fetch_add(1, base::memory_order_relaxed) + 1;
  return number;
}

}  // namespace

Proactor::Ring::Ring(const Options& options) {
  set_up(options);
  try {
    check();
    watch_release();
  } catch (...) {
    close(false);
    throw;
  }
}

Proactor::Ring::~Ring() {
  close(true);
}

void Proactor::Ring::set_up(const Options& options) {
  int error = EINVAL;
  for (const unsigned flags : kFlags) {
    const bool one_thread = (flags & IORING_SETUP_SINGLE_ISSUER) != 0;
    if (one_thread && !options.one_thread) continue;
    io_uring_params params = {};
    params.flags = flags;
    params.cq_entries = std::max(options.completions, options.submissions);
    error = -::io_uring_queue_init_params(std::max(options.submissions, 1U), &ring_, &params);
    if (error == 0) {
      open_ = true;
      one_thread_ = one_thread;
      return;
    }
    if (error != EINVAL) break;
  }
  fail(error);
}

// Requires waits with a time-out, and a kernel that never drops completions when the ring is full.
void Proactor::Ring::check() {
  if (!has_feature(IORING_FEAT_EXT_ARG) || !has_feature(IORING_FEAT_NODROP)) fail(EINVAL);
  const std::unique_ptr<io_uring_probe, void (*)(io_uring_probe*)> probe(
      ::io_uring_get_probe_ring(&ring_), ::io_uring_free_probe);
  if (probe == nullptr) fail(EINVAL);
  for (const int operation : {IORING_OP_ACCEPT, IORING_OP_RECV, IORING_OP_SEND, IORING_OP_POLL_ADD,
                              IORING_OP_ASYNC_CANCEL}) {
    if (::io_uring_opcode_supported(probe.get(), operation) == 0) fail(EINVAL);
  }
}

// Registers the end of a pipe: the kernel releases registered files after the last operation.
void Proactor::Ring::watch_release() {
  std::array<int, 2> ends = {-1, -1};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) fail(errno);
  released_.reset(ends[0]);
  const base::Fd other(ends[1]);
  const int result = ::io_uring_register_files(&ring_, &ends[1], 1);
  if (result != 0) fail(-result);
}

bool Proactor::Ring::may_enter() const noexcept {
  if (in_child()) return false;
  return !enabled_ || !one_thread_ || owner_ == this_thread_number();
}

void Proactor::Ring::enable() {
  if (enabled_) return;
  // Debian 12's liburing does not export io_uring_enable_rings().
  const int result = ::io_uring_register(static_cast<unsigned>(ring_.ring_fd),
                                         IORING_REGISTER_ENABLE_RINGS, nullptr, 0);
  if (result < 0) fail(-result);
  owner_ = this_thread_number();
  enabled_ = true;
}

int Proactor::Ring::submit() noexcept {
  const int result = ::io_uring_submit(&ring_);
  return result < 0 ? -result : 0;
}

int Proactor::Ring::submit_and_wait(Duration most) noexcept {
  int result = 0;
  if (most < Duration::zero()) {
    result = ::io_uring_submit_and_wait(&ring_, 1);
  } else if (most == Duration::zero()) {
    result = ::io_uring_submit_and_get_events(&ring_);
  } else {
    const auto seconds = std::chrono::floor<std::chrono::seconds>(most);
    __kernel_timespec time = {};
    time.tv_sec = seconds.count();
    time.tv_nsec = (most - seconds).count();
    io_uring_cqe* first = nullptr;
    result = ::io_uring_submit_and_wait_timeout(&ring_, &first, 1, &time, nullptr);
  }
  switch (result) {
    case -ETIME:
    case -EINTR:   // a signal handler ran and may have called stop()
    case -EAGAIN:  // out of memory, or
    case -EBUSY:   // too many completions, which must be handled first
      return 0;
    default:
      return result < 0 ? -result : 0;
  }
}

bool Proactor::Ring::close(bool in_flight) noexcept {
  if (!std::exchange(open_, false)) return true;
  ::io_uring_queue_exit(&ring_);
  bool released = true;
  if (released_ && enabled_ && in_flight && !in_child()) {
    // The ring stays alive if a child of fork() has it too.
    pollfd end = {released_.get(), POLLIN, 0};
    released = base::retry([&] { return ::poll(&end, 1, kReleaseMilliseconds); }) > 0;
  }
  released_.reset();
  return released;
}

Proactor::Buffers::Buffers(unsigned count, std::size_t bytes)
    : count_(std::bit_ceil(std::clamp(count, 1U, kMostBuffers))), bytes_(bytes) {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const std::size_t entries = (count_ * sizeof(io_uring_buf) + page - 1) / page * page;
  mapped_ = entries + count_ * bytes_;
  void* const memory =
      ::mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  memory_ = static_cast<std::byte*>(memory);
  first_ = memory_ + entries;
  entries_ = static_cast<io_uring_buf_ring*>(memory);
}

Proactor::Buffers::~Buffers() {
  ::munmap(memory_, mapped_);
}

bool Proactor::Buffers::offer(io_uring& ring) noexcept {
  io_uring_buf_reg registration = {};
  registration.ring_addr = reinterpret_cast<std::uint64_t>(entries_);
  registration.ring_entries = count_;
  registration.bgid = kBufferGroup;
  ::io_uring_buf_ring_init(entries_);
  if (::io_uring_register_buf_ring(&ring, &registration, 0) != 0) return false;
  for (unsigned number = 0; number < count_; ++number) add(number, static_cast<int>(number));
  ::io_uring_buf_ring_advance(entries_, static_cast<int>(count_));
  return true;
}

std::span<const std::byte> Proactor::Buffers::get(unsigned number,
                                                  std::size_t bytes) const noexcept {
  return {first_ + number * bytes_, std::min(bytes, bytes_)};
}

void Proactor::Buffers::give_back(unsigned number) noexcept {
  add(number, 0);
  ::io_uring_buf_ring_advance(entries_, 1);
}

void Proactor::Buffers::add(unsigned number, int offset) noexcept {
  ::io_uring_buf_ring_add(entries_, first_ + number * bytes_, static_cast<unsigned>(bytes_),
                          static_cast<unsigned short>(number), ::io_uring_buf_ring_mask(count_),
                          offset);
}

}  // namespace fathom::rt
