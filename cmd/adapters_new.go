package cmd

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"github.com/pubsync/pubsync/cmd/config"
	"github.com/pubsync/pubsync/cmd/internal/exit"
	"github.com/pubsync/pubsync/shopadapter"
)

// newAdapter is the module that `adapters new` writes, under the name myshop. It is compiled and
// held to the laws where it stands.
//
//go:embed newadapter
var newAdapter embed.FS

const (
	newAdapterRoot = "newadapter"
	newAdapterPath = modulePath + "/cmd/" + newAdapterRoot
)

// adaptersCommands are the adapters that there are, and the one that is yet to be written.
type adaptersCommands struct {
	List adaptersCommand   `cmd:"" default:"withargs" help:"The shop adapters compiled in, and the settings of one. This is what adapters does by itself."`
	New  newAdapterCommand `cmd:"" help:"Writes a module with an adapter to begin from."`
}

type newAdapterCommand struct {
	Name     string `arg:"" help:"Name of the adapter: lower-case letters, digits and hyphens."`
	Dir      string `required:"" placeholder:"DIR" help:"Folder to write to: empty, or not there yet."`
	Module   string `placeholder:"PATH" help:"Path of the module; example.com/pubsync-NAME when it is not given."`
	Checkout string `placeholder:"DIR" help:"Folder with the source of pubsync to build with, where no released version is wanted."`
}

var adapterName = regexp.MustCompile(`^[a-z][a-z0-9]*(-[a-z0-9]+)*$`)

// reservedNames mean something else: to Go as names of folders or packages, in the module, or as a
// command beside `adapters new`.
var reservedNames = []string{"internal", "list", "main", "new", "testdata", "toyshop", "vendor"}

func (n *newAdapterCommand) Run(ctx context.Context, a *app) error {
	pkg := strings.ReplaceAll(n.Name, "-", "")
	if _, taken := shopadapter.Lookup(n.Name); taken {
		return exit.Usage("there is an adapter %q already", n.Name)
	}
	if !adapterName.MatchString(n.Name) {
		return exit.Usage(
			"an adapter cannot be called %q: take another name, of lower-case letters, digits and hyphens",
			n.Name,
		)
	}
	if token.IsKeyword(pkg) || slices.Contains(reservedNames, pkg) {
		return exit.Usage(
			"an adapter cannot be called %q: Go, the module or a command has that name already; take another one",
			n.Name,
		)
	}
	first, _, _ := strings.Cut(n.Name, "-") // webhook-x would have settings among those of webhooks
	prefix := shopadapter.Variable(first, "")
	if slices.ContainsFunc(config.Own(), func(v config.Variable) bool { return strings.HasPrefix(v.Name, prefix) }) {
		return exit.Usage("an adapter cannot be called %q: settings of pubsync's own begin with %s", n.Name, prefix)
	}
	if n.Module == "" {
		n.Module = "example.com/pubsync-" + n.Name
	}
	if strings.ContainsAny(n.Module, " \t\r\n\"`\\") || path.Clean(n.Module) != n.Module || path.IsAbs(n.Module) {
		return exit.Usage("--module %q is not the path of a module", n.Module)
	}
	if err := emptyFolder(n.Dir); err != nil {
		return exit.Usage("--dir: %v", err)
	}
	checkout, err := n.checkout()
	if err != nil {
		return err
	}
	tidy := "go mod tidy\n"
	if checkout == "" {
		err = n.writeFile("go.mod", []byte(n.goMod()))
	} else {
		tidy = "" // go.mod and go.sum are whole
		err = n.writeModuleOf(checkout)
	}
	if err != nil {
		return err
	}
	if err := n.write(pkg, tidy); err != nil {
		return err
	}
	if err := n.format(ctx); err != nil {
		return err
	}
	_, err = fmt.Fprintf(
		a.stdout,
		"An adapter for %s, with a toy shop in its place. Next:\ncd %s\n%sgo test ./...\n",
		n.Name,
		n.Dir,
		tidy,
	)
	if err == nil && tidy != "" {
		_, err = fmt.Fprintln(
			a.stdout,
			"To build with a source folder of pubsync instead of a release, begin again with --checkout FOLDER.",
		)
	}
	return err
}

// emptyFolder makes a folder, or finds it empty.
func emptyFolder(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	entries, err := os.ReadDir(dir)
	if err == nil && len(entries) > 0 {
		err = fmt.Errorf("%s is not empty", dir)
	}
	return err
}

// write copies the module's source under its new name. tidy is the command that completes its
// go.mod.
func (n *newAdapterCommand) write(pkg, tidy string) error {
	renamed := strings.NewReplacer(
		"go mod tidy\n", tidy,
		newAdapterPath, n.Module,
		`Name = "myshop"`, fmt.Sprintf("Name = %q", n.Name),
		"--adapter myshop", "--adapter "+n.Name,
		"MYSHOP", strings.ToUpper(strings.ReplaceAll(n.Name, "-", "_")),
		"pubsync-myshop", "pubsync-"+n.Name,
		"myshop", pkg,
	)
	return fs.WalkDir(newAdapter, newAdapterRoot, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := newAdapter.ReadFile(name)
		if err != nil {
			return err
		}
		text = []byte(renamed.Replace(string(text)))
		return n.writeFile(strings.ReplaceAll(strings.TrimPrefix(name, newAdapterRoot+"/"), "myshop", pkg), text)
	})
}

// format has the written source formatted, since the new names may sort otherwise. That is gofmt's
// work, which comes with the Go that the module needs anyway.
func (n *newAdapterCommand) format(ctx context.Context) error {
	out, err := exec.CommandContext(ctx, "gofmt", "-w", "--", n.Dir).
		CombinedOutput()
		//nolint:gosec // the folder is the caller's own, and there by now
	if err != nil && !errors.Is(err, exec.ErrNotFound) {
		return fmt.Errorf("gofmt: %w\n%s", err, out)
	}
	return nil
}

// writeFile writes a file of the module, by its path with slashes.
func (n *newAdapterCommand) writeFile(name string, text []byte) error {
	file := filepath.Join(n.Dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return os.WriteFile(file, text, 0o644) //nolint:gosec // source code, for others to read
}

// goMod is the module's file that needs a released version, or the latest. `go mod tidy` adds what
// that version needs.
func (n *newAdapterCommand) goMod() string {
	text := fmt.Sprintf("module %s\n\ngo %s\n", n.Module, strings.TrimPrefix(goVersion, "go"))
	if version := buildVersion().Version; released.MatchString(version) {
		text += fmt.Sprintf("\nrequire %s %s\n", modulePath, version)
	}
	return text
}

// goVersion is the version of the language that pubsync is written in.
const goVersion = "go1.26.0"

// released is the version of a release, which a module can require.
var released = regexp.MustCompile(`^v\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$`)

// checkout is the source of pubsync that the module is built with: the folder of --checkout, or
// where this program is no release, that it was built from. A program that does not know where that
// was looks around itself, and around where it is called. It is "" where there is none.
func (n *newAdapterCommand) checkout() (string, error) {
	if n.Checkout != "" {
		dir, err := filepath.Abs(n.Checkout)
		if err == nil && !holdsPubsync(dir) {
			err = fmt.Errorf("%s does not hold the module %s", dir, modulePath)
		}
		if err != nil {
			return "", exit.Usage("--checkout: %v", err)
		}
		return dir, nil
	}
	_, file, _, _ := runtime.Caller(0)
	if version != "" || strings.Contains(file, "@") {
		return "", nil // a release, which the module can require: go install leaves its source in the module cache
	}
	program, _ := os.Executable()
	here, _ := os.Getwd()
	for _, within := range []string{file, program, filepath.Join(here, "pubsync")} {
		if dir := checkoutAbove(within); dir != "" {
			return dir, nil
		}
	}
	return "", nil
}

// checkoutAbove is the folder above a file that holds the source of pubsync, "" for none.
func checkoutAbove(file string) string {
	if !filepath.IsAbs(file) {
		return ""
	}
	for dir := filepath.Dir(file); ; dir = filepath.Dir(dir) {
		if holdsPubsync(dir) {
			return dir
		}
		if dir == filepath.Dir(dir) {
			return ""
		}
	}
}

func holdsPubsync(dir string) bool {
	text, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	return err == nil && strings.HasPrefix(string(text), "module "+modulePath+"\n")
}

// writeModuleOf writes a go.mod that names a checkout, with what the checkout requires, and the
// sums of that. So the module is built without a network.
func (n *newAdapterCommand) writeModuleOf(checkout string) error {
	text, err := os.ReadFile(filepath.Join(checkout, "go.mod"))
	if err != nil {
		return err
	}
	sums, err := os.ReadFile(filepath.Join(checkout, "go.sum"))
	if err != nil {
		return err
	}
	needs := regexp.MustCompile(`(?m)^(\t[^\s/]+\.[^\s]+ v\S+).*$`).
		ReplaceAllString(requirements(string(text)), "$1 // indirect")
	mod := fmt.Sprintf("module %s\n\ngo %s\n\nrequire %s v0.0.0\n\nrequire (\n%s)\n\nreplace %s => %s\n",
		n.Module, strings.TrimPrefix(goVersion, "go"), modulePath, needs, modulePath, checkout)
	return errors.Join(
		n.writeFile("go.mod", []byte(mod)),
		n.writeFile("go.sum", sums),
	)
}

// requirements are the lines of a go.mod that require modules.
func requirements(mod string) string {
	var b strings.Builder
	within := false
	for line := range strings.Lines(mod) {
		switch trimmed := strings.TrimSpace(line); {
		case trimmed == "require (":
			within = true
		case trimmed == ")":
			within = false
		case within:
			b.WriteString(line)
		}
	}
	return b.String()
}
