// parallel_pipeline(): lines are read and written in order, and decoded in between, at most eight
// at a time.

#include <iostream>
#include <numeric>
#include <sstream>
#include <string>
#include <vector>

#include "fathom/rt.h"

namespace rt = fathom::rt;

struct Line {
  std::string text;
  int sum = 0;
};

int main() {
  std::stringstream in;
  for (int i = 0; i < 1000; ++i) in << i << " + " << 2 * i << '\n';
  std::vector<int> out;

  rt::Executor executor;
  std::vector<Line> lines(8);
  rt::parallel_pipeline(executor, lines,
                        rt::in_order([&](Line& line) { return !!std::getline(in, line.text); }),
                        rt::in_parallel([](Line& line) {
                          std::istringstream numbers(line.text);
                          int left = 0;
                          int right = 0;
                          char plus = ' ';
                          numbers >> left >> plus >> right;
                          line.sum = left + right;
                        }),
                        rt::in_order([&](Line& line) { out.push_back(line.sum); }));

  std::cout << out.size() << " sums, the last is " << out.back() << '\n';
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (out[i] != static_cast<int>(3 * i)) return 1;
  }
  return out.size() == 1000 ? 0 : 1;
}
