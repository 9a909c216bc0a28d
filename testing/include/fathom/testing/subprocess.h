// Runs a program to its end and keeps what it said.
//
// No shell is involved: arguments are passed as they are. Standard input is empty. Safe to call
// from several threads.
//
//   const RunResult result = run({"fathom", "scan", tree.path()});
//   EXPECT_EQ(result.status, 0) << result.err;

#pragma once

#include <string>
#include <vector>

namespace fathom::testing {

struct RunResult {
  int status = 0;   // the exit code, or 128 + the signal that ended it
  std::string out;  // all of standard output
  std::string err;  // all of standard error
};

// argv[0] is looked up in PATH unless it holds a slash. `environment` holds NAME=value strings that
// are set in addition to, or instead of, this process's own. Throws base::SystemError when the
// program cannot be started, and base::Error for an empty argv.
RunResult run(const std::vector<std::string>& argv,
              const std::vector<std::string>& environment = {});

}  // namespace fathom::testing
