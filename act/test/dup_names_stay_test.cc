// In a directory from which no name can be removed, an act says what it leaves there.

#include <gtest/gtest.h>

#include "dup_acts.h"
#include "dup_faulty_names.h"

namespace fathom::act {
namespace {

class ActsWhereNamesStay : public Acts {
 protected:
  ActResult apply_there(DupAction action) {
    write("kept", "same");
    write("sub/copy", "same");
    const DupPlan planned = plan(action, {{"kept", "sub/copy"}});
    const NamesStay now;
    return apply_one(planned);
  }
};

TEST_F(ActsWhereNamesStay, AHardLinkThatIsLeftIsNamed) {
  const ActResult result = apply_there(DupAction::hardlink);
  const std::vector<std::string> left = temp_names_in(folder());
  ASSERT_EQ(left.size(), 1U);
  const std::string name = left.front().substr(left.front().rfind('/') + 1);
  EXPECT_EQ(result.outcome, Outcome::failed);
  EXPECT_EQ(result.why,
            "the link to the kept file cannot take the name 'copy', which stays as it was: "
            "Operation not permitted; a second name of the kept file, '" +
                name + "' beside it, cannot be removed: Operation not permitted");
  EXPECT_TRUE(is_same_inode(at("kept"), at(left.front())));
  EXPECT_FALSE(is_same_inode(at("kept"), at("sub/copy")));
}

TEST_F(ActsWhereNamesStay, OtherActsLeaveNothing) {
  for (const DupAction action : {DupAction::remove, DupAction::quarantine}) {
    const ActResult result = apply_there(action);
    EXPECT_EQ(result.outcome, Outcome::failed) << result;
    EXPECT_EQ(files_of(folder()).size(), 2U) << result;
    std::filesystem::remove(tree_.path("journal"));
  }
}

}  // namespace
}  // namespace fathom::act
