// Tests of the datagrams of the system's log.

#include "syslog_socket.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "fathom/testing/temp_tree.h"
#include "log_socket.h"

namespace fathom::base {
namespace {

TEST(SyslogSocket, CutsALineThatDoesNotFit) {
  const fathom::testing::TempTree folder;
  const LogSocket log(folder.path("log"));
  SyslogSocket socket(folder.path("log"), "test");
  socket.send(std::string(5000, 'x'));
  ASSERT_EQ(log.received().size(), 1U);
  EXPECT_EQ(log.received().front().size(), SyslogSocket::kMostBytes);
  EXPECT_TRUE(log.received().front().ends_with("xxx"));
}

TEST(SyslogSocket, SendsNothingAfterItsListenerHasLeft) {
  const fathom::testing::TempTree folder;
  auto log = std::make_unique<LogSocket>(folder.path("log"));
  SyslogSocket socket(folder.path("log"), "test");
  socket.send("heard");
  EXPECT_EQ(log->received().size(), 1U);
  log.reset();
  socket.send("not heard");  // and no signal ends the program
}

TEST(SyslogSocket, AcceptsOnlyPathsThatFitIntoAnAddress) {
  EXPECT_TRUE(SyslogSocket::is_path("/dev/log"));
  EXPECT_TRUE(SyslogSocket::is_path(std::string(107, 'x')));
  EXPECT_FALSE(SyslogSocket::is_path(std::string(108, 'x')));
  EXPECT_FALSE(SyslogSocket::is_path(""));
}

}  // namespace
}  // namespace fathom::base
