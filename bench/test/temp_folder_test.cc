// TempFolder: what ends a benchmark removes its files.

#include "temp_folder.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <stdexcept>
#include <string>

namespace fathom::bench {
namespace {

// A process with a TempFolder that is not empty, and how it ended.
class Benchmark {
 public:
  explicit Benchmark(int ignored = 0) {
    std::array<int, 2> ends{};
    if (::pipe(ends.data()) != 0) throw std::runtime_error("no pipe");
    pid_ = ::fork();
    if (pid_ < 0) throw std::runtime_error("no process");
    if (pid_ == 0) {
      // A signal that is ignored here, as under nohup, would be ignored there.
      for (const int signal : {SIGHUP, SIGINT, SIGTERM}) {
        ::signal(signal, signal == ignored ? SIG_IGN : SIG_DFL);
      }
      const TempFolder folder;
      std::ofstream(folder.path() + "/file") << "contents";
      const std::string& path = folder.path();
      if (::write(ends[1], path.data(), path.size()) < 0) ::_exit(1);
      ::close(ends[1]);
      for (;;) ::pause();
    }
    ::close(ends[1]);
    char byte = 0;
    while (::read(ends[0], &byte, 1) == 1) path_ += byte;
    ::close(ends[0]);
  }

  // The exit code, or minus the signal that killed it.
  int after(std::initializer_list<int> signals) {
    for (const int signal : signals) ::kill(pid_, signal);
    int status = 0;
    ::waitpid(pid_, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }

  [[nodiscard]] bool has_left_files() const { return std::filesystem::exists(path_); }

 private:
  pid_t pid_ = 0;
  std::string path_;
};

TEST(TempFolder, IsRemovedByEachSignalThatEndsABenchmark) {
  for (const int signal : {SIGHUP, SIGINT, SIGTERM}) {
    Benchmark benchmark;
    EXPECT_TRUE(benchmark.has_left_files());
    EXPECT_EQ(benchmark.after({signal}), 128 + signal);
    EXPECT_FALSE(benchmark.has_left_files()) << "after signal " << signal;
  }
}

TEST(TempFolder, StaysAfterASignalThatIsIgnored) {
  Benchmark benchmark(SIGHUP);
  EXPECT_EQ(benchmark.after({SIGHUP, SIGTERM}), 128 + SIGTERM);
  EXPECT_FALSE(benchmark.has_left_files());
}

}  // namespace
}  // namespace fathom::bench
