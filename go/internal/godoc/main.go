// Godoc writes the reference of Go packages, as pages in Markdown:
//
//	go run ./internal/godoc FOLDER PACKAGE...
//
// The page of PACKAGE, a folder of this module, is FOLDER/PACKAGE.md.
package main

import (
	"fmt"
	"go/ast"
	"go/doc"
	"go/doc/comment"
	"go/format"
	"go/parser"
	"go/printer"
	"go/token"
	"log"
	"os"
	"path/filepath"
	"strings"
)

const module = "fathom.dev/go"

func main() {
	log.SetFlags(0)
	log.SetPrefix("godoc: ")
	if len(os.Args) < 3 {
		log.Fatal("usage: godoc FOLDER PACKAGE...")
	}
	for _, folder := range os.Args[2:] {
		text, err := page(folder)
		if err != nil {
			log.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(os.Args[1], folder+".md"), []byte(text), 0o666); err != nil {
			log.Fatal(err)
		}
	}
}

// page returns the page of the package in a folder.
func page(folder string) (string, error) {
	files := token.NewFileSet()
	names, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		return "", err
	}
	var parsed []*ast.File
	for _, name := range names {
		file, err := parser.ParseFile(files, name, nil, parser.ParseComments)
		if err != nil {
			return "", err
		}
		parsed = append(parsed, file)
	}
	described, err := doc.NewFromFiles(files, parsed, module+"/"+folder)
	if err != nil {
		return "", err
	}
	w := &writer{files: files, described: described}
	w.packagePage()
	return w.text.String(), nil
}

type writer struct {
	text      strings.Builder
	files     *token.FileSet
	described *doc.Package
}

func (w *writer) packagePage() {
	fmt.Fprintf(&w.text, "# Package %s\n\n```go\nimport %q\n```\n\n", w.described.Name, w.described.ImportPath)
	w.comment(w.described.Doc)
	w.examples(w.described.Examples)
	w.values(w.described.Consts)
	w.values(w.described.Vars)
	for _, function := range w.described.Funcs {
		w.function(2, function)
	}
	for _, kind := range w.described.Types {
		w.heading(2, "type "+kind.Name, kind.Name)
		w.declaration(kind.Decl)
		w.comment(kind.Doc)
		w.examples(kind.Examples)
		w.values(kind.Consts)
		w.values(kind.Vars)
		for _, function := range append(kind.Funcs, kind.Methods...) {
			w.function(3, function)
		}
	}
}

// heading writes a heading with the anchor that links of comments use.
func (w *writer) heading(level int, text, anchor string) {
	fmt.Fprintf(&w.text, "%s %s {#%s}\n\n", strings.Repeat("#", level), text, anchor)
}

func (w *writer) function(level int, function *doc.Func) {
	name := function.Name
	if function.Recv != "" {
		receiver, _, _ := strings.Cut(strings.TrimLeft(function.Recv, "*"), "[")
		name = receiver + "." + name
	}
	w.heading(level, "func "+name, name)
	w.declaration(function.Decl)
	w.comment(function.Doc)
	w.examples(function.Examples)
}

func (w *writer) values(values []*doc.Value) {
	for _, value := range values {
		for _, name := range value.Names {
			fmt.Fprintf(&w.text, "<a id=%q></a>\n", name)
		}
		w.text.WriteString("\n")
		w.declaration(value.Decl)
		w.comment(value.Doc)
	}
}

// comment writes a comment; its headings are below those of declarations, and its links lead to the same page.
func (w *writer) comment(text string) {
	markdown := w.described.Printer()
	markdown.HeadingLevel = 4
	markdown.HeadingID = func(*comment.Heading) string { return "" }
	markdown.DocLinkURL = w.link
	w.text.Write(markdown.Markdown(w.described.Parser().Parse(text)))
	w.text.WriteString("\n")
}

// link returns the address of a name: on this page, on that of another package of the module, or of the standard library.
func (w *writer) link(to *comment.DocLink) string {
	if to.ImportPath == "" {
		return to.DefaultURL("")
	}
	if name, ok := strings.CutPrefix(to.ImportPath, module+"/"); ok {
		return strings.Replace(to.DefaultURL(""), "/"+to.ImportPath, name+".md", 1)
	}
	return to.DefaultURL("https://pkg.go.dev")
}

func (w *writer) declaration(declaration ast.Decl) {
	if function, ok := declaration.(*ast.FuncDecl); ok {
		function.Body = nil
	}
	w.text.WriteString("```go\n" + w.source(declaration) + "\n```\n\n")
}

func (w *writer) examples(examples []*doc.Example) {
	for _, example := range examples {
		w.text.WriteString("Example:\n\n```go\n" + w.body(example) + "\n```\n\n")
	}
}

// body returns the statements of an example, without the braces around them.
func (w *writer) body(example *doc.Example) string {
	text := w.source(&printer.CommentedNode{Node: example.Code, Comments: example.Comments})
	if inner, ok := strings.CutPrefix(text, "{"); ok {
		text = strings.ReplaceAll(strings.TrimSuffix(inner, "}"), "\n\t", "\n")
	}
	return strings.TrimSpace(text)
}

func (w *writer) source(node any) string {
	var text strings.Builder
	if err := format.Node(&text, w.files, node); err != nil {
		log.Fatal(err)
	}
	return text.String()
}
