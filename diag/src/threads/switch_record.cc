// SwitchRecord: the layout of records with sample_id_all and PERF_SAMPLE_TID, _TIME and _CPU.

#include "threads/switch_record.h"

#include <linux/perf_event.h>

#include <algorithm>
#include <cstring>

namespace fathom::diag {

namespace {

// The end of every record, except of PERF_RECORD_LOST in old kernels.
struct SampleId {
  std::uint32_t process, thread;
  std::uint64_t time;
  std::uint32_t cpu, unused;
};
static_assert(sizeof(SampleId) == 24);

struct ForkBody {
  std::uint32_t process, parent_process, thread, parent;
};
struct NameBody {
  std::uint32_t process, thread;  // and the name, ended by NUL
};
struct LostBody {
  std::uint64_t id, count;
};

template <class T>
bool copy_from(std::span<const std::byte> bytes, T& value) {
  if (bytes.size() < sizeof value) return false;
  std::memcpy(&value, bytes.data(), sizeof value);
  return true;
}

std::string text_in(std::span<const std::byte> bytes) {
  const auto end = std::find(bytes.begin(), bytes.end(), std::byte{0});
  return {reinterpret_cast<const char*>(bytes.data()),
          static_cast<std::size_t>(end - bytes.begin())};
}

bool decode_body(const perf_event_header& header, std::span<const std::byte> body,
                 SwitchRecord& record) {
  ForkBody fork = {};
  NameBody name = {};
  switch (header.type) {
    case PERF_RECORD_FORK:
    case PERF_RECORD_EXIT:
      if (!copy_from(body, fork)) return false;
      record.kind =
          header.type == PERF_RECORD_FORK ? SwitchRecord::Kind::begins : SwitchRecord::Kind::ends;
      record.process = fork.process;
      record.thread = fork.thread;
      record.parent = fork.parent;
      return true;
    case PERF_RECORD_COMM:
      if (!copy_from(body, name)) return false;
      record.kind = SwitchRecord::Kind::named;
      record.process = name.process;
      record.thread = name.thread;
      record.name = text_in(body.subspan(sizeof name));
      record.executes = (header.misc & PERF_RECORD_MISC_COMM_EXEC) != 0;
      return true;
    case PERF_RECORD_SWITCH:
      record.kind = (header.misc & PERF_RECORD_MISC_SWITCH_OUT) != 0 ? SwitchRecord::Kind::pauses
                                                                     : SwitchRecord::Kind::runs;
      record.preempted = (header.misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT) != 0;
      return true;
    default:
      return false;
  }
}

}  // namespace

std::optional<SwitchRecord> decode_switch_record(std::span<const std::byte> bytes) {
  perf_event_header header = {};
  if (!copy_from(bytes, header) || header.size != bytes.size()) return std::nullopt;
  std::span<const std::byte> body = bytes.subspan(sizeof header);
  SwitchRecord record;
  if (header.type == PERF_RECORD_LOST) {
    LostBody lost = {};
    if (!copy_from(body, lost)) return std::nullopt;
    record.count = lost.count;
    body = body.subspan(sizeof lost);
    if (body.empty()) return record;
  }
  SampleId id = {};
  if (body.size() < sizeof id) return std::nullopt;
  copy_from(body.last(sizeof id), id);
  body = body.first(body.size() - sizeof id);
  record.process = id.process;
  record.thread = id.thread;
  record.time = id.time;
  record.cpu = id.cpu;
  if (header.type != PERF_RECORD_LOST && !decode_body(header, body, record)) return std::nullopt;
  return record;
}

}  // namespace fathom::diag
