package cmd

import (
	"fmt"
	"go/token"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/pubsync/pubsync/cmd/config"
	"github.com/pubsync/pubsync/cmd/internal/exit"
	"github.com/pubsync/pubsync/cmd/internal/newadapter"
	"github.com/pubsync/pubsync/shopadapter"
)

type newAdapterCommand struct {
	Name string `arg:"" help:"Name of the adapter: lower-case letters, digits and hyphens."`
	Dir  string `required:"" placeholder:"DIR" help:"Folder to write to: empty, or not there yet."`
}

var adapterName = regexp.MustCompile(`^[a-z][a-z0-9]*(-[a-z0-9]+)*$`)

// reservedNames have another meaning: as folders or packages of Go, in the written module, or as a
// command beside `adapters new`.
var reservedNames = []string{"internal", "list", "main", "new", "testdata", "toyshop", "vendor"}

func (n *newAdapterCommand) Run(a *app) error {
	pkg := newadapter.PackageOf(n.Name)
	if _, taken := shopadapter.Lookup(n.Name); taken || token.IsKeyword(pkg) || slices.Contains(reservedNames, pkg) {
		return exit.Usage("an adapter cannot be called %q: an adapter, Go, the module or a command has that name "+
			"already", n.Name)
	}
	if !adapterName.MatchString(n.Name) {
		return exit.Usage("an adapter cannot be called %q: take a name of lower-case letters, digits and hyphens",
			n.Name)
	}
	first, _, _ := strings.Cut(n.Name, "-") // webhook-x would have settings among those of webhooks
	prefix := shopadapter.Variable(first, "")
	if slices.ContainsFunc(config.Own(), func(v config.Variable) bool { return strings.HasPrefix(v.Name, prefix) }) {
		return exit.Usage("an adapter cannot be called %q: settings of pubsync's own begin with %s", n.Name, prefix)
	}
	if err := emptyFolder(n.Dir); err != nil {
		return exit.Usage("--dir: %v", err)
	}
	if err := newadapter.Write(n.Name, n.Dir); err != nil {
		return err
	}
	_, err := fmt.Fprintf(a.stdout,
		"An adapter for %s, with a toy shop in its place. Next:\ncd %s\ngo mod tidy\ngo test ./...\n", n.Name, n.Dir)
	return err
}

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
