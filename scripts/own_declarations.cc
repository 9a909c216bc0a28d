// A plugin for clang-tidy 14: keeps its checks away from the headers of the system.
//
// clang-tidy does not report what it finds there, but examines all of it, which takes more time
// than to parse them. The check fathom-own-declarations finds nothing itself. It sees the
// translation unit first and removes the declarations of the system from those that are visited
// next. scripts/check-tidy builds and loads it. Newer versions of clang-tidy can do this
// themselves.

#include <vector>

#include <clang-tidy/ClangTidyCheck.h>
#include <clang-tidy/ClangTidyModule.h>
#include <clang-tidy/ClangTidyModuleRegistry.h>
#include <clang/AST/ASTContext.h>
#include <clang/ASTMatchers/ASTMatchFinder.h>

namespace {

namespace matchers = clang::ast_matchers;

class OwnDeclarations : public clang::tidy::ClangTidyCheck {
 public:
  using ClangTidyCheck::ClangTidyCheck;

  void registerMatchers(matchers::MatchFinder* finder) override {
    finder->addMatcher(matchers::translationUnitDecl(), this);
  }

  void check(const matchers::MatchFinder::MatchResult& found) override {
    std::vector<clang::Decl*> own;
    for (clang::Decl* declaration : found.Context->getTranslationUnitDecl()->decls()) {
      if (!found.SourceManager->isInSystemHeader(declaration->getLocation()))
        own.push_back(declaration);
    }
    found.Context->setTraversalScope(own);
  }
};

class Module : public clang::tidy::ClangTidyModule {
 public:
  void addCheckFactories(clang::tidy::ClangTidyCheckFactories& factories) override {
    factories.registerCheck<OwnDeclarations>("fathom-own-declarations");
  }
};

const clang::tidy::ClangTidyModuleRegistry::Add<Module> added("fathom", "");

}  // namespace
