// named_threads: a program with threads of known behaviour, for tests of `fathom threads`.
//
//   named_threads sleeper:naps:200 worker:spins:50 brief:ends:20 - exit:3
//
// NAME:naps:N    a thread that sleeps N times for a millisecond
// NAME:spins:N   a thread that uses N ms of CPU time
// NAME:ends:N    N threads, one after the other, that sleep once and end
// fork           waits for the threads; a child process does the rest
// while:FILE     waits while the file exists
// kill:N         ends this process by signal N
// exit:N         ends this process with exit code N
//
// Threads run until the program ends or "-", which waits for them. At the end, a line says what the
// kernel charged to this process and the children for which it waited: "switches VOLUNTARY
// INVOLUNTARY".

#include <pthread.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace {

void call_this_thread(const std::string& name) {
  ::pthread_setname_np(::pthread_self(), name.c_str());
}

void nap() {
  std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

void spin(long milliseconds) {
  const auto used = [] {
    struct timespec time = {};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return time.tv_sec * 1000 + time.tv_nsec / 1'000'000;
  };
  while (used() < milliseconds) continue;
}

class Threads {
 public:
  void add(const std::string& name, std::string_view action, long count) {
    if (action == "naps") {
      start(name, [count] {
        for (long i = 0; i < count; ++i) nap();
      });
    } else if (action == "spins") {
      start(name, [count] { spin(count); });
    } else {
      for (long i = 0; i < count; ++i) {
        start(name, nap);
        threads_.back().join();
        threads_.pop_back();
      }
    }
  }

  void join() {
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }

 private:
  template <class Function>
  void start(const std::string& name, Function function) {
    threads_.emplace_back([name, function] {
      call_this_thread(name);
      function();
    });
  }

  std::vector<std::thread> threads_;
};

void tell_switches() {
  struct rusage own = {};
  struct rusage children = {};
  ::getrusage(RUSAGE_SELF, &own);
  ::getrusage(RUSAGE_CHILDREN, &children);
  std::printf("switches %ld %ld\n", own.ru_nvcsw + children.ru_nvcsw,
              own.ru_nivcsw + children.ru_nivcsw);
  std::fflush(stdout);
}

}  // namespace

int main(int count, char** words) {
  Threads threads;
  int code = 0;
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    const std::string first = word.substr(0, word.find(':'));
    const std::string rest = word.substr(std::min(first.size() + 1, word.size()));
    if (word == "-") {
      threads.join();
    } else if (word == "fork") {
      threads.join();
      if (const pid_t child = ::fork(); child != 0) {
        ::waitpid(child, nullptr, 0);
        tell_switches();
        return 0;
      }
      call_this_thread("child");
    } else if (first == "while") {
      while (::access(rest.c_str(), F_OK) == 0) nap();
    } else if (first == "kill") {
      ::raise(std::atoi(rest.c_str()));
    } else if (first == "exit") {
      code = std::atoi(rest.c_str());
    } else {
      const std::string action = rest.substr(0, rest.find(':'));
      threads.add(first, action, std::atol(rest.substr(rest.find(':') + 1).c_str()));
    }
  }
  threads.join();
  tell_switches();
  return code;
}
