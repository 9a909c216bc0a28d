// Tests of FATHOM_THROW and of the traces that exceptions carry.

#include "fathom/base/throw.h"

#include <gtest/gtest.h>

#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>

#include "fathom/base/error.h"
#include "fathom/base/trace.h"
#include "fathom/testing/heap_bytes.h"

namespace fathom::base {
namespace {

// A class that Fathom does not own, whose constructor takes several arguments.
class ParseError : public std::runtime_error {
 public:
  ParseError(const std::string& file, int line, const std::string& what)
      : std::runtime_error(file + ':' + std::to_string(line) + ": " + what), line_(line) {}
  int line() const { return line_; }

 private:
  int line_;
};

// A class that is not derived from std::exception.
struct Odd {
  int number;
};

// FATHOM_THROW refuses this class, because it would lose the arguments of the virtual base.
struct Torn : virtual std::exception {};
struct TornBelow : Torn, Odd {};
struct Whole : std::logic_error {
  using std::logic_error::logic_error;
};
static_assert(HasVirtualException<Torn> && HasVirtualException<TornBelow>);
static_assert(!HasVirtualException<Whole> && !HasVirtualException<ParseError>);
static_assert(!HasVirtualException<Odd> && !HasVirtualException<std::exception>);
static_assert(!HasVirtualException<Error> && !HasVirtualException<SystemError>);

template <class Exception, class Function>
void expect_thrown_here(Function&& function, std::uint32_t line) {
  try {
    function();
    FAIL() << "nothing was thrown";
  } catch (const Exception& error) {
    const Trace* const trace = trace_of(error);
    ASSERT_NE(trace, nullptr);
    EXPECT_EQ(trace->where().line(), line);
    EXPECT_TRUE(std::string_view(trace->where().file()).ends_with("throw_test.cc"));
    EXPECT_FALSE(trace->stack().frames().empty());
  }
}

std::uint32_t next_line(SourceLocation here = SourceLocation::current()) {
  return here.line() + 1;
}

TEST(Throw, ThrowsTheGivenClassWithItsLocationAndStack) {
  std::uint32_t line = next_line();
  const auto runtime = [] { FATHOM_THROW(std::runtime_error, "x"); };
  expect_thrown_here<std::runtime_error>(runtime, line);
  line = next_line();
  const auto argument = [] { FATHOM_THROW(std::invalid_argument, std::string("x")); };
  expect_thrown_here<std::invalid_argument>(argument, line);
  line = next_line();
  const auto length = [] { FATHOM_THROW(std::length_error, "x"); };
  expect_thrown_here<std::length_error>(length, line);
  line = next_line();
  const auto logic = [] { FATHOM_THROW(std::logic_error, "x"); };
  expect_thrown_here<std::logic_error>(logic, line);
  line = next_line();
  const auto error = [] { FATHOM_THROW(Error, "x"); };
  expect_thrown_here<Error>(error, line);
  line = next_line();
  const auto system = [] { FATHOM_THROW(SystemError, "x", 2); };
  expect_thrown_here<SystemError>(system, line);
}

TEST(Throw, IsCaughtByHandlersOfBaseClasses) {
  EXPECT_THROW(FATHOM_THROW(std::invalid_argument, "x"), std::logic_error);
  EXPECT_THROW(FATHOM_THROW(std::length_error, "x"), std::exception);
  EXPECT_THROW(FATHOM_THROW(SystemError, "x", 2), std::runtime_error);
}

TEST(Throw, PassesSeveralArgumentsToTheConstructor) {
  try {
    FATHOM_THROW(ParseError, "a.conf", 7, "not a number");
  } catch (const ParseError& error) {
    EXPECT_STREQ(error.what(), "a.conf:7: not a number");
    EXPECT_EQ(error.line(), 7);
    EXPECT_NE(trace_of(error), nullptr);
  }
}

TEST(Throw, AddsATraceToOtherExceptions) {
  std::exception_ptr kept;
  try {
    FATHOM_THROW(Odd, Odd{3});
  } catch (const Odd& odd) {
    EXPECT_EQ(odd.number, 3);
    kept = std::current_exception();
  }
  ASSERT_NE(trace_of(kept), nullptr);
  EXPECT_FALSE(trace_of(kept)->stack().frames().empty());
}

TEST(Throw, LeavesPlainThrowsWithoutATrace) {
  const std::runtime_error plain("x");
  EXPECT_EQ(trace_of(plain), nullptr);
  EXPECT_EQ(trace_of(std::make_exception_ptr(3)), nullptr);
  EXPECT_EQ(trace_of(std::exception_ptr()), nullptr);
}

std::exception_ptr thrown_in_another_thread() {
  std::exception_ptr kept;
  std::thread([&kept] {
    try {
      FATHOM_THROW(std::runtime_error, "x");
    } catch (...) {
      kept = std::current_exception();
    }
  }).join();
  return kept;
}

TEST(Throw, ARethrowInAnotherThreadKeepsTheStackOfTheThrow) {
  const std::exception_ptr kept = thrown_in_another_thread();
  const Trace* const before = trace_of(kept);
  ASSERT_NE(before, nullptr);
  const Stack stack = before->stack();
  try {
    std::rethrow_exception(kept);
  } catch (const std::runtime_error& error) {
    const Trace* const after = trace_of(error);
    ASSERT_NE(after, nullptr);
    EXPECT_EQ(after->stack().frames().data(), stack.frames().data());
    EXPECT_EQ(after->where().line(), before->where().line());
  }
}

TEST(Throw, ARethrowByThrowKeepsTheStackOfTheThrow) {
  const Trace* inner = nullptr;
  try {
    try {
      FATHOM_THROW(std::runtime_error, "x");
    } catch (const std::exception& error) {
      inner = trace_of(error);
      throw;
    }
  } catch (const std::exception& error) {
    EXPECT_EQ(trace_of(error), inner);
  }
}

TEST(Throw, AThrowWithinAHandlerHasItsOwnTrace) {
  std::uint32_t inner = 0;
  try {
    try {
      FATHOM_THROW(std::runtime_error, "inner");
    } catch (const std::exception& error) {
      inner = trace_of(error)->where().line();
      FATHOM_THROW(std::logic_error, "outer");
    }
  } catch (const std::logic_error& error) {
    EXPECT_GT(trace_of(error)->where().line(), inner);
  }
}

TEST(ThrowNested, KeepsTheCauseAndBothTraces) {
  try {
    try {
      FATHOM_THROW(std::runtime_error, "inner");
    } catch (...) {
      FATHOM_THROW_NESTED(std::invalid_argument, "outer");
    }
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(trace_of(error), nullptr);
    const auto* const nested = dynamic_cast<const std::nested_exception*>(&error);
    ASSERT_NE(nested, nullptr);
    EXPECT_NE(trace_of(nested->nested_ptr()), nullptr);
    EXPECT_THROW(nested->rethrow_nested(), std::runtime_error);
  }
}

TEST(ThrowNested, WorksForErrorAndForStandardNesting) {
  const auto cause = [] { FATHOM_THROW(std::runtime_error, "inner"); };
  try {
    try {
      cause();
    } catch (...) {
      FATHOM_THROW_NESTED(Error, "outer");
    }
  } catch (const Error& error) {
    EXPECT_NE(trace_of(error), nullptr);
    EXPECT_THROW(std::rethrow_if_nested(error), std::runtime_error);
  }
  try {
    try {
      cause();
    } catch (...) {
      std::throw_with_nested(Error("outer"));
    }
  } catch (const Error& error) {
    EXPECT_NE(trace_of(error), nullptr);
    EXPECT_THROW(std::rethrow_if_nested(error), std::runtime_error);
  }
}

// Under the sanitizers nothing is counted; LeakSanitizer checks instead.
TEST(Throw, AHundredThousandThrowsDoNotLeak) {
  const auto throw_once = [] {
    try {
      FATHOM_THROW(std::runtime_error, "x");
    } catch (const std::exception&) {
    }
  };
  throw_once();  // one-time allocations
  const auto before = testing::heap_bytes();
  if (!before) GTEST_SKIP() << testing::kNoHeapBytes;
  for (int i = 0; i < 100'000; ++i) throw_once();
  EXPECT_EQ(testing::heap_bytes(), before);
}

}  // namespace
}  // namespace fathom::base
