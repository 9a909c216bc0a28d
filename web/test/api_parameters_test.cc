// Tests of Parameters: parsing of query strings, and every error in them.

#include "api/parameters.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace fathom::web {
namespace {

std::string value_of(std::string_view query, std::string_view name = "path") {
  Parameters given(query, {name});
  const std::string value = given.text(name).value_or("(none)");
  return given.error() ? "error: " + *given.error() : value;
}

TEST(Parameters, AreDecodedLikeForms) {
  EXPECT_EQ(value_of("path=%2Fsrv%2fa+b%2Bc"), "/srv/a b+c");
  EXPECT_EQ(value_of("path=a%FFb"),
            "a\xff"
            "b");
  EXPECT_EQ(value_of("path=a=b"), "a=b");
  EXPECT_EQ(value_of("p%61th=x"), "x");
}

TEST(Parameters, MayBeEmptyOrMissing) {
  EXPECT_EQ(value_of("path="), "");
  EXPECT_EQ(value_of("path"), "");
  EXPECT_EQ(value_of(""), "(none)");
  EXPECT_EQ(value_of("&&path=x&"), "x");
  EXPECT_EQ(Parameters("", {"path"}).bytes("path"), "");
}

TEST(Parameters, ReportErrorsAsASentence) {
  const std::vector<std::pair<std::string, std::string>> wrong = {
      {"path=%", R"(a % in "path=%" is not followed by two hexadecimal digits)"},
      {"path=%4", R"(a % in "path=%4" is not followed by two hexadecimal digits)"},
      {"path=%4g", R"(a % in "path=%4g" is not followed by two hexadecimal digits)"},
      {"%zz=1", R"(a % in "%zz=1" is not followed by two hexadecimal digits)"},
      {"path=a%00b", R"("path=a%00b" contains a null byte, which no name or path can contain)"},
      {"path=a&path=a", R"(the parameter "path" is given twice)"},
      {"other=1", R"(unknown parameter "other"; this path takes only path)"},
      {"=1", R"(unknown parameter ""; this path takes only path)"},
      {"Path=1", R"(unknown parameter "Path"; this path takes only path)"},
  };
  for (const auto& [query, error] : wrong) {
    EXPECT_EQ(value_of(query), "error: " + error);
  }
}

TEST(Parameters, ReportAnUnknownNameWithTheKnownOnes) {
  Parameters given("limits=1", {"offset", "limit", "path"});
  EXPECT_EQ(given.integer("offset", 0, 0, 9) + given.integer("limit", 5, 1, 9), 5U);
  EXPECT_EQ(given.bytes("path"), "");
  EXPECT_EQ(given.error(),
            R"(unknown parameter "limits"; this path takes only offset, limit and path)");
}

TEST(Parameters, AreReportedAsUtf8OfLimitedLength) {
  const std::string said = value_of("x%FF" + std::string(5000, 'y') + "=1");
  EXPECT_LT(said.size(), 200U);
  EXPECT_NE(said.find("x\xef\xbf\xbdyyy"), std::string::npos) << said;
}

TEST(Parameters, CheckTheRangeOfIntegers) {
  const auto integer = [](const std::string& query) {
    Parameters given(query, {"limit"});
    const std::uint64_t number = given.integer("limit", 100, 1, 1000);
    return given.error() ? *given.error() : std::to_string(number);
  };
  EXPECT_EQ(integer(""), "100");
  EXPECT_EQ(integer("limit=1"), "1");
  EXPECT_EQ(integer("limit=1000"), "1000");
  for (const char* wrong : {"0", "1001", "-1", "", "%201", "1%20", "1.0", "1e2", "0x10", "ten",
                            "18446744073709551617", "%2B5"}) {
    EXPECT_NE(integer("limit=" + std::string(wrong)).find("an integer from 1 to 1000"),
              std::string::npos)
        << wrong;
  }
}

TEST(Parameters, CheckTheRangeOfNumbers) {
  const auto number = [](const std::string& query) {
    Parameters given(query, {"share"});
    const double share = given.number("share", 0.5, 0, 1);
    return given.error() ? *given.error() : std::to_string(share);
  };
  EXPECT_EQ(number(""), "0.500000");
  EXPECT_EQ(number("share=0"), "0.000000");
  EXPECT_EQ(number("share=1"), "1.000000");
  EXPECT_EQ(number("share=2.5e-1"), "0.250000");
  for (const char* wrong : {"-0.1", "1.01", "nan", "inf", "", "0,5", "0x1p-2", "1e999", "half"}) {
    EXPECT_NE(number("share=" + std::string(wrong)).find("a number from 0 to 1"), std::string::npos)
        << wrong;
  }
}

TEST(Parameters, AcceptOnlyTheListedWords) {
  const auto word = [](std::string_view query) {
    Parameters given(query, {"order"});
    const int value = given.choice<int>("order", 0, {{"asc", 1}, {"desc", 2}, {"none", 3}});
    return given.error() ? *given.error() : std::to_string(value);
  };
  EXPECT_EQ(word(""), "0");
  EXPECT_EQ(word("order=desc"), "2");
  EXPECT_EQ(word("order=Desc"), R"(order is "Desc", but must be asc, desc or none)");
  EXPECT_EQ(word("order="), R"(order is "", but must be asc, desc or none)");
}

TEST(Parameters, KeepOnlyTheFirstError) {
  Parameters given("limit=0&order=up&x=1", {"limit", "order"});
  EXPECT_EQ(given.integer("limit", 3, 1, 9), 3U);
  EXPECT_EQ(given.choice<int>("order", 0, {{"asc", 1}}), 0);
  EXPECT_EQ(given.error(), R"(limit is "0", but must be an integer from 1 to 9)");
}

}  // namespace
}  // namespace fathom::web
