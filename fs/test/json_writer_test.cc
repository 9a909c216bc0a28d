// JsonWriter: its text is that of rapidjson, byte by byte, in every layout.

#include "fathom/fs/json_writer.h"

#include <gtest/gtest.h>
#include <rapidjson/prettywriter.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fathom/fs/tree.h"

namespace fathom::fs {
namespace {

// The text of one value.
template <class Write>
std::string text_of(Write write) {
  JsonWriter json;
  write(json);
  return std::move(json).take();
}

template <class Write>
std::string rapidjson_text_of(Write write) {
  rapidjson::StringBuffer buffer;
  rapidjson::Writer<rapidjson::StringBuffer> writer(buffer);
  writer.SetMaxDecimalPlaces(JsonWriter::kDecimals);
  write(writer);
  return {buffer.GetString(), buffer.GetSize()};
}

TEST(JsonWriter, EscapesAsRapidjsonDoes) {
  const auto expect_same = [](const std::string& text) {
    EXPECT_EQ(text_of([&](JsonWriter& json) { json.string(text); }),
              rapidjson_text_of([&](auto& writer) {
                writer.String(text.data(), static_cast<rapidjson::SizeType>(text.size()));
              }));
  };
  std::string all;
  for (int byte = 0; byte < 256; ++byte) {
    const char character = static_cast<char>(byte);
    expect_same({character});
    expect_same({'a', character, 'b'});
    all += character;
  }
  expect_same(all);
  expect_same("");
}

TEST(JsonWriter, FormatsNumbersAsRapidjsonDoes) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 10'000; ++i) {
    const std::uint64_t bits = random() >> random() % 64;
    const auto value = static_cast<std::int64_t>(bits);
    const double decimal = static_cast<double>(bits) / 1e6;
    EXPECT_EQ(text_of([&](JsonWriter& json) { json.number(bits); }),
              rapidjson_text_of([&](auto& writer) { writer.Uint64(bits); }));
    EXPECT_EQ(text_of([&](JsonWriter& json) { json.number(-value); }),
              rapidjson_text_of([&](auto& writer) { writer.Int64(-value); }));
    EXPECT_EQ(text_of([&](JsonWriter& json) { json.decimal(decimal); }),
              rapidjson_text_of([&](auto& writer) { writer.Double(decimal); }));
  }
  constexpr auto kLeast = std::numeric_limits<std::int64_t>::min();
  EXPECT_EQ(text_of([](JsonWriter& json) { json.number(kLeast); }), "-9223372036854775808");
}

TEST(JsonWriter, WritesNumbersOfEveryType) {
  EXPECT_EQ(text_of([](JsonWriter& json) {
              json.begin_array();
              json.number(-1);
              json.number(1U);
              json.number(static_cast<std::uint8_t>(255));
              json.number(static_cast<std::int16_t>(-3));
              json.number(std::size_t{7});
              json.decimal(0.5);
              json.decimal(12);
              json.decimal(1.0 / 3);
              json.decimal(std::numeric_limits<double>::infinity());
              json.flag(true);
              json.null();
              json.end_array();
            }),
            "[-1,1,255,-3,7,0.5,12.0,0.333333,null,true,null]");
}

TEST(JsonWriter, WritesUnknownTimesAsNull) {
  EXPECT_EQ(text_of([](JsonWriter& json) {
              json.begin_object();
              json.time("modified", -5);
              json.time("read", kUnknownTime);
              json.end_object();
            }),
            R"({"modified":-5,"read":null})");
}

TEST(JsonWriter, AddsTheBytesThatAreNotUtf8) {
  EXPECT_EQ(text_of([](JsonWriter& json) {
              json.begin_object();
              json.bytes("path", "a\xff");
              json.bytes("name", "\xc3\xa9");
              json.path_objects("roots", {"/srv", "\xff"});
              json.bytes_of_each("all", {"a", "b"});
              json.bytes_of_each("some", {"a", "\xff"});
              json.bytes_of_each("none", {});
              json.end_object();
            }),
            "{\"path\":\"a\xef\xbf\xbd\",\"path_b64\":\"Yf8=\",\"name\":\"\xc3\xa9\","
            "\"roots\":[{\"path\":\"/srv\"},{\"path\":\"\xef\xbf\xbd\",\"path_b64\":\"/w==\"}],"
            "\"all\":[\"a\",\"b\"],\"some\":[\"a\",\"\xef\xbf\xbd\"],\"some_b64\":[null,\"/w==\"],"
            "\"none\":[]}");
}

// An object with every kind of nesting, as calls of both writers.
void write_nested(JsonWriter& json) {
  json.begin_object();
  json.begin_object("empty");
  json.end_object();
  json.begin_array("none");
  json.end_array();
  json.begin_array("list");
  json.number(1);
  json.begin_object();
  json.string("key", "value");
  json.begin_array("deep");
  json.begin_array();
  json.null();
  json.end_array();
  json.end_array();
  json.end_object();
  json.flag(false);
  json.end_array();
  json.number("last", 2);
  json.end_object();
}

template <class Writer>
std::string nested_by_rapidjson() {
  rapidjson::StringBuffer buffer;
  Writer writer(buffer);
  writer.StartObject();
  writer.Key("empty");
  writer.StartObject();
  writer.EndObject();
  writer.Key("none");
  writer.StartArray();
  writer.EndArray();
  writer.Key("list");
  writer.StartArray();
  writer.Int(1);
  writer.StartObject();
  writer.Key("key");
  writer.String("value");
  writer.Key("deep");
  writer.StartArray();
  writer.StartArray();
  writer.Null();
  writer.EndArray();
  writer.EndArray();
  writer.EndObject();
  writer.Bool(false);
  writer.EndArray();
  writer.Key("last");
  writer.Int(2);
  writer.EndObject();
  return {buffer.GetString(), buffer.GetSize()};
}

class IndentedWriter : public rapidjson::PrettyWriter<rapidjson::StringBuffer> {
 public:
  explicit IndentedWriter(rapidjson::StringBuffer& buffer) : PrettyWriter(buffer) {
    SetIndent(' ', 2);
  }
};

// The text that the sink receives.
template <class Write>
std::string text_in_sink(Write write, JsonWriter::Layout layout = JsonWriter::Layout::compact) {
  std::string text;
  const Sink sink = [&text](std::string_view block) {
    text += block;
    return true;
  };
  JsonWriter json(sink, layout);
  write(json);
  json.flush();
  return text;
}

TEST(JsonWriter, NestsAsRapidjsonDoes) {
  const std::string expected = nested_by_rapidjson<rapidjson::Writer<rapidjson::StringBuffer>>();
  EXPECT_EQ(text_of(write_nested), expected);
  EXPECT_EQ(text_in_sink(write_nested), expected);
}

TEST(JsonWriter, IndentsAsRapidjsonDoes) {
  EXPECT_EQ(text_in_sink(write_nested, JsonWriter::Layout::indented),
            nested_by_rapidjson<IndentedWriter>());
}

TEST(JsonWriter, BreaksLinesOnRequest) {
  EXPECT_EQ(text_of([](JsonWriter& json) {
              json.begin_object();
              json.begin_array("list");
              for (int i = 1; i <= 2; ++i) {
                json.break_line();
                json.begin_object();
                json.number("i", i);
                json.number("j", i);
                json.end_object();
              }
              json.break_line();
              json.end_array();
              json.end_object();
              json.end_line();
              json.begin_object();
              json.end_object();
              json.end_line();
            }),
            "{\"list\":[\n{\"i\":1,\"j\":1},\n{\"i\":2,\"j\":2}\n]}\n{}\n");
}

TEST(JsonWriter, TakesMoreThanItWants) {
  JsonWriter json(10);
  json.begin_array();
  EXPECT_TRUE(json.wanted());
  json.string("123456789");
  EXPECT_FALSE(json.wanted());
  json.end_array();
  EXPECT_EQ(std::move(json).take(), R"(["123456789"])");
}

TEST(JsonWriter, TakesBackElements) {
  JsonWriter json;
  json.begin_array();
  json.number(1);
  const std::size_t before = json.size();
  json.begin_object();
  json.number("a", 2);
  json.end_object();
  json.truncate(before);
  json.number(3);
  json.end_array();
  EXPECT_EQ(std::move(json).take(), "[1,3]");
}

TEST(JsonWriter, WritesInBlocksAndStopsWhenTheSinkDoes) {
  std::vector<std::size_t> blocks;
  const Sink sink = [&blocks](std::string_view block) {
    blocks.push_back(block.size());
    return blocks.size() < 3;
  };
  JsonWriter json(sink);
  json.begin_array();
  std::size_t elements = 0;
  for (; json.wanted(); ++elements) json.string("some text");
  json.end_array();
  json.flush();
  EXPECT_EQ(blocks.size(), 3U);
  for (const std::size_t size : blocks) {
    EXPECT_GE(size, std::size_t{64} * 1024);
    EXPECT_LT(size, std::size_t{65} * 1024);
  }
  EXPECT_LT(elements, 100'000U);
}

}  // namespace
}  // namespace fathom::fs
