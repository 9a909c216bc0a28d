// TaskGraph: building, running by counting unfinished dependencies, cycles, and DOT.

#include "fathom/rt/task_graph.h"

#include <algorithm>
#include <ostream>
#include <string_view>
#include <unordered_set>

#include "fathom/base/error.h"
#include "fathom/rt/detail/token_check.h"

namespace fathom::rt {

namespace {

// How many consecutive dependent tasks a worker runs before it checks whether other tasks are
// waiting.
constexpr unsigned kTasksInALine = 16;
// The maximum number of tasks that an error message about a cycle names.
constexpr std::size_t kMostNamed = 10;

bool is_control(char byte) {
  return static_cast<unsigned char>(byte) < 0x20 || byte == 0x7f;
}

// For example \x07.
std::string in_hex(char byte) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  const auto value = static_cast<unsigned char>(byte);
  return {'\\', 'x', kDigits[value / 16], kDigits[value % 16]};
}

// Makes the name fit on one line.
std::string printable(std::string_view name) {
  std::string text;
  for (const char byte : name) is_control(byte) ? text += in_hex(byte) : text += byte;
  return text;
}

// Escapes a name for a DOT label: a quote would end it, a backslash begins a Graphviz escape, and &
// begins a character entity. <>|{} are special only in other shapes.
std::string in_dot(std::string_view name) {
  std::string text;
  for (const char byte : name) {
    if (byte == '"') {
      text += "\\\"";
    } else if (byte == '\\') {
      text += "\\\\";
    } else if (byte == '&') {
      text += "&amp;";
    } else if (byte == '\n') {
      text += "\\n";
    } else if (is_control(byte)) {
      text += '\\' + in_hex(byte);
    } else {
      text += byte;
    }
  }
  return text;
}

// For example "a waits for b, b waits for a".
std::string describe(const std::vector<std::string>& cycle) {
  std::string text = "tasks wait for each other: ";
  const std::size_t named = std::min(cycle.size(), kMostNamed);
  for (std::size_t i = 0; i < named; ++i) {
    if (i > 0) text += ", ";
    text += printable(cycle[i]) + " waits for " + printable(cycle[(i + 1) % cycle.size()]);
  }
  if (named < cycle.size()) text += ", and so on, " + std::to_string(cycle.size()) + " tasks";
  return text;
}

}  // namespace

// The state of one run.
struct TaskGraph::Run {
  Run(Executor& executor_in, const CancelToken& token_in)
      : executor(executor_in), token(token_in), group(executor_in) {}

  bool stopped() const noexcept { return token.is_cancelled() || group.cancelled(); }

  Executor& executor;
  const detail::TokenCheck token;
  base::atomic<bool> skipped{false};  // a task was skipped
  TaskGroup group;                    // cancelled by the first exception
};

// Holds the exclusive right to run the graph.
class TaskGraph::Busy {
 public:
  explicit Busy(TaskGraph& graph) : graph_(graph) {
    // [N2] acquire: the effects of the last run.
    if (graph.running_.exchange(true, base::memory_order_acquire)) {
      throw base::Error("the task graph is already running");
    }
  }
  Busy(const Busy&) = delete;
  Busy& operator=(const Busy&) = delete;
  ~Busy() { graph_.running_.store(false, base::memory_order_release); }  // [N2]

 private:
  TaskGraph& graph_;
};

// ---- Building

void TaskGraph::Handle::wait_for(const Handle& other) const {
  if (node_ == nullptr || other.node_ == nullptr)
    throw base::Error("the handle does not refer to a task");
  node_->graph.add_edge(*other.node_, *node_);
}

void TaskGraph::add_edge(Node& before, Node& after) {
  require_rest();
  if (&before.graph != this) {
    throw base::Error(printable(name_of(after)) + " cannot wait for " +
                      printable(before.graph.name_of(before)) + ", a task of another graph");
  }
  if (&before == &after) throw base::Error(printable(name_of(after)) + " cannot wait for itself");
  before.wakes.push_back(&after);
  changed_ = true;
}

TaskGraph::Handle TaskGraph::add_node(std::unique_ptr<Node> node, std::string_view name) {
  require_rest();
  Node& added = *node;
  added.number = nodes_.size();
  names_.emplace_back(name);
  try {
    nodes_.push_back(std::move(node));
  } catch (...) {
    names_.pop_back();
    throw;
  }
  changed_ = true;
  return Handle(added);
}

void TaskGraph::require_rest() const {
  if (running_.load(base::memory_order_relaxed)) {
    throw base::Error("the task graph cannot be changed while it runs");
  }
}

std::string TaskGraph::name_of(const Node& node) const {
  const std::string& name = names_[node.number];
  return name.empty() ? "task " + std::to_string(node.number) : name;
}

// ---- Running

bool TaskGraph::run(Executor& executor, const CancelToken& token) {
  const Busy busy(*this);
  prepare();
  if (nodes_.empty()) return true;
  Run run(executor, token);
  run_ = &run;
  run.group.submit(start_);
  whole_ = false;
  run.token.wait(run.group);
  whole_ = !run.skipped.load(base::memory_order_relaxed);
  return whole_;
}

void TaskGraph::prepare() {
  if (changed_) {
    lay_out();
  } else if (!whole_) {
    for (const auto& node : nodes_) node->unfinished.reset();
  }
  whole_ = true;
}

// Computes the dependents of each task, after a change.
void TaskGraph::lay_out() {
  if (const auto cycle = find_cycle(); !cycle.empty()) throw base::Error(describe(cycle));
  const std::vector<std::size_t> waits = count_waits();
  start_.wakes.clear();
  for (const auto& node : nodes_) {
    const std::size_t count = waits[node->number];
    if (count == 0) start_.wakes.push_back(node.get());
    node->unfinished.expect(std::max<std::size_t>(count, 1));
  }
  changed_ = false;
}

// Runs the task, then a task that becomes ready by it, and so on.
void TaskGraph::run_from(Node& first) {
  Run& run = *run_;
  Node* node = &first;
  for (unsigned in_line = 1; node != nullptr; ++in_line) {
    if (run.stopped()) {
      run.skipped.store(true, base::memory_order_relaxed);
      return;
    }
    node->call();
    node = next_after(*node, run);
    // If all workers are busy, this worker's other tasks and those from outside must not wait for
    // the end of a long chain.
    if (node != nullptr && in_line % kTasksInALine == 0 && !run.executor.wants_work()) {
      run.group.submit(*node);
      return;
    }
  }
}

// The first task that is ready now that `done` is done; submits the others. Null if none.
TaskGraph::Node* TaskGraph::next_after(const Node& done, Run& run) {
  Node* next = nullptr;
  for (Node* const node : done.wakes) {
    if (!node->unfinished.arrive()) continue;
    if (next == nullptr) {
      next = node;
    } else {
      run.group.submit(*node);  // never throws on a worker
    }
  }
  return next;
}

// ---- Inspection

// The number of dependencies of each task, by its number.
std::vector<std::size_t> TaskGraph::count_waits() const {
  std::vector<std::size_t> waits(nodes_.size());
  for (const auto& node : nodes_) {
    for (const Node* const after : node->wakes) ++waits[after->number];
  }
  return waits;
}

// Repeatedly removes the tasks without remaining dependencies (Kahn 1962). The remaining tasks are
// on a cycle, or wait for one.
std::vector<std::string> TaskGraph::find_cycle() const {
  std::vector<std::size_t> waits = count_waits();
  std::vector<const Node*> taken;
  taken.reserve(nodes_.size());
  for (const auto& node : nodes_) {
    if (waits[node->number] == 0) taken.push_back(node.get());
  }
  for (std::size_t i = 0; i < taken.size(); ++i) {
    for (const Node* const after : taken[i]->wakes) {
      if (--waits[after->number] == 0) taken.push_back(after);
    }
  }
  std::vector<std::string> names;
  if (taken.size() == nodes_.size()) return names;
  for (const Node* const node : cycle_among(waits)) names.push_back(name_of(*node));
  return names;
}

// A cycle among the tasks that still wait: each waits for another of them, so a walk along the
// dependencies ends in a cycle.
std::vector<const TaskGraph::Node*> TaskGraph::cycle_among(
    const std::vector<std::size_t>& waits) const {
  std::vector<const Node*> waits_for(nodes_.size());
  const Node* place = nullptr;
  for (const auto& node : nodes_) {
    if (waits[node->number] == 0) continue;
    place = node.get();
    for (const Node* const after : node->wakes) waits_for[after->number] = place;
  }
  for (std::size_t i = 0; i < nodes_.size(); ++i) place = waits_for[place->number];
  std::vector<const Node*> cycle;
  for (const Node* node = place; cycle.empty() || node != place; node = waits_for[node->number]) {
    cycle.push_back(node);
  }
  std::rotate(cycle.begin(),
              std::min_element(cycle.begin(), cycle.end(),
                               [](const Node* a, const Node* b) { return a->number < b->number; }),
              cycle.end());
  return cycle;
}

void TaskGraph::dot(std::ostream& out) const {
  out << "digraph {\n";
  for (const auto& node : nodes_) {
    out << "  t" << node->number << " [label=\"" << in_dot(name_of(*node)) << "\"];\n";
  }
  for (const auto& node : nodes_) {
    std::unordered_set<const Node*> drawn;
    for (const Node* const after : node->wakes) {
      if (!drawn.insert(after).second) continue;  // duplicate edge
      out << "  t" << node->number << " -> t" << after->number << ";\n";
    }
  }
  out << "}\n";
}

}  // namespace fathom::rt
