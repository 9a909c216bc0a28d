package fathom_test

import (
	"fmt"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// These are the rules of go.dev/doc/comment that no linter checks: each exported name has a comment,
// a function that answers a question "reports whether", links lead to a name of the package, and each
// exported type has an example that runs. That a comment begins with its name is left to staticcheck.

func TestPublicPackagesAreDocumented(t *testing.T) {
	for _, folder := range []string{".", "cancel", "queue", "tick"} {
		names, err := filepath.Glob(filepath.Join(folder, "*.go"))
		if err != nil || len(names) == 0 {
			t.Fatalf("no Go files in %s: %v", folder, err)
		}
		sources := map[string]string{}
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			sources[name] = string(text)
		}
		for _, wrong := range undocumented(t, sources) {
			t.Errorf("%s: %s", folder, wrong)
		}
	}
}

func TestEachLackOfDocumentationIsFound(t *testing.T) {
	const good = "// Package p is an example.\npackage p\n"
	for _, c := range []struct{ source, want string }{
		{"package p\n", "package p has no comment"},
		{good + "const C = 1\n", "C has no comment"},
		{good + "var V = 1\n", "V has no comment"},
		{good + "func F() {}\n", "F has no comment"},
		{good + "type T int\n", "T has no comment"},
		{good + "// A T is a number.\ntype T int\n", "T has no example with output"},
		{good + "type t int\nfunc (t) M() {}\n", ""},
		{good + "// F does something.\nfunc F() {}\n", ""},
		{good + "// A T is a number.\ntype T int\nfunc (T) M() {}\n", "T.M has no comment"},
		{good + "// F returns true if it works.\nfunc F() bool { return true }\n", `F returns a bool, but its comment does not say "reports whether"`},
		{good + "// F returns a number and ok.\nfunc F() (n int, ok bool) { return }\n", `F returns a bool, but its comment does not say "reports whether"`},
		{good + "// F reports whether it\n// works.\nfunc F() bool { return true }\n", ""},
		{good + "// F is like [G].\nfunc F() {}\n", "F: there is no G to link to"},
		{good + "// F is like [T.N].\nfunc F() {}\n\n// A T is a number.\ntype T int\n", "F: there is no T.N to link to"},
		{good + "// F is like [H].\nfunc F() {}\n\n// H is like [F].\nfunc H() {}\n", ""},
		{good + "// F does it and reports\n// whether it worked.\nfunc F() bool { return true }\n", ""},
	} {
		got := undocumented(t, map[string]string{"p.go": c.source})
		if c.want == "" && len(got) > 0 || c.want != "" && !slices.Contains(got, c.want) {
			t.Errorf("%q: got %q, want %q", c.source, got, c.want)
		}
	}
	example := "package p_test\nfunc ExampleT() {\n\t// Output: 1\n}\n"
	if got := undocumented(t, map[string]string{"p.go": good + "// A T is a number.\ntype T int\n", "p_test.go": example}); len(got) > 0 {
		t.Errorf("an example was not found: %q", got)
	}
}

var (
	reports = regexp.MustCompile(`\breports?\s+whether\b`)
	link    = regexp.MustCompile(`\[([A-Z]\w*(?:\.[A-Z]\w*)?)\]`)
)

// undocumented returns what is missing in the documentation of a package, one sentence each. The
// sources are its files, including tests, by name.
func undocumented(t *testing.T, sources map[string]string) []string {
	t.Helper()
	files := token.NewFileSet()
	var parsed []*ast.File
	for name, text := range sources {
		file, err := parser.ParseFile(files, name, text, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		parsed = append(parsed, file)
	}
	p, err := doc.NewFromFiles(files, parsed, "p")
	if err != nil {
		t.Fatal(err)
	}
	var wrong []string
	comments := map[string]string{} // by name
	comment := func(name, text string) {
		comments[name] = text
		if strings.TrimSpace(text) == "" {
			wrong = append(wrong, name+" has no comment")
		}
	}
	values := func(all []*doc.Value) {
		for _, v := range all {
			for _, name := range v.Names {
				comment(name, v.Doc)
			}
		}
	}
	functions := func(prefix string, all []*doc.Func) {
		for _, f := range all {
			comment(prefix+f.Name, f.Doc)
			if f.Doc != "" && answers(f.Decl.Type) && !reports.MatchString(f.Doc) {
				wrong = append(wrong, fmt.Sprintf("%s%s returns a bool, but its comment does not say \"reports whether\"", prefix, f.Name))
			}
		}
	}
	comment("package "+p.Name, p.Doc)
	values(p.Consts)
	values(p.Vars)
	functions("", p.Funcs)
	for _, typ := range p.Types {
		comment(typ.Name, typ.Doc)
		if !slices.ContainsFunc(typ.Examples, func(e *doc.Example) bool { return e.Output != "" || e.EmptyOutput }) {
			wrong = append(wrong, typ.Name+" has no example with output")
		}
		values(typ.Consts)
		values(typ.Vars)
		functions("", typ.Funcs)
		functions(typ.Name+".", typ.Methods)
	}
	for name, text := range comments {
		for _, match := range link.FindAllStringSubmatch(text, -1) {
			if _, exists := comments[match[1]]; !exists {
				wrong = append(wrong, fmt.Sprintf("%s: there is no %s to link to", name, match[1]))
			}
		}
	}
	return wrong
}

// answers reports whether the last result of a function is a bool.
func answers(f *ast.FuncType) bool {
	if f.Results == nil {
		return false
	}
	last, ok := f.Results.List[len(f.Results.List)-1].Type.(*ast.Ident)
	return ok && last.Name == "bool"
}
