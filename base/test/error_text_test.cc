// Tests of exceptions as text: for terminals, syslog and the journal, with hostile names and
// messages.

#include "fathom/base/error_text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <exception>
#include <stdexcept>
#include <string>
#include <thread>

#include "fathom/base/error.h"
#include "fathom/base/throw.h"
#include "printable.h"
#include "short_name.h"
#include "source_name.h"

// A function whose symbol contains control characters.
extern "C" void fathom_test_hostile(void (*function)()) __asm__("\"evil\x1b[2J\tname\"");
extern "C" __attribute__((noinline)) void fathom_test_hostile(void (*function)()) {
  function();
  asm volatile("" ::: "memory");
}

namespace fathom::base {
namespace {

using std::string;

bool has(const string& text, const string& part) {
  return text.find(part) != string::npos;
}

std::ptrdiff_t lines_in(const string& text) {
  return std::count(text.begin(), text.end(), '\n');
}

// Returns the exception that the function throws.
template <class Function>
std::exception_ptr caught(Function&& function) {
  try {
    function();
  } catch (...) {
    return std::current_exception();
  }
  return nullptr;
}

class UsageError : public Error {
 public:
  using Error::Error;
};

[[noreturn]] __attribute__((noinline)) void throw_runtime() {
  FATHOM_THROW(std::runtime_error, "cannot read x");
}
[[noreturn]] __attribute__((noinline)) void throw_usage() {
  throw UsageError("used wrongly");
}
[[noreturn]] __attribute__((noinline)) void throw_system() {
  throw SystemError("cannot open x", ENOENT);
}

class Silent : public std::exception {
 public:
  const char* what() const noexcept override { return nullptr; }
};

TEST(ErrorText, IsTheClassIfTheExceptionHasNoMessage) {
  EXPECT_TRUE(error_text(Silent()).ends_with("Silent\n  thrown without a trace\n"));
  EXPECT_EQ(syslog_lines(std::make_exception_ptr(Silent())).size(), 2u);
}

TEST(ErrorText, ShowsTypeMessageLocationAndStack) {
  const string text = error_text(caught(throw_runtime));
  EXPECT_TRUE(
      text.starts_with("std::runtime_error: cannot read x\n"
                       "  thrown in throw_runtime() at base/test/error_text_test.cc:"))
      << text;
  EXPECT_TRUE(has(text, "\n     0  fathom::base::throw_runtime() at base/test/error_text_test.cc:"))
      << text;
  EXPECT_TRUE(has(text, "main")) << text;
}

TEST(ErrorText, IsTheSameForAReference) {
  const std::exception_ptr error = caught(throw_runtime);
  try {
    std::rethrow_exception(error);
  } catch (const std::exception& known) {
    EXPECT_EQ(error_text(known), error_text(error));
  }
}

TEST(ErrorText, OmitsTheConstructorsOfTheException) {
  for (void (*function)() : {+[] { throw_usage(); }, +[] { throw_system(); }}) {
    const string text = error_text(caught(function));
    EXPECT_TRUE(has(text, "     0  fathom::base::throw_")) << text;
    for (const char* const own : {"Stack::here", "Trace::Trace", "Error::Error", "throw_traced"}) {
      EXPECT_FALSE(has(text, own)) << text;
    }
  }
}

TEST(ErrorText, OmitsTheCallersOfAThread) {
  string text;
  std::thread([&text] { text = error_text(caught(throw_runtime)); }).join();
  EXPECT_FALSE(has(text, "start_thread")) << text;
  EXPECT_FALSE(has(text, "clone")) << text;
}

TEST(ErrorText, ShowsTheInnermostCauseLast) {
  const string text = error_text(caught([] {
    try {
      try {
        throw_system();
      } catch (...) {
        FATHOM_THROW_NESTED(std::invalid_argument, "middle");
      }
    } catch (...) {
      std::throw_with_nested(std::runtime_error("outer"));
    }
  }));
  EXPECT_TRUE(text.starts_with("std::runtime_error: outer\n  thrown without a trace\n")) << text;
  const std::size_t middle = text.find("\ncaused by std::invalid_argument: middle\n  thrown in ");
  const std::size_t inner = text.find(
      "\ncaused by fathom::base::SystemError: cannot open x: No such file or directory\n");
  ASSERT_NE(middle, string::npos) << text;
  ASSERT_NE(inner, string::npos) << text;
  EXPECT_LT(middle, inner);
}

TEST(ErrorText, LimitsTheNumberOfCauses) {
  std::exception_ptr error = std::make_exception_ptr(std::runtime_error("first"));
  for (int i = 0; i < 100; ++i) {
    error = caught([&error] {
      try {
        std::rethrow_exception(error);
      } catch (...) {
        std::throw_with_nested(std::runtime_error("next"));
      }
    });
  }
  const string text = error_text(error);
  EXPECT_LT(lines_in(text), 50);
  EXPECT_TRUE(text.ends_with("and more causes\n")) << text;
}

TEST(ErrorText, NamesTheTypeOfOtherExceptions) {
  EXPECT_TRUE(error_text(std::make_exception_ptr(3)).starts_with("int\n"));
  EXPECT_EQ(error_text(std::exception_ptr()), "no exception\n");
}

TEST(ErrorText, EscapesMessages) {
  const std::runtime_error error("one\ntwo\x1b[2J \xe2\x80\xae \xff \xc3\xb6");
  EXPECT_TRUE(error_text(error).starts_with(
      "std::runtime_error: one\\ntwo\\x1b[2J \\xe2\\x80\\xae \\xff \xc3\xb6\n"));
}

TEST(ErrorText, EscapesFunctionNames) {
  const string text = error_text(caught([] { fathom_test_hostile([] { throw_runtime(); }); }));
  EXPECT_TRUE(has(text, "evil\\x1b[2J\\tname")) << text;
  EXPECT_FALSE(has(text, "\x1b")) << text;
}

TEST(ErrorText, HasColoursOnlyOnRequest) {
  const std::exception_ptr error = caught(throw_runtime);
  EXPECT_FALSE(has(error_text(error), "\x1b"));
  EXPECT_TRUE(has(error_text(error, {.color = true}), "\x1b[1;31mstd::runtime_error\x1b[0m"));
}

// Volatile, so that the compiler does not see that the recursion never returns.
volatile bool throws = true;

__attribute__((noinline)) void throw_at(int depth) {
  if (depth > 0) {
    throw_at(depth - 1);
  } else if (throws) {
    throw_runtime();
  }
  asm volatile("" ::: "memory");
}

TEST(ErrorText, CountsOmittedFrames) {
  const std::exception_ptr error = caught([] { throw_at(10); });
  const string whole = error_text(error);
  const string text = error_text(error, {.frames = 3});
  EXPECT_TRUE(has(text, "     2  ") || has(text, "repeated")) << text;
  EXPECT_FALSE(has(text, "     3  ")) << text;
  EXPECT_TRUE(has(text, "\n     and ")) << text;
  EXPECT_TRUE(text.ends_with(" outer calls\n")) << text;
  EXPECT_FALSE(has(whole, " outer call")) << whole;
}

TEST(ErrorText, ShowsARecursionOnce) {
  const string text = error_text(caught([] { throw_at(20); }));
  EXPECT_TRUE(has(text, "        repeated 1")) << text;
}

TEST(ErrorText, SaysWhenItStoppedCounting) {
  const string text = error_text(caught([] { throw_at(5000); }));
  EXPECT_TRUE(has(text, " outer calls or more\n")) << text;
}

TEST(SyslogLines, AreOneShortLineEach) {
  const string message(3000, 'x');
  const auto lines =
      syslog_lines(caught([&message] { FATHOM_THROW(std::runtime_error, message + "\nnext"); }));
  ASSERT_GT(lines.size(), 2u);
  EXPECT_TRUE(lines[0].starts_with("std::runtime_error: xxx"));
  for (const string& line : lines) {
    EXPECT_LE(line.size(), kMaxSyslogBytes);
    EXPECT_FALSE(has(line, "\n"));
    EXPECT_FALSE(line.empty());
  }
}

TEST(JournalRecord, UsesTheJournalsFieldNames) {
  const string record = journal_record(caught(throw_system));
  EXPECT_TRUE(record.starts_with("MESSAGE=fathom::base::SystemError: cannot open x: No such file"))
      << record;
  for (const char* const field :
       {"\nPRIORITY=3\n", "\nFATHOM_TYPE=fathom::base::SystemError\n",
        "\nCODE_FILE=base/test/error_text_test.cc\n", "\nCODE_LINE=", "\nCODE_FUNC=throw_system\n",
        "\nFATHOM_TRACE=     0  fathom::base::"}) {
    EXPECT_TRUE(has(record, field)) << field << " in\n" << record;
  }
}

// A line of a message must not become a separate field.
TEST(JournalRecord, CannotBeForgedByAMessage) {
  const string record = journal_record(std::runtime_error("x\nPRIORITY=0\n"));
  EXPECT_FALSE(has(record, "\nPRIORITY=0")) << record;
}

TEST(Printable, CutsLongTextBetweenCharacters) {
  EXPECT_EQ(printable("abcdef", 3), "abc...");
  EXPECT_EQ(printable("ab\xc3\xb6", 3), "ab...");
  EXPECT_EQ(printable("abc", 3), "abc");
  EXPECT_EQ(printable("a\xc0\x80", 9), "a\\xc0\\x80");         // a zero, too long
  EXPECT_EQ(printable("\xed\xa0\x80", 9), "\\xed\\xa0\\x80");  // half of a pair
}

TEST(ShortName, IsWhatPeopleWrite) {
  EXPECT_EQ(short_name("f(std::vector<std::__cxx11::basic_string<char, std::char_traits<char>, "
                       "std::allocator<char> >, std::allocator<std::__cxx11::basic_string<char, "
                       "std::char_traits<char>, std::allocator<char> > > > const&)"),
            "f(std::vector<std::string> const&)");
  EXPECT_EQ(short_name("g(std::allocator<int>)"), "g(std::allocator<int>)");
  EXPECT_EQ(short_name("h<, std::allocator<"), "h<");  // not a name that a compiler produces
}

TEST(SourceName, IsShort) {
  EXPECT_EQ(source_name(__FILE__), "base/test/error_text_test.cc");
  EXPECT_EQ(source_name("/usr/include/c++/12/bits/invoke.h"), "12/bits/invoke.h");
  EXPECT_EQ(source_name("../../base/test/crash/crashing.cc"), "base/test/crash/crashing.cc");
  EXPECT_EQ(source_name("/usr/include/assert.h"), "usr/include/assert.h");
  EXPECT_EQ(source_name("/usr/a.h"), "/usr/a.h");
  EXPECT_EQ(source_name("/a.h"), "/a.h");
  EXPECT_EQ(source_name("/"), "/");
  EXPECT_EQ(source_name("a.cc"), "a.cc");
  EXPECT_EQ(source_name(""), "");
}

}  // namespace
}  // namespace fathom::base
