// TaskGraph: tasks with dependencies, run in parallel where possible; and the error message for a
// cycle.

#include <iostream>
#include <numeric>
#include <sstream>
#include <string>
#include <vector>

#include "fathom/base/error.h"
#include "fathom/rt.h"

int main() {
  fathom::rt::Executor executor;
  std::string text;
  std::vector<int> numbers;
  int sum = 0;
  int most = 0;

  fathom::rt::TaskGraph graph;
  const auto load = graph.add("load", [&] { text = "3 1 4 1 5 9 2 6"; });
  const auto parse = graph.add("parse", [&] {
    std::istringstream in(text);
    numbers.clear();
    for (int number = 0; in >> number;) numbers.push_back(number);
  });
  const auto add =
      graph.add("add", [&] { sum = std::accumulate(numbers.begin(), numbers.end(), 0); });
  const auto compare = graph.add("compare", [&] {
    most = 0;
    for (const int number : numbers) most = number > most ? number : most;
  });
  const auto report =
      graph.add("report", [&] { std::cout << sum << ", at most " << most << '\n'; });
  parse.after(load);
  add.after(parse);
  compare.after(parse);
  report.after(add, compare);
  for (int round = 0; round < 2; ++round) graph.run(executor);
  graph.dot(std::cout);

  load.after(report);
  try {
    graph.run(executor);
  } catch (const fathom::base::Error& error) {
    std::cout << error.what() << '\n';
    return sum == 31 && most == 9 ? 0 : 1;
  }
  return 1;
}
