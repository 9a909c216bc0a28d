// SwitchLog: opening the event, mapping its ring, and reading it.

#include "timeline/switch_log.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <system_error>
#include <utility>

#ifdef __linux__
#include <linux/perf_event.h>
#include <sched.h>
#include <sys/syscall.h>

#include <ctime>
#endif

#include "fathom/base/atomic.h"
#include "fathom/base/retry.h"
#include "fathom/diag/recording.h"

namespace fathom::diag {

#ifdef __linux__

namespace {

// The largest ring holds about 2,500 switches. With one more page per ring, seven threads per
// processor get such a ring even if the user may lock no other memory than what the system grants
// by default (516 KiB per processor, kernel.perf_event_mlock_kb). Later threads get smaller ones.
constexpr std::size_t kMostRingPages = 16;

base::Fd open_event() {
  perf_event_attr what = {};
  what.size = sizeof what;
  what.type = PERF_TYPE_SOFTWARE;
  what.config = PERF_COUNT_SW_DUMMY;
  what.sample_type = PERF_SAMPLE_TIME | PERF_SAMPLE_CPU;
  what.sample_id_all = 1;
  what.context_switch = 1;
  what.exclude_kernel = 1;
  what.exclude_hv = 1;
  what.use_clockid = 1;
  what.clockid = CLOCK_MONOTONIC;
  return base::Fd(
      static_cast<int>(::syscall(SYS_perf_event_open, &what, 0, -1, -1, PERF_FLAG_FD_CLOEXEC)));
}

}  // namespace

std::unique_ptr<SwitchLog> SwitchLog::open(SwitchRefusal& refusal) {
  const Switch first{.kind = Switch::Kind::in,
                     .processor = static_cast<std::uint32_t>(std::max(::sched_getcpu(), 0)),
                     .nanoseconds = Recording::monotonic()};
  base::Fd event = open_event();
  if (!event) {
    refusal = {SwitchRefusal::Call::open_event, errno};
    return nullptr;
  }
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  for (std::size_t pages = kMostRingPages; pages > 0; pages /= 2) {
    const std::size_t bytes = (1 + pages) * page;
    void* const mapped = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, event.get(), 0);
    if (mapped != MAP_FAILED) {
      std::unique_ptr<SwitchLog> log(new SwitchLog(std::move(event), mapped, bytes));
      log->first_ = first;
      return log;
    }
    refusal = {SwitchRefusal::Call::map_ring, errno};
  }
  return nullptr;
}

std::vector<Switch> SwitchLog::read() {
  auto* const positions = static_cast<perf_event_mmap_page*>(pages_);
  const base::atomic_ref head(positions->data_head);
  const base::atomic_ref tail(positions->data_tail);
  // [T3] acquire: pairs with the kernel's barrier before it advances the head, so that the records
  // are visible.
  const std::uint64_t end = head.load(base::memory_order_acquire);
  const std::uint64_t begin = tail.load(base::memory_order_relaxed);  // only this thread writes it
  const auto* const ring = static_cast<const std::byte*>(pages_) + positions->data_offset;
  std::vector<Switch> switches = read_switches({ring, positions->data_size}, begin, end);
  // [T4] release: pairs with the kernel's reading of the tail, before it overwrites the records.
  tail.store(end, base::memory_order_release);
  return switches;
}

#else

std::unique_ptr<SwitchLog> SwitchLog::open(SwitchRefusal& refusal) {
  refusal = {SwitchRefusal::Call::open_event, ENOSYS};
  return nullptr;
}

std::vector<Switch> SwitchLog::read() {
  return {};
}

#endif

namespace {

// The setting with its value ("kernel.perf_event_paranoid is 3"); empty if it is unknown.
std::string setting(const std::string& name) {
  const base::Fd file(::open(("/proc/sys/kernel/" + name).c_str(), O_RDONLY | O_CLOEXEC));
  std::array<char, 16> value{};
  if (!file || base::retry([&] { return ::read(file.get(), value.data(), value.size() - 1); }) <= 0)
    return "";
  return "kernel." + name + " is " + std::to_string(std::strtol(value.data(), nullptr, 10));
}

// What limits the memory of the rings.
std::string memory_limits() {
  std::string limits = setting("perf_event_mlock_kb");
  rlimit memory = {};
  if (::getrlimit(RLIMIT_MEMLOCK, &memory) != 0 || memory.rlim_cur == RLIM_INFINITY) return limits;
  if (!limits.empty()) limits += ", ";
  return limits + "the memlock limit is " + std::to_string(memory.rlim_cur / 1024) + " KiB";
}

std::string in_brackets(const std::string& text) {
  return text.empty() ? "" : " (" + text + ")";
}

}  // namespace

SwitchLog::SwitchLog(base::Fd event, void* pages, std::size_t bytes) noexcept
    : event_(std::move(event)), pages_(pages), bytes_(bytes), process_(::getpid()) {}

SwitchLog::~SwitchLog() {
  if (process_ == ::getpid()) ::munmap(pages_, bytes_);
}

std::string why_no_switches(SwitchRefusal refusal) {
  const bool is_open = refusal.call == SwitchRefusal::Call::open_event;
  const std::string why =
      (is_open ? "perf_event_open: " : "mmap: ") + std::generic_category().message(refusal.error);
  if (is_open) return why + in_brackets(setting("perf_event_paranoid"));
  // This error means that the user may not lock the memory of the ring.
  return refusal.error == EPERM ? why + in_brackets(memory_limits()) : why;
}

}  // namespace fathom::diag
