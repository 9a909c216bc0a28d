// Tests of Questions: one computation answers all who wait, and what nobody waits for is dropped.

#include "questions.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

namespace fathom::web {
namespace {

using Number = Questions::Number;

std::vector<Questions::Connection> ids_of(const std::vector<Questions::Waiter>& waiters) {
  std::vector<Questions::Connection> ids;
  for (const Questions::Waiter& waiter : waiters) ids.push_back(waiter.connection);
  return ids;
}

// Records what is started.
class QuestionsTest : public ::testing::Test {
 protected:
  void ask(const std::string& text, Questions::Connection connection) {
    questions_.ask(text, {connection, "tag " + std::to_string(connection)},
                   [this, text](Number number, const rt::CancelToken& cancel) {
                     started_.push_back(text);
                     numbers_[text] = number;
                     tokens_[text] = cancel;
                   });
  }
  std::vector<Questions::Waiter> end(const std::string& text) {
    return questions_.ended(numbers_.at(text));
  }

  Questions questions_{2};
  std::vector<std::string> started_;
  std::map<std::string, Number> numbers_;  // of the newest with that text
  std::map<std::string, rt::CancelToken> tokens_;
};

TEST_F(QuestionsTest, OneComputationAnswersAllWhoWaitInOrder) {
  for (const Questions::Connection id : {7U, 3U, 9U}) ask("a", id);
  EXPECT_EQ(started_, std::vector<std::string>{"a"});
  EXPECT_EQ(questions_.under_way(), 1U);
  const auto waiters = end("a");
  EXPECT_EQ(ids_of(waiters), (std::vector<Questions::Connection>{7, 3, 9}));
  EXPECT_EQ(waiters[1].if_none_match, "tag 3");
  EXPECT_EQ(questions_.under_way(), 0U);
}

TEST_F(QuestionsTest, AskAgainAfterTheEnd) {
  ask("a", 1);
  EXPECT_EQ(ids_of(end("a")), std::vector<Questions::Connection>{1});
  ask("a", 2);
  EXPECT_EQ(started_, (std::vector<std::string>{"a", "a"}));
  EXPECT_EQ(ids_of(end("a")), std::vector<Questions::Connection>{2});
}

TEST_F(QuestionsTest, ComputeSomeAtATimeInOrder) {
  for (const char* text : {"a", "b", "c", "d"}) ask(text, started_.size() + text[0]);
  EXPECT_EQ(started_, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(questions_.under_way(), 4U);
  EXPECT_EQ(end("b").size(), 1U);
  EXPECT_EQ(started_, (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(end("a").size(), 1U);
  EXPECT_EQ(started_.back(), "d");
}

TEST_F(QuestionsTest, NeverStartAQuestionThatNobodyWaitsFor) {
  ask("a", 1);
  ask("b", 2);
  ask("dropped", 3);
  ask("dropped", 4);
  ask("c", 5);
  questions_.leave(3);
  EXPECT_EQ(questions_.under_way(), 4U) << "one still waits";
  questions_.leave(4);
  EXPECT_EQ(questions_.under_way(), 3U);
  EXPECT_EQ(end("a").size(), 1U);
  EXPECT_EQ(started_, (std::vector<std::string>{"a", "b", "c"}));
}

TEST_F(QuestionsTest, CancelARunningQuestionWhenTheLastWaiterLeaves) {
  ask("a", 1);
  ask("a", 2);
  questions_.leave(1);
  EXPECT_FALSE(tokens_["a"].cancelled());
  questions_.leave(2);
  EXPECT_TRUE(tokens_["a"].cancelled());
  EXPECT_EQ(questions_.under_way(), 1U) << "until its thread is free";
  EXPECT_TRUE(end("a").empty());
  EXPECT_EQ(questions_.under_way(), 0U);
}

TEST_F(QuestionsTest, AskAgainWhatWasCancelled) {
  ask("a", 1);
  const Number cancelled = numbers_["a"];
  questions_.leave(1);
  ask("a", 2);
  EXPECT_EQ(started_, (std::vector<std::string>{"a", "a"}));
  EXPECT_FALSE(tokens_["a"].cancelled());
  EXPECT_TRUE(questions_.ended(cancelled).empty()) << "its end is not that of the new one";
  ask("a", 3);
  EXPECT_EQ(started_.size(), 2U);
  EXPECT_EQ(ids_of(end("a")), (std::vector<Questions::Connection>{2, 3}));
}

TEST_F(QuestionsTest, CancelWhatIsBeingComputedAndTellThoseWhoWait) {
  ask("a", 1);
  ask("b", 2);
  ask("waiting", 3);
  questions_.cancel();
  EXPECT_TRUE(tokens_["a"].cancelled());
  EXPECT_TRUE(tokens_["b"].cancelled());
  ask("a", 4);
  questions_.leave(2);
  questions_.cancel();
  EXPECT_EQ(ids_of(end("a")), std::vector<Questions::Connection>{1});
  EXPECT_TRUE(end("b").empty());
  EXPECT_EQ(started_, (std::vector<std::string>{"a", "b", "waiting", "a"}));
  EXPECT_FALSE(tokens_["waiting"].cancelled()) << "it started afterwards";
  EXPECT_EQ(ids_of(end("waiting")), std::vector<Questions::Connection>{3});
  EXPECT_EQ(ids_of(end("a")), std::vector<Questions::Connection>{4});
  EXPECT_EQ(questions_.under_way(), 0U);
}

TEST_F(QuestionsTest, IgnoreWhoDoesNotWait) {
  questions_.leave(1);
  ask("a", 1);
  EXPECT_EQ(end("a").size(), 1U);
  questions_.leave(1);
  EXPECT_TRUE(questions_.ended(numbers_["a"]).empty());
  EXPECT_EQ(questions_.under_way(), 0U);
}

TEST_F(QuestionsTest, AConnectionThatLeftMayAskSomethingElse) {
  ask("a", 1);
  questions_.leave(1);
  ask("b", 1);
  EXPECT_TRUE(end("a").empty());
  EXPECT_EQ(ids_of(end("b")), std::vector<Questions::Connection>{1});
}

}  // namespace
}  // namespace fathom::web
