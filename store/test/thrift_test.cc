// Structs come back from Thrift's compact protocol, and damaged ones are refused.

#include "parquet/thrift.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "fathom/base/error.h"

namespace fathom::store {
namespace {

// Reads a struct without using its values.
void skip_struct(std::string_view bytes) {
  ThriftReader in(bytes);
  in.record([&](int, ThriftType type) { in.skip(type); });
}

TEST(Thrift, RestoresFieldsOfEachType) {
  std::string bytes;
  ThriftWriter out(bytes);
  out.begin_struct();
  out.boolean(1, true);
  out.boolean(2, false);
  out.small(3, -8);
  out.number16(5, -300);
  out.number(40, std::numeric_limits<std::int32_t>::min());
  out.number64(41, std::numeric_limits<std::int64_t>::max());
  out.text(42, "text");
  out.end_struct();

  std::vector<int> fields;
  ThriftReader in(bytes);
  in.record([&](int field, ThriftType type) {
    fields.push_back(field);
    switch (field) {
      case 1:
        EXPECT_TRUE(in.boolean(type));
        break;
      case 2:
        EXPECT_FALSE(in.boolean(type));
        break;
      case 3:
        EXPECT_EQ(in.number(type), -8);
        break;
      case 5:
        EXPECT_EQ(in.number(type), -300);
        break;
      case 40:
        EXPECT_EQ(in.number(type), std::numeric_limits<std::int32_t>::min());
        break;
      case 41:
        EXPECT_EQ(in.number(type), std::numeric_limits<std::int64_t>::max());
        break;
      default:
        EXPECT_EQ(in.text(type), "text");
        break;
    }
  });
  EXPECT_EQ(fields, (std::vector<int>{1, 2, 3, 5, 40, 41, 42}));
  EXPECT_TRUE(in.rest().empty());
}

TEST(Thrift, RestoresListsOfAnyLength) {
  for (const int length : {0, 1, 14, 15, 16, 300}) {
    std::string bytes;
    ThriftWriter out(bytes);
    out.begin_struct();
    out.list(1, ThriftType::i32, static_cast<std::size_t>(length));
    for (int i = 0; i < length; ++i) out.element(-i);
    out.end_struct();
    int next = 0;
    ThriftReader in(bytes);
    in.record([&](int, ThriftType type) {
      in.list(type, ThriftType::i32, [&] { EXPECT_EQ(in.element(), -next++); });
    });
    EXPECT_EQ(next, length);
  }
}

TEST(Thrift, SkipsWhatAReaderDoesNotKnow) {
  std::string bytes;
  ThriftWriter out(bytes);
  out.begin_struct();
  out.begin_struct(1);
  out.list(7, ThriftType::record, 2);
  for (int i = 0; i < 2; ++i) {
    out.begin_struct();
    out.text(3, "deep");
    out.end_struct();
  }
  out.end_struct();
  out.number(2, 5);
  out.end_struct();
  EXPECT_NO_THROW(skip_struct(bytes));
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    EXPECT_THROW(skip_struct(std::string_view(bytes).substr(0, length)), base::Error) << length;
  }
}

TEST(Thrift, RefusesDeepNesting) {
  EXPECT_THROW(skip_struct(std::string(100'000, '\x1c')), base::Error);  // structs in structs
  EXPECT_THROW(skip_struct("\x19" + std::string(100'000, '\x19')), base::Error);  // lists in lists
}

// The list says that it has 2^60 elements.
TEST(Thrift, RefusesAListLongerThanTheInput) {
  const std::string bytes = "\x19\xf5\x80\x80\x80\x80\x80\x80\x80\x80\x10";
  EXPECT_THROW(skip_struct(bytes), base::Error);
}

TEST(Thrift, RefusesAValueOfAnotherType) {
  std::string bytes;
  ThriftWriter out(bytes);
  out.begin_struct();
  out.number(1, 5);
  out.end_struct();
  const auto read_with = [&](auto read) {
    ThriftReader in(bytes);
    in.record([&](int, ThriftType type) { read(in, type); });
  };
  EXPECT_THROW(read_with([](ThriftReader& in, ThriftType type) { return in.text(type); }),
               base::Error);
  EXPECT_THROW(read_with([](ThriftReader& in, ThriftType type) { return in.boolean(type); }),
               base::Error);
  EXPECT_THROW(
      read_with([](ThriftReader& in, ThriftType type) { in.list(type, ThriftType::i32, [] {}); }),
      base::Error);
}

}  // namespace
}  // namespace fathom::store
