// JsonWriter: writes JSON texts to a sink in blocks, or into a string.
//
// It adds commas, quotes and escapes; the caller sees to it that objects and arrays end, and that
// each member of an object has a key. Bytes that are not UTF-8 are written twice: with U+FFFD for
// readers, and in base64 under the same key with the suffix _b64.
//
//   JsonWriter json(sink);
//   json.begin_object();
//   json.number("size", 5);
//   json.bytes("path", path);
//   json.end_object();
//   json.end_line();
//   json.flush();
//
//   JsonWriter json;  // into a string
//   ...
//   return std::move(json).take();

#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "fathom/fs/sink.h"

namespace fathom::fs {

class JsonWriter {
 public:
  enum class Layout : std::uint8_t { compact, indented };

  // The most decimals of a number: the resolution of the clock.
  static constexpr int kDecimals = 6;

  JsonWriter() = default;
  // Into a string that wants no more once it has that many bytes; what is written all the same, it
  // still takes.
  explicit JsonWriter(std::size_t enough) : enough_(enough) {}
  // The sink must outlive the object.
  explicit JsonWriter(const Sink& sink, Layout layout = Layout::compact);
  JsonWriter(const JsonWriter&) = delete;
  JsonWriter& operator=(const JsonWriter&) = delete;

  void begin_object() { begin('{'); }
  void begin_object(std::string_view name) { key(name), begin_object(); }
  void end_object() { end('}'); }
  void begin_array() { begin('['); }
  void begin_array(std::string_view name) { key(name), begin_array(); }
  void end_array() { end(']'); }

  // The next value belongs to this key. Keys are written as they are, without escapes.
  void key(std::string_view name);

  // Values: elements of an array or, with a name, members of an object.
  template <std::integral Integer>
  requires(!std::same_as<Integer, bool>) void number(Integer value) {
    if constexpr (std::is_signed_v<Integer>) {
      integer(std::int64_t{value});
    } else {
      integer(std::uint64_t{value});
    }
  }
  template <std::integral Integer>
  requires(!std::same_as<Integer, bool>) void number(std::string_view name, Integer value) {
    key(name), number(value);
  }
  void decimal(double value);  // null if it is not finite
  void decimal(std::string_view name, double value) { key(name), decimal(value); }
  void flag(bool value) { word(value ? "true" : "false"); }
  void flag(std::string_view name, bool value) { key(name), flag(value); }
  void null() { word("null"); }
  void null(std::string_view name) { key(name), null(); }
  // Seconds since the epoch; null for kUnknownTime.
  void time(std::string_view name, std::int64_t seconds);
  // The text must be UTF-8.
  void string(std::string_view text);
  void string(std::string_view name, std::string_view text) { key(name), string(text); }
  void bytes(std::string_view name, std::string_view bytes);

  // An array of strings. If not all are UTF-8, a second array has the bytes of those, and null for
  // the others.
  void bytes_of_each(std::string_view name, const std::vector<std::string>& all);
  // An array of objects with the key "path": [{"path":"/srv"}].
  void path_objects(std::string_view name, const std::vector<std::string>& paths);

  // Begins a new line before the next key, value or end.
  void break_line() { breaks_ = true; }
  // Ends the line after a text, which another text may follow.
  void end_line();

  // Whether the sink or the string wants more.
  [[nodiscard]] bool wanted() const { return wanted_ && text_.size() < enough_; }
  // The length of the text, if there is no sink, and a return to it: takes back the elements of an
  // array that were written since, but not its first one.
  [[nodiscard]] std::size_t size() const { return text_.size(); }
  void truncate(std::size_t size) { text_.resize(size); }
  // Passes the rest to the sink, if there is one. Call it at the end.
  void flush();
  // The text, if there is no sink.
  [[nodiscard]] std::string take() && { return std::move(text_); }

 private:
  void begin(char bracket);
  void end(char bracket);
  void separate();
  void begin_value();
  void indent();
  void word(std::string_view text);
  void integer(std::int64_t value);
  void integer(std::uint64_t value);
  void quoted(std::string_view text);

  const Sink* sink_ = nullptr;  // null: text_ is the result
  std::string text_;            // not yet in the sink
  std::size_t enough_ = SIZE_MAX;
  std::size_t depth_ = 0;  // objects and arrays that have not ended
  bool indented_ = false;
  bool breaks_ = false;     // see break_line()
  bool has_key_ = false;    // the next value has one
  bool has_other_ = false;  // something precedes the next key or value in its object or array
  bool wanted_ = true;
};

}  // namespace fathom::fs
