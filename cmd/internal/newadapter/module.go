// Package newadapter writes the module that `adapters new` gives to the author of a shop adapter.
package newadapter

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Pubsync is the path of this module, which the program of another author has among its
// dependencies.
const Pubsync = "github.com/pubsync/pubsync"

// template is the module under the name myshop. It is compiled and tested where it stands.
//
//go:embed template
var template embed.FS

const (
	templateRoot = "template"
	templatePath = Pubsync + "/cmd/internal/newadapter/" + templateRoot
)

// A Module is what Write writes.
type Module struct {
	Name     string // of the adapter
	Path     string // of the module
	Dir      string // folder that it is written to
	Checkout string // folder with the source of pubsync to build with; "": a released version
	Version  string // of this program
	Cached   string // folder with the source of that version; "": not here
	Sum      string // of that version, as a go.sum has it; "": not known
}

// PackageOf returns the name of the Go package of an adapter.
func PackageOf(name string) string { return strings.ReplaceAll(name, "-", "") }

// Tidy is the command that completes the module's go.mod, with a newline; "" where it is complete.
func (m *Module) Tidy() string {
	if m.Checkout != "" || m.whole() {
		return "" // go.mod and go.sum are whole
	}
	return "go mod tidy\n"
}

// Write writes the module.
func (m *Module) Write(ctx context.Context) (err error) {
	switch {
	case m.Checkout != "":
		err = m.writeModuleOf(m.Checkout)
	case m.whole():
		err = m.writeModuleOfRelease()
	default:
		err = m.writeFile("go.mod", []byte(m.goMod()))
	}
	if err != nil {
		return err
	}
	if err := m.writeSource(PackageOf(m.Name), m.Tidy()); err != nil {
		return err
	}
	return m.format(ctx)
}

// writeSource copies the module's source under its new name. tidy is the command that completes its
// go.mod.
func (m *Module) writeSource(pkg, tidy string) error {
	renamed := strings.NewReplacer("go mod tidy\n", tidy, templatePath, m.Path, `Name = "myshop"`,
		fmt.Sprintf("Name = %q", m.Name), "--adapter myshop", "--adapter "+m.Name, "MYSHOP",
		strings.ToUpper(strings.ReplaceAll(m.Name, "-", "_")), "pubsync-myshop", "pubsync-"+m.Name, "myshop", pkg)
	return fs.WalkDir(template, templateRoot, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := template.ReadFile(name)
		if err != nil {
			return err
		}
		text = []byte(renamed.Replace(string(text)))
		return m.writeFile(strings.ReplaceAll(strings.TrimPrefix(name, templateRoot+"/"), "myshop", pkg), text)
	})
}

// format runs gofmt over the written source, since imports sort differently under the new names.
func (m *Module) format(ctx context.Context) error {
	gofmt := exec.CommandContext(ctx, "gofmt", "-w", "--", m.Dir) //nolint:gosec // the folder is the caller's own
	out, err := gofmt.CombinedOutput()
	if err != nil && !errors.Is(err, exec.ErrNotFound) {
		return fmt.Errorf("gofmt: %w\n%s", err, out)
	}
	return nil
}

// writeFile writes a file of the module, by its path with slashes.
func (m *Module) writeFile(name string, text []byte) error {
	file := filepath.Join(m.Dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return os.WriteFile(file, text, 0o644) //nolint:gosec // source code, for others to read
}
