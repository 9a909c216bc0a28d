// Thrift's compact protocol, which Parquet uses for its metadata
// (https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md): a writer,
// and a reader that treats its input as hostile.
//
//   ThriftWriter out(bytes);
//   out.begin_struct();
//   out.number(1, 42);
//   out.text(4, "name");
//   out.end_struct();

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fathom::store {

enum class ThriftType : std::uint8_t {
  stop = 0,
  yes = 1,  // a boolean field is its type
  no = 2,
  i8 = 3,
  i16 = 4,
  i32 = 5,
  i64 = 6,
  real = 7,
  binary = 8,
  list = 9,
  set = 10,
  map = 11,
  record = 12,  // a struct
};

// Appends values to a string. The fields of a struct must have ascending numbers.
class ThriftWriter {
 public:
  explicit ThriftWriter(std::string& bytes) : bytes_(bytes) {}

  // The outermost struct, or an element of a list.
  void begin_struct() { last_.push_back(0); }
  void begin_struct(int field) {
    header(field, ThriftType::record);
    begin_struct();
  }
  void end_struct();

  void boolean(int field, bool value) { header(field, value ? ThriftType::yes : ThriftType::no); }
  void small(int field, std::int8_t value);
  void number16(int field, std::int16_t value) { integer(field, ThriftType::i16, value); }
  void number(int field, std::int32_t value) { integer(field, ThriftType::i32, value); }
  void number64(int field, std::int64_t value) { integer(field, ThriftType::i64, value); }
  void text(int field, std::string_view value);

  // A list, whose elements the caller writes next.
  void list(int field, ThriftType element, std::size_t size);
  void element(std::int32_t value) { zigzag(value); }
  void element(std::string_view value);

 private:
  void header(int field, ThriftType type);
  void integer(int field, ThriftType type, std::int64_t value) {
    header(field, type);
    zigzag(value);
  }
  void varint(std::uint64_t value);
  void zigzag(std::int64_t value);

  std::string& bytes_;
  std::vector<int> last_;  // the last field of each open struct
};

// Reads from bytes that may be anything. Every function throws base::Error at input that is cut off
// or malformed. Nothing is allocated in proportion to a length that the input only claims.
class ThriftReader {
 public:
  explicit ThriftReader(std::string_view bytes) : rest_(bytes) {}

  // Calls `field(number, type)` for each field of a struct. It must read the value, or skip() it.
  template <class Function>
  void record(Function&& field) {
    const Nested nested(*this);
    int number = 0;
    for (;;) {
      const ThriftType type = next_field(number);
      if (type == ThriftType::stop) return;
      field(number, type);
    }
  }

  // Calls `element()` for each element of a list, which must read it. Requires that its elements
  // have this type.
  template <class Function>
  void list(ThriftType type, ThriftType of, Function&& element) {
    for (std::size_t left = begin_list(type, of); left > 0; --left) element();
  }

  // The value of a field of the given type.
  [[nodiscard]] bool boolean(ThriftType type);
  [[nodiscard]] std::int64_t number(ThriftType type);
  [[nodiscard]] std::string_view text(ThriftType type);
  void skip(ThriftType type);

  [[nodiscard]] std::int64_t element() { return zigzag(); }
  [[nodiscard]] std::string_view text_element();

  // The bytes that were not read yet.
  [[nodiscard]] std::string_view rest() const { return rest_; }

 private:
  static constexpr int kDeepest = 32;

  // Limits the depth, so that input cannot exhaust the stack.
  struct Nested {
    explicit Nested(ThriftReader& reader_in) : reader(reader_in) { reader.enter(); }
    Nested(const Nested&) = delete;
    Nested& operator=(const Nested&) = delete;
    ~Nested() { --reader.depth_; }
    ThriftReader& reader;
  };
  void enter();
  ThriftType next_field(int& number);
  std::size_t begin_list(ThriftType type, ThriftType of);
  void skip_elements(ThriftType of, std::size_t count);
  std::uint8_t byte();
  std::uint64_t varint();
  std::int64_t zigzag();
  std::string_view take(std::size_t bytes);

  std::string_view rest_;
  int depth_ = 0;
};

}  // namespace fathom::store
