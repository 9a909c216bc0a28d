// TraceJson: appending events to the text, with cached names.

#include "timeline/trace_json.h"

#include <array>
#include <charconv>
#include <cstddef>

namespace fathom::diag {

namespace {

void append_number(std::string& text, std::uint64_t value) {
  std::array<char, 20> digits{};
  const auto [end, code] = std::to_chars(digits.begin(), digits.end(), value);
  text.append(digits.begin(), end);
}

void append_microseconds(std::string& text, std::uint64_t nanoseconds) {
  append_number(text, nanoseconds / 1000);
  const auto rest = static_cast<unsigned>(nanoseconds % 1000);
  if (rest == 0) return;
  text += '.';
  text += static_cast<char>('0' + rest / 100);
  if (rest % 100 == 0) return;
  text += static_cast<char>('0' + rest / 10 % 10);
  if (rest % 10 != 0) text += static_cast<char>('0' + rest % 10);
}

// The length of the UTF-8 sequence at the front in bytes; 0 if it is invalid.
std::size_t sequence_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0U) != 0x80) return 0;
  }
  const unsigned char second = byte(1);
  const bool overlong = (first == 0xe0 && second < 0xa0) || (first == 0xf0 && second < 0x90);
  const bool no_character = (first == 0xed && second > 0x9f) || (first == 0xf4 && second > 0x8f);
  return overlong || no_character ? 0 : length;
}

}  // namespace

std::string quoted_json(std::string_view text) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string quoted = "\"";
  while (!text.empty()) {
    const std::size_t length = sequence_length(text);
    const auto first = static_cast<unsigned char>(text.front());
    if (length == 0) {
      quoted += "\\ufffd";
    } else if (first == '"' || first == '\\') {
      quoted += {'\\', text.front()};
    } else if (first < 0x20) {
      quoted += {'\\', 'u', '0', '0', kHex[first / 16], kHex[first % 16]};
    } else {
      quoted += text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return quoted += '"';
}

void TraceJson::begin(long process, std::string_view program) {
  select(process);
  text_ += "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n";
  name_process(program);
}

void TraceJson::process(long process, std::string_view program) {
  select(process);
  text_ += ",\n";
  name_process(program);
}

void TraceJson::name_process(std::string_view program) {
  text_ += "{\"ph\":\"M\",\"pid\":" + process_ + R"(,"name":"process_name","args":{"name":)" +
           quoted_json(program) + "}}";
}

void TraceJson::thread(std::uint32_t track, std::string_view name, long system_id) {
  add_track(track, name, system_id, track);
}

void TraceJson::states(std::uint32_t track, std::string_view name, long system_id) {
  add_track(track + kStates, "processor of " + std::string(name), system_id, track);
}

void TraceJson::state(std::uint32_t track, const char* name, Moment begin, Moment end) {
  span(track + kStates, name, begin, end);
}

void TraceJson::run(std::uint32_t track, Moment begin, Moment end, std::uint32_t processor) {
  open('X', track + kStates, quoted("runs"));
  add("ts", begin);
  add("dur", Moment{end.nanoseconds - begin.nanoseconds});
  arguments("processor", processor);
  close();
}

void TraceJson::add_track(std::uint32_t number, std::string_view name, long system_id,
                          std::uint32_t order) {
  open('M', number, quoted("thread_name"));
  text_ += R"(,"args":{"name":)" + quoted_json(name);
  add("system_id", static_cast<std::uint64_t>(system_id));
  text_ += '}';
  close();
  open('M', number, quoted("thread_sort_index"));
  arguments("sort_index", order);
  close();
}

void TraceJson::span(std::uint32_t track, const char* name, Moment begin, Moment end) {
  open('X', track, quoted(name));
  add("ts", begin);
  add("dur", Moment{end.nanoseconds - begin.nanoseconds});
  close();
}

void TraceJson::span(std::uint32_t track, const char* name, Moment begin, Moment end,
                     std::uint32_t count, std::string_view key) {
  open('X', track, quoted(name));
  add("ts", begin);
  add("dur", Moment{end.nanoseconds - begin.nanoseconds});
  arguments(key, count);
  close();
}

void TraceJson::instant(std::uint32_t track, const char* name, Moment at) {
  open('i', track, quoted(name));
  add("ts", at);
  text_ += R"(,"s":"t")";
  close();
}

void TraceJson::instant(std::uint32_t track, const char* name, Moment at, std::uint64_t count) {
  open('i', track, quoted(name));
  add("ts", at);
  text_ += R"(,"s":"t")";
  arguments("count", count);
  close();
}

void TraceJson::log(std::uint32_t track, std::string_view text, Moment at) {
  open('i', track, quoted_json(text));
  add("ts", at);
  text_ += R"(,"s":"t","cat":"log")";
  close();
}

void TraceJson::counter(const char* name, Moment at, std::uint64_t value) {
  open('C', 0, quoted(name));
  add("ts", at);
  arguments("value", value);
  close();
}

void TraceJson::arrow(std::uint32_t from, std::uint32_t to, const char* name, Moment at) {
  ++arrows_;
  for (const char phase : {'s', 'f'}) {
    open(phase, phase == 's' ? from : to, quoted(name));
    add("ts", at);
    text_ += R"(,"cat":"arrow")";
    add("id", arrows_);
    close();
  }
}

void TraceJson::end(std::uint64_t events, std::uint64_t lost, std::string_view switches) {
  text_ += "\n],\"otherData\":{\"events\":" + std::to_string(events) +
           ",\"lost\":" + std::to_string(lost);
  if (!switches.empty()) text_ += ",\"context_switches\":" + quoted_json(switches);
  text_ += "}}\n";
}

void TraceJson::open(char phase, std::uint32_t track, std::string_view quoted_name) {
  text_ += ",\n{\"ph\":\"";
  text_ += phase;
  text_ += R"(","pid":)" + process_;
  if (track != 0) add("tid", track);
  text_ += R"(,"name":)";
  text_ += quoted_name;
}

void TraceJson::add(std::string_view key, std::uint64_t value) {
  text_ += ",\"";
  text_ += key;
  text_ += "\":";
  append_number(text_, value);
}

void TraceJson::add(std::string_view key, Moment value) {
  text_ += ",\"";
  text_ += key;
  text_ += "\":";
  append_microseconds(text_, value.nanoseconds);
}

void TraceJson::arguments(std::string_view key, std::uint64_t value) {
  text_ += R"(,"args":{")";
  text_ += key;
  text_ += "\":";
  append_number(text_, value);
  text_ += '}';
}

const std::string& TraceJson::quoted(const char* name) {
  std::string& found = quoted_[name];
  if (found.empty()) found = quoted_json(name);
  return found;
}

}  // namespace fathom::diag
