// Values come back from each encoding as they were, and damaged ones are refused.

#include "parquet/encoding.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "fathom/base/error.h"

namespace fathom::store {
namespace {

constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

std::vector<std::int64_t> random_numbers(std::size_t count, unsigned bits, unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<std::int64_t> numbers(count);
  for (std::int64_t& number : numbers) {
    number = static_cast<std::int64_t>(bits == 0 ? 0 : random() >> (64 - bits));
  }
  return numbers;
}

// The bytes can be followed by others, which must be left.
template <class Decode>
void expect_rest_is_left(const std::string& bytes, const Decode& decode) {
  const std::string followed = bytes + "rest";
  std::string_view in = followed;
  decode(in);
  EXPECT_EQ(in, "rest");
}

template <class Decode>
void expect_cuts_are_refused(const std::string& bytes, const Decode& decode) {
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    std::string_view in = std::string_view(bytes).substr(0, length);
    EXPECT_THROW(decode(in), base::Error) << length << " of " << bytes.size();
  }
}

void expect_delta_round_trip(const std::vector<std::int64_t>& numbers) {
  std::string bytes;
  encode_delta(numbers, bytes);
  std::vector<std::int64_t> read(numbers.size());
  expect_rest_is_left(bytes, [&](std::string_view& in) { decode_delta(in, read); });
  EXPECT_EQ(read, numbers);
}

TEST(Delta, RestoresNumbersOfEveryWidthAndCount) {
  for (unsigned bits = 0; bits <= 64; ++bits) {
    for (const std::size_t count : {0U, 1U, 2U, 32U, 33U, 128U, 129U, 130U, 1000U}) {
      expect_delta_round_trip(random_numbers(count, bits, bits));
    }
  }
}

TEST(Delta, WrapsAroundAtTheEndsOfTheRange) {
  expect_delta_round_trip({kLeast, kMost, kLeast, 0, kMost, -1, kMost, kLeast});
}

TEST(Delta, TakesNextToNothingForNumbersInSteps) {
  std::vector<std::int64_t> numbers(100'000);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<std::int64_t>(7 * i);
  std::string bytes;
  encode_delta(numbers, bytes);
  EXPECT_LT(bytes.size(), numbers.size() / 16);
}

TEST(Delta, RefusesNumbersThatAreCutOff) {
  std::string bytes;
  encode_delta(random_numbers(200, 40, 1), bytes);
  std::vector<std::int64_t> read(200);
  expect_cuts_are_refused(bytes, [&](std::string_view& in) { decode_delta(in, read); });
}

TEST(Delta, RefusesAnotherNumberOfValues) {
  std::string bytes;
  encode_delta(random_numbers(200, 40, 1), bytes);
  for (const std::size_t count : {0U, 199U, 201U}) {
    std::vector<std::int64_t> read(count);
    std::string_view in = bytes;
    EXPECT_THROW(decode_delta(in, read), base::Error) << count;
  }
}

TEST(Plain, RestoresNumbersOfBothWidths) {
  const std::vector<std::int64_t> numbers = {0, -1, 1, 0x7fffffff, -0x7fffffff - 1};
  for (const std::size_t width : {4U, 8U}) {
    std::string bytes;
    encode_plain(numbers, width, bytes);
    EXPECT_EQ(bytes.size(), width * numbers.size());
    std::vector<std::int64_t> read(numbers.size());
    expect_rest_is_left(bytes, [&](std::string_view& in) { decode_plain(in, width, read); });
    EXPECT_EQ(read, numbers);
    expect_cuts_are_refused(bytes, [&](std::string_view& in) { decode_plain(in, width, read); });
  }
}

TEST(Plain, RestoresTexts) {
  const std::vector<std::string_view> texts = {"", "a", std::string_view("\0\xff", 2), "long text"};
  std::string bytes;
  encode_plain(texts, bytes);
  const std::string followed = bytes + "rest";
  std::string_view in = followed;
  std::vector<std::string_view> read(texts.size());
  decode_plain(in, read);
  EXPECT_EQ(read, texts);
  EXPECT_EQ(in, "rest");
  expect_cuts_are_refused(bytes, [&](std::string_view& cut) { decode_plain(cut, read); });
}

std::vector<std::string_view> views(const Texts& texts) {
  std::vector<std::string_view> all;
  for (std::size_t i = 0; i < texts.size(); ++i) all.push_back(texts[i]);
  return all;
}

void expect_front_round_trip(const std::vector<std::string_view>& texts) {
  std::string bytes;
  encode_front(texts, bytes);
  Texts read;
  expect_rest_is_left(bytes, [&](std::string_view& in) {
    decode_front(in, texts.size(), std::size_t{1} << 20, read);
  });
  EXPECT_EQ(views(read), texts);
}

TEST(Front, RestoresTextsThatShareBeginnings) {
  expect_front_round_trip({});
  expect_front_round_trip({""});
  expect_front_round_trip({"abc", "abc", "abd", "ab", "", "abcdef", "b", "b\xff", "b"});
}

TEST(Front, StoresABeginningOnce) {
  const std::string path(1000, 'p');
  const std::vector<std::string_view> same(1000, path);
  std::string bytes;
  encode_front(same, bytes);
  EXPECT_LT(bytes.size(), 2000U);
}

TEST(Front, RefusesTextsThatAreCutOff) {
  std::string bytes;
  encode_front(std::vector<std::string_view>{"abc", "abd", "x", "xyz"}, bytes);
  expect_cuts_are_refused(bytes, [](std::string_view& in) {
    Texts read;
    decode_front(in, 4, 1000, read);
  });
}

// A few bytes can stand for gigabytes: each text repeats the one before.
TEST(Front, RefusesMoreTextThanAllowed) {
  const std::string path(1000, 'p');
  const std::vector<std::string_view> same(1000, path);
  std::string bytes;
  encode_front(same, bytes);
  Texts read;
  std::string_view in = bytes;
  EXPECT_THROW(decode_front(in, same.size(), 999'999, read), base::Error);
}

TEST(Front, RefusesABeginningLongerThanTheTextBefore) {
  std::string bytes;
  encode_delta(std::vector<std::int64_t>{0, 4}, bytes);  // shared bytes
  encode_delta(std::vector<std::int64_t>{3, 1}, bytes);  // own bytes
  bytes += "abcd";
  Texts read;
  std::string_view in = bytes;
  EXPECT_THROW(decode_front(in, 2, 1000, read), base::Error);
}

TEST(Front, RefusesNegativeLengths) {
  for (const bool shared : {true, false}) {
    std::string bytes;
    encode_delta(std::vector<std::int64_t>{shared ? -1 : 0}, bytes);
    encode_delta(std::vector<std::int64_t>{shared ? 1 : -1}, bytes);
    bytes += "ab";
    Texts read;
    std::string_view in = bytes;
    EXPECT_THROW(decode_front(in, 1, 1000, read), base::Error);
  }
}

void expect_runs_round_trip(const std::vector<std::uint32_t>& values, unsigned width) {
  std::string bytes;
  encode_runs(values, width, bytes);
  std::vector<std::uint32_t> read(values.size());
  expect_rest_is_left(bytes, [&](std::string_view& in) { decode_runs(in, width, read); });
  EXPECT_EQ(read, values);
}

TEST(Runs, RestoreValuesOfEveryWidth) {
  for (unsigned width = 1; width <= 32; ++width) {
    std::vector<std::uint32_t> values;
    for (const std::int64_t number : random_numbers(300, width, width)) {
      values.push_back(static_cast<std::uint32_t>(number));
    }
    expect_runs_round_trip(values, width);
  }
}

// Runs of every length begin at every place of a group of 8.
TEST(Runs, RestoreRunsBetweenOtherValues) {
  for (std::size_t before = 0; before < 20; ++before) {
    for (std::size_t run = 1; run < 30; ++run) {
      std::vector<std::uint32_t> values;
      for (std::uint32_t i = 0; i < before; ++i) values.push_back(i % 3);
      values.insert(values.end(), run, 5);
      values.push_back(6);
      expect_runs_round_trip(values, 3);
    }
  }
}

TEST(Runs, TakeNextToNothingForEqualValues) {
  std::string bytes;
  encode_runs(std::vector<std::uint32_t>(1'000'000, 3), 2, bytes);
  EXPECT_LT(bytes.size(), 8U);
}

TEST(Runs, RefuseValuesThatAreCutOff) {
  std::vector<std::uint32_t> values = {1, 2, 3, 4, 5, 6, 7, 0, 1};
  values.insert(values.end(), 100, 3);
  std::string bytes;
  encode_runs(values, 3, bytes);
  expect_cuts_are_refused(bytes, [&](std::string_view& in) {
    std::vector<std::uint32_t> read(values.size());
    decode_runs(in, 3, read);
  });
}

TEST(Runs, RefuseMoreGroupsThanValues) {
  std::string bytes;
  encode_runs(std::vector<std::uint32_t>{1, 2, 3, 4, 5, 6, 7, 0, 1}, 3, bytes);
  std::vector<std::uint32_t> read(8);
  std::string_view in = bytes;
  EXPECT_THROW(decode_runs(in, 3, read), base::Error);
}

}  // namespace
}  // namespace fathom::store
