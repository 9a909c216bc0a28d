// Subprocess: runs a program to its end and captures its output.
//
// No shell is involved: arguments are passed unchanged. Standard input is empty. May be called from
// several threads.
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

// argv[0] is looked up in PATH unless it contains a slash. `environment` contains NAME=value
// strings that are added to this process's environment or replace its values. Throws
// base::SystemError if the program cannot be started, and base::Error if argv is empty.
RunResult run(const std::vector<std::string>& argv,
              const std::vector<std::string>& environment = {});

}  // namespace fathom::testing
