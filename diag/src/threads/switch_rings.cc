// SwitchRings: perf_event_open() and reading what the kernel writes.

#include "threads/switch_rings.h"

#include <linux/perf_event.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <utility>

#include "fathom/base/atomic.h"
#include "fathom/base/error.h"

namespace fathom::diag {

namespace {

// The kernel lets a user lock 516 KiB per CPU: this and the page of positions.
constexpr std::size_t kMostRingBytes = std::size_t{512} << 10U;
constexpr std::size_t kLeastRingBytes = std::size_t{16} << 10U;
constexpr std::size_t kMostRecordBytes = 256;  // a name has 16, with its NUL

perf_event_attr attributes() {
  perf_event_attr event = {};
  event.size = sizeof event;
  event.type = PERF_TYPE_SOFTWARE;
  event.config = PERF_COUNT_SW_DUMMY;  // counts nothing
  event.context_switch = 1;
  event.task = 1;
  event.comm = 1;
  event.comm_exec = 1;
  event.inherit = 1;
  event.disabled = 1;
  event.enable_on_exec = 1;
  // Users may not measure the kernel. This does not affect the records.
  event.exclude_kernel = 1;
  event.exclude_hv = 1;
  event.sample_id_all = 1;
  event.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU;
  event.use_clockid = 1;
  event.clockid = CLOCK_MONOTONIC;
  event.watermark = 1;  // wake the reader when a ring is half full
  return event;
}

std::size_t page_bytes() {
  return static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

}  // namespace

SwitchRings::SwitchRings(long process) {
  const long cpus = ::sysconf(_SC_NPROCESSORS_CONF);
  perf_event_attr event = attributes();
  int code = 0;
  for (long cpu = 0; cpu < cpus; ++cpu) {
    Ring ring;
    ring.event.reset(static_cast<int>(
        ::syscall(SYS_perf_event_open, &event, process, cpu, -1, PERF_FLAG_FD_CLOEXEC)));
    if (!ring.event && errno == ENODEV) continue;  // this CPU is offline
    if (!ring.event || !map(ring)) {
      code = errno;
      break;
    }
    rings_.push_back(std::move(ring));
  }
  if (code == 0 && !rings_.empty()) return;
  for (Ring& ring : rings_) ::munmap(ring.memory, page_bytes() + ring.bytes);
  throw base::SystemError("perf_event_open", code == 0 ? ENODEV : code);
}

SwitchRings::~SwitchRings() {
  for (Ring& ring : rings_) ::munmap(ring.memory, page_bytes() + ring.bytes);
}

// A ring that is smaller than wanted if the limit of locked memory is lower. Sets errno.
bool SwitchRings::map(Ring& ring) {
  for (ring.bytes = kMostRingBytes; ring.bytes >= kLeastRingBytes; ring.bytes /= 2) {
    ring.memory = ::mmap(nullptr, page_bytes() + ring.bytes, PROT_READ | PROT_WRITE, MAP_SHARED,
                         ring.event.get(), 0);
    if (ring.memory != MAP_FAILED) return true;
    if (errno != EPERM && errno != ENOMEM) return false;
  }
  return false;
}

std::vector<int> SwitchRings::descriptors() const {
  std::vector<int> all;
  for (const Ring& ring : rings_) all.push_back(ring.event.get());
  return all;
}

void SwitchRings::read_until(std::uint64_t time,
                             const std::function<void(const SwitchRecord&)>& take) {
  for (Ring& ring : rings_) read(ring);
  std::stable_sort(waiting_.begin(), waiting_.end(),
                   [](const SwitchRecord& a, const SwitchRecord& b) { return a.time < b.time; });
  const auto later =
      std::find_if(waiting_.begin(), waiting_.end(),
                   [time](const SwitchRecord& record) { return record.time > time; });
  for (auto record = waiting_.begin(); record != later; ++record) take(*record);
  waiting_.erase(waiting_.begin(), later);
}

void SwitchRings::read(Ring& ring) {
  auto* const page = static_cast<volatile perf_event_mmap_page*>(ring.memory);
  const auto* const records = static_cast<const std::byte*>(ring.memory) + page_bytes();
  const std::uint64_t head = page->data_head;
  base::fence(base::memory_order_acquire);  // pairs with the kernel's barrier before data_head
  std::uint64_t tail = page->data_tail;
  while (tail < head) {
    perf_event_header header = {};
    // Records are aligned to 8 bytes, the size of a header, so a header is never split.
    std::memcpy(&header, records + (tail & (ring.bytes - 1)), sizeof header);
    if (header.size < sizeof header) break;
    add(records, ring.bytes, tail, header.size);
    tail += header.size;
  }
  base::fence(base::memory_order_seq_cst);  // pairs with the kernel's barrier after data_tail
  page->data_tail = head;
}

void SwitchRings::add(const std::byte* ring, std::size_t bytes, std::uint64_t position,
                      std::size_t length) {
  std::array<std::byte, kMostRecordBytes> record;
  if (length > record.size()) return;
  const std::size_t at = position & (bytes - 1);
  const std::size_t first = std::min(length, bytes - at);
  std::memcpy(record.data(), ring + at, first);
  std::memcpy(record.data() + first, ring, length - first);
  auto decoded = decode_switch_record(std::span(record).first(length));
  if (!decoded) return;
  lost_ += decoded->count;
  if (!waiting_.empty() && waiting_.back().kind == SwitchRecord::Kind::lost) {
    // The kernel writes it before the record that fits again, but with a later time or none.
    waiting_.back().time = decoded->time;
  }
  waiting_.push_back(std::move(*decoded));
}

}  // namespace fathom::diag
