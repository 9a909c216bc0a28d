// Tests of Answers: the cache stays below its limit.

#include "answers.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <string>

namespace fathom::web {
namespace {

std::shared_ptr<KeptAnswer> answer_of(std::size_t size) {
  return std::make_shared<KeptAnswer>(KeptAnswer{"\"tag\"",
                                                 WrittenResponse({.body = std::string(size, 'a')}),
                                                 WrittenResponse({.status = 304})});
}

TEST(Answers, FindsCachedAnswers) {
  Answers answers;
  EXPECT_EQ(answers.find("1-/a"), nullptr);
  const auto kept = answer_of(10);
  answers.keep("1-/a", kept);
  EXPECT_EQ(answers.find("1-/a"), kept);
  EXPECT_EQ(answers.find("1-/"), nullptr);
  EXPECT_EQ(answers.find("2-/a"), nullptr);
}

TEST(Answers, KeepsTheFirstOfTwoAnswersToOneRequest) {
  Answers answers;
  const auto first = answer_of(1);
  answers.keep("q", first);
  answers.keep("q", answer_of(2));
  EXPECT_EQ(answers.find("q"), first);
}

TEST(Answers, ForgetsEverything) {
  Answers answers;
  answers.keep("a", answer_of(10));
  answers.keep("b", answer_of(10));
  answers.forget();
  EXPECT_EQ(answers.find("a"), nullptr);
  EXPECT_EQ(answers.find("b"), nullptr);
}

// An answer that is being sent stays valid.
TEST(Answers, StayValidAfterTheCacheForgetsThem) {
  Answers answers;
  answers.keep("a", answer_of(10));
  const auto held = answers.find("a");
  answers.forget();
  EXPECT_TRUE(held->full.bytes(std::string(HttpDate::kSize, ' ')).ends_with("aaaaaaaaaa"));
}

// The bytes that count toward the limit, as far as the test can see them.
std::size_t bytes_kept(const Answers& answers, std::size_t questions) {
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < questions; ++i) {
    const std::string question = "q" + std::to_string(i);
    if (const auto found = answers.find(question)) {
      bytes += question.size() + found->full.size() + found->not_modified.size();
    }
  }
  return bytes;
}

TEST(Answers, StayWithinTheLimit) {
  constexpr std::size_t kSize = std::size_t{1} << 20;
  constexpr std::size_t kQuestions = 100;
  Answers answers;
  std::size_t most = 0;
  for (std::size_t i = 0; i < kQuestions; ++i) {
    const auto newest = answer_of(kSize);
    answers.keep("q" + std::to_string(i), newest);
    EXPECT_EQ(answers.find("q" + std::to_string(i)), newest);
    const std::size_t bytes = bytes_kept(answers, kQuestions);
    EXPECT_LE(bytes, Answers::kMaxBytes);
    most = std::max(most, bytes);
  }
  EXPECT_GT(most, Answers::kMaxBytes / 2);
}

// Requests can be long themselves, and there is no end of different ones.
TEST(Answers, CountTheBytesOfRequests) {
  constexpr std::size_t kLength = 8000;
  Answers answers;
  const auto small = answer_of(1);
  for (std::size_t i = 0; i < 2 * Answers::kMaxBytes / kLength; ++i) {
    answers.keep(std::to_string(i) + std::string(kLength, 'q'), small);
  }
  std::size_t there = 0;
  for (std::size_t i = 0; i < 2 * Answers::kMaxBytes / kLength; ++i) {
    if (answers.find(std::to_string(i) + std::string(kLength, 'q'))) ++there;
  }
  EXPECT_LE(there * kLength, Answers::kMaxBytes);
  EXPECT_GT(there, 0U);
}

TEST(Answers, DoNotCacheAnAnswerThatWouldEvictMostOthers) {
  Answers answers;
  answers.keep("small", answer_of(10));
  answers.keep("huge", answer_of(Answers::kMaxBytes));
  answers.keep("large", answer_of(Answers::kMaxBytes / 2));
  EXPECT_EQ(answers.find("huge"), nullptr);
  EXPECT_EQ(answers.find("large"), nullptr);
  EXPECT_NE(answers.find("small"), nullptr);
}

}  // namespace
}  // namespace fathom::web
