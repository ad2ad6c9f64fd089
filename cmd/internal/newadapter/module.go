// Package newadapter copies the module that `adapters new` gives to the author of a shop adapter.
package newadapter

import (
	"embed"
	"fmt"
	"go/format"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// template is the module, compiled and tested under the name myshop.
//
//go:embed template
var template embed.FS

const (
	templateRoot = "template"
	templatePath = "github.com/pubsync/pubsync/cmd/internal/newadapter/" + templateRoot
	goVersion    = "1.26.0" // pubsync's own
)

// PackageOf returns the name of an adapter's Go package.
func PackageOf(name string) string { return strings.ReplaceAll(name, "-", "") }

// Write copies the template under the adapter's name. `go mod tidy` completes its go.mod.
func Write(name, dir string) error {
	module, pkg := "example.com/pubsync-"+name, PackageOf(name)
	if err := writeFile(dir, "go.mod", fmt.Appendf(nil, "module %s\n\ngo %s\n", module, goVersion)); err != nil {
		return err
	}
	renamed := strings.NewReplacer(templatePath, module, `Name = "myshop"`, fmt.Sprintf("Name = %q", name),
		"--adapter myshop", "--adapter "+name, "MYSHOP", strings.ToUpper(strings.ReplaceAll(name, "-", "_")),
		"pubsync-myshop", "pubsync-"+name, "myshop", pkg)
	return fs.WalkDir(template, templateRoot, func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := template.ReadFile(file)
		if err != nil {
			return err
		}
		text = []byte(renamed.Replace(string(text)))
		if strings.HasSuffix(file, ".go") { // imports sort differently under the new names
			if text, err = format.Source(text); err != nil {
				return err
			}
		}
		return writeFile(dir, strings.ReplaceAll(strings.TrimPrefix(file, templateRoot+"/"), "myshop", pkg), text)
	})
}

func writeFile(dir, name string, text []byte) error {
	file := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return os.WriteFile(file, text, 0o644) //nolint:gosec // source code, for others to read
}
