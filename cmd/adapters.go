package cmd

import (
	"go/token"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/pubsync/pubsync/cmd/config"
	"github.com/pubsync/pubsync/cmd/internal/exit"
	"github.com/pubsync/pubsync/cmd/internal/newadapter"
	"github.com/pubsync/pubsync/cmd/internal/say"
	"github.com/pubsync/pubsync/shopadapter"
)

type adaptersCommands struct {
	List adaptersCommand   `cmd:"" default:"withargs" help:"The shop adapters compiled in; adapters alone does this."`
	New  newAdapterCommand `cmd:"" help:"Writes a module with an adapter to begin from."`
}

type adaptersCommand struct {
	Name string `arg:"" optional:"" help:"Show the settings of this one."`
	Env  bool   `help:"Print a file of settings to begin from, with those of every adapter."`
	jsonFlag
}

type adapterLine struct {
	Name     string                `json:"name"`
	Summary  string                `json:"summary"`
	Settings []shopadapter.Setting `json:"settings,omitempty"` // by the names of their variables
}

func (l *adaptersCommand) Run(a *app) error {
	switch {
	case l.Env && (l.Name != "" || l.JSON):
		return exit.Usage("--env goes with neither a name nor --json")
	case l.Env:
		a.printf("%s", config.Example())
		return nil
	case l.Name != "":
		return l.settings(a)
	}
	var lines []adapterLine
	var rows [][]string
	for _, name := range shopadapter.Names() {
		f, _ := shopadapter.Lookup(name)
		lines = append(lines, adapterLine{Name: name, Summary: f.Summary})
		rows = append(rows, []string{name, f.Summary})
	}
	a.print(l.JSON, map[string]any{"adapters": lines}, func() { say.Table(a.stdout, []string{"NAME", "WHAT"}, rows) })
	return nil
}

func (l *adaptersCommand) settings(a *app) error {
	f, ok := shopadapter.Lookup(l.Name)
	if !ok {
		return exit.Usage("no adapter %q: one of %s", l.Name, strings.Join(shopadapter.Names(), ", "))
	}
	line := adapterLine{l.Name, f.Summary, f.List()}
	for i := range line.Settings {
		line.Settings[i].Name = shopadapter.Variable(l.Name, line.Settings[i].Name)
	}
	a.print(l.JSON, line, func() {
		a.printf("# %s: %s\n", line.Name, line.Summary)
		for _, s := range line.Settings {
			a.printf("%s", config.Variable{Setting: s}.Example())
		}
	})
	return nil
}

type newAdapterCommand struct {
	Name string `arg:"" help:"Name of the adapter: lower-case letters, digits and hyphens."`
	Dir  string `required:"" placeholder:"DIR" help:"Folder to write to: empty, or not there yet."`
}

var adapterName = regexp.MustCompile(`^[a-z][a-z0-9]*(-[a-z0-9]+)*$`)

// reservedNames have another meaning in Go, in the written module, or as a command beside `adapters new`.
var reservedNames = []string{"internal", "list", "main", "new", "testdata", "toyshop", "vendor"}

func (n *newAdapterCommand) Run(a *app) error {
	pkg := newadapter.PackageOf(n.Name)
	first, _, _ := strings.Cut(n.Name, "-") // webhook-x would have settings among those of webhooks
	prefix := shopadapter.Variable(first, "")
	ours := func(v config.Variable) bool { return strings.HasPrefix(v.Name, prefix) }
	if _, taken := shopadapter.Lookup(n.Name); taken || token.IsKeyword(pkg) || slices.Contains(reservedNames, pkg) ||
		!adapterName.MatchString(n.Name) || slices.ContainsFunc(config.Own(), ours) {
		return exit.Usage("an adapter cannot be called %q: take lower-case letters, digits and hyphens, and no name that "+
			"an adapter, a command, Go, the module or settings of pubsync's own have already", n.Name)
	}
	if entries, err := os.ReadDir(n.Dir); len(entries) > 0 || err != nil && !os.IsNotExist(err) {
		return exit.Usage("--dir: %s is not empty, or cannot be read", n.Dir)
	}
	if err := newadapter.Write(n.Name, n.Dir); err != nil {
		return err
	}
	a.printf("An adapter for %s, with a toy shop in its place. Next:\ncd %s\ngo mod tidy\ngo test ./...\n", n.Name, n.Dir)
	return nil
}
