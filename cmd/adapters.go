package cmd

import (
	"fmt"
	"io"
	"strings"

	"github.com/pubsync/pubsync/cmd/config"
	"github.com/pubsync/pubsync/cmd/internal/exit"
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
	Name     string        `json:"name"`
	Summary  string        `json:"summary"`
	Settings []settingLine `json:"settings,omitempty"`
}

type settingLine struct {
	Variable string `json:"variable"`
	Default  string `json:"default"`
	Required bool   `json:"required"`
	Secret   bool   `json:"secret"`
	Meaning  string `json:"meaning"`
}

func (l *adaptersCommand) Run(a *app) error {
	if l.Env {
		if l.Name != "" || l.JSON {
			return exit.Usage("--env goes with neither a name nor --json")
		}
		_, err := io.WriteString(a.stdout, config.Example())
		return err
	}
	if l.Name != "" {
		f, ok := shopadapter.Lookup(l.Name)
		if !ok {
			return exit.Usage("no adapter %q: one of %s", l.Name, strings.Join(shopadapter.Names(), ", "))
		}
		return a.printAdapter(adapterLine{Name: l.Name, Summary: f.Summary, Settings: settingLines(l.Name, f)}, l.JSON)
	}
	var lines []adapterLine
	var rows [][]string
	for _, name := range shopadapter.Names() {
		f, _ := shopadapter.Lookup(name)
		lines = append(lines, adapterLine{Name: name, Summary: f.Summary})
		rows = append(rows, []string{name, f.Summary})
	}
	if l.JSON {
		return a.printJSON(map[string]any{"adapters": lines})
	}
	return say.Table(a.stdout, []string{"NAME", "WHAT"}, rows)
}

func settingLines(name string, f shopadapter.Factory) (lines []settingLine) {
	for _, s := range f.List() {
		lines = append(lines, settingLine{shopadapter.Variable(name, s.Name), s.Default, s.Required, s.Secret, s.Meaning})
	}
	return lines
}

func (a *app) printAdapter(l adapterLine, asJSON bool) error {
	if asJSON {
		return a.printJSON(l)
	}
	fmt.Fprintf(a.stdout, "%s: %s\n\n", l.Name, l.Summary)
	for _, s := range l.Settings {
		var notes []string
		if s.Required {
			notes = append(notes, "required")
		}
		if s.Secret {
			notes = append(notes, "secret, or "+s.Variable+"_FILE")
		}
		if s.Default != "" {
			notes = append(notes, "default "+s.Default)
		}
		fmt.Fprintf(a.stdout, "%s", s.Variable)
		if len(notes) > 0 {
			fmt.Fprintf(a.stdout, " (%s)", strings.Join(notes, "; "))
		}
		fmt.Fprintf(a.stdout, "\n    %s\n", s.Meaning)
	}
	return nil
}
