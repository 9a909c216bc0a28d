// Tests of Error, SystemError and SourceLocation.

#include "fathom/base/error.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <exception>
#include <string>
#include <string_view>
#include <type_traits>

namespace fathom::base {
namespace {

static_assert(std::is_nothrow_copy_constructible_v<Error>);
static_assert(std::is_nothrow_copy_constructible_v<SystemError>);
static_assert(std::is_base_of_v<std::runtime_error, SystemError>);

SourceLocation ask(SourceLocation where = SourceLocation::current()) {
  return where;
}

TEST(SourceLocation, IsTheLocationOfTheCaller) {
  const auto line = static_cast<std::uint32_t>(__LINE__) + 1;
  const SourceLocation where = ask();
  EXPECT_EQ(where.line(), line);
  EXPECT_TRUE(std::string_view(where.file()).ends_with("error_test.cc"));
  EXPECT_STREQ(where.function(), "TestBody");
}

TEST(Error, HasItsMessageAndItsLocation) {
  const auto line = static_cast<std::uint32_t>(__LINE__) + 1;
  const Error error("no such engine");
  EXPECT_STREQ(error.what(), "no such engine");
  EXPECT_EQ(error.where().line(), line);
  EXPECT_TRUE(std::string_view(error.where().file()).ends_with("error_test.cc"));
}

TEST(Error, IsNotCutByAZeroByte) {
  EXPECT_STREQ(Error(std::string("a\0b\0", 4)).what(), "a\\x00b\\x00");
}

// In one pass: with one per zero byte, this would take half an hour.
TEST(Error, TakesAMessageOfManyZeroBytes) {
  const Error error(std::string(std::size_t{1} << 24U, '\0') + "end");
  const std::string_view message = error.what();
  EXPECT_EQ(message.size(), (std::size_t{4} << 24U) + 3);
  EXPECT_TRUE(message.ends_with("\\x00end"));
}

TEST(Error, KeepsALocationThatIsPassedOn) {
  const SourceLocation elsewhere = ask();
  EXPECT_EQ(Error("x", elsewhere).where().line(), elsewhere.line());
}

TEST(Error, CanBeRethrownInAnotherThread) {
  std::exception_ptr kept;
  try {
    throw SystemError("cannot open x", ENOENT);
  } catch (...) {
    kept = std::current_exception();
  }
  EXPECT_THROW(std::rethrow_exception(kept), SystemError);
}

TEST(SystemError, ContainsTheSystemsMessage) {
  const auto line = static_cast<std::uint32_t>(__LINE__) + 1;
  const SystemError error("cannot open x", ENOENT);
  EXPECT_STREQ(error.what(), "cannot open x: No such file or directory");
  EXPECT_EQ(error.code(), ENOENT);
  EXPECT_EQ(error.where().line(), line);
}

TEST(SystemError, AcceptsUnknownCodes) {
  EXPECT_TRUE(std::string_view(SystemError("x", 123456).what()).starts_with("x: "));
}

}  // namespace
}  // namespace fathom::base
