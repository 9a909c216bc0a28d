// Tasks that spawn tasks, on Fathom's executor and on a naive pool.

#include <vector>

#include "fathom/rt/executor.h"
#include "fathom/rt/task_group.h"
#include "rt/mutex_pool.h"
#include "rt/spawning.h"
#include "rt/suite.h"

namespace fathom::bench {

namespace {

// Functions, each of which is allocated.
class Functions {
 public:
  explicit Functions(unsigned threads) : executor_({.threads = threads}) {}

  void run(TaskTree& tree) {
    rt::TaskGroup group(executor_);
    spawn(group, tree, TaskTree::kWhole);
    group.wait();
  }

 private:
  static void spawn(rt::TaskGroup& group, TaskTree& tree, TaskTree::Part part) {
    group.run([&group, &tree, part] {
      tree.visit(part, [&](TaskTree::Part below) { spawn(group, tree, below); });
    });
  }

  rt::Executor executor_;
};

// Tasks that exist already, each in its place.
class Tasks {
 public:
  explicit Tasks(unsigned threads) : executor_({.threads = threads}), nodes_(TaskTree::kTasks) {}

  void run(TaskTree& tree) {
    rt::TaskGroup group(executor_);
    group_ = &group;
    tree_ = &tree;
    spawn(TaskTree::kWhole);
    group.wait();
  }

 private:
  class Node final : public rt::GroupTask {
   public:
    void run(unsigned /*worker*/) override {
      owner_->tree_->visit(part_, [this](TaskTree::Part below) { owner_->spawn(below); });
    }
    void prepare(Tasks& owner, TaskTree::Part part) {
      owner_ = &owner;
      part_ = part;
    }

   private:
    Tasks* owner_ = nullptr;
    TaskTree::Part part_;
  };

  void spawn(TaskTree::Part part) {
    Node& node = nodes_[part.first];
    node.prepare(*this, part);
    group_->submit(node);
  }

  rt::Executor executor_;
  std::vector<Node> nodes_;
  rt::TaskGroup* group_ = nullptr;  // of the current run, like tree_
  TaskTree* tree_ = nullptr;
};

class Pool {
 public:
  explicit Pool(unsigned threads) : pool_(threads) {}

  void run(TaskTree& tree) {
    spawn(tree, TaskTree::kWhole);
    pool_.wait();
  }

 private:
  void spawn(TaskTree& tree, TaskTree::Part part) {
    pool_.submit([this, &tree, part] {
      tree.visit(part, [&](TaskTree::Part below) { spawn(tree, below); });
    });
  }

  MutexPool pool_;
};

}  // namespace

void add_executor() {
  add_spawning<Functions>("fathom");
  add_spawning<Tasks>("fathom_tasks");
  add_spawning<Pool>("mutex_pool");
}

}  // namespace fathom::bench
