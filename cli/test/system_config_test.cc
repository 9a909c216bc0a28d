// Tests of /etc/fathom.conf.

#include "run/system_config.h"

#include <gtest/gtest.h>

#include "term/message.h"

namespace fathom::cli {
namespace {

TEST(SystemConfig, DemandsNothingByDefault) {
  EXPECT_FALSE(parse_system_config("").read_only);
  EXPECT_FALSE(parse_system_config("# read_only = true\n\n").read_only);
}

TEST(SystemConfig, ReadsTheDemand) {
  EXPECT_TRUE(parse_system_config("read_only = true").read_only);
  EXPECT_TRUE(parse_system_config("  read_only=true  # for everybody\r\n").read_only);
  EXPECT_FALSE(parse_system_config("read_only = true\nread_only = false\n").read_only);
}

TEST(SystemConfig, RefusesWhatItDoesNotUnderstand) {
  for (const char* text : {"readonly = true", "read_only", "read_only = yes", "= true"}) {
    EXPECT_THROW((void)parse_system_config(text), UsageError) << text;
  }
}

}  // namespace
}  // namespace fathom::cli
