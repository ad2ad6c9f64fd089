package cmd

import (
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"os/user"

	"github.com/pubsync/pubsync/cmd/config"
	"github.com/pubsync/pubsync/cmd/internal/say"
	"github.com/pubsync/pubsync/cmd/internal/setup"
	"github.com/pubsync/pubsync/connector/desk"
)

type app struct {
	env     config.Environment
	stdout  io.Writer
	stderr  io.Writer
	noColor bool
	account string // of --account; "": none is named
}

type jsonFlag struct {
	JSON bool `name:"json" help:"Print one JSON document."`
}

func (a *app) printJSON(v any) error {
	enc := json.NewEncoder(a.stdout)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

func (a *app) logger(c *setup.Setup, level slog.Level) *slog.Logger {
	terminal := say.IsTerminal(a.stderr)
	format := c.LogFormat
	if format == "auto" && !terminal {
		format = "json"
	}
	return slog.New(say.LogHandler(a.stderr, format, level, a.noColor || !terminal, c.Redact))
}

// setup loads the configuration and logs its warnings, unless the command only looks: `status`
// would repeat them each time.
func (a *app) setup(p config.Purpose) (*setup.Setup, *slog.Logger, error) {
	env, err := setup.EnvironmentOf(a.env, a.account)
	if err != nil {
		return nil, nil, err
	}
	c, err := setup.Load(env, p, buildVersion().Version)
	if err != nil {
		return nil, nil, err
	}
	log := a.logger(c, c.LogLevel)
	if c.Account != "" {
		log = log.With("account", c.Account)
	}
	if p > config.ToTell {
		c.WarnOnce(log)
	}
	return c, log, nil
}

// ask opens the desk, asks it, and closes it before anything is printed: a slow reader of the
// output keeps no store open.
func ask[T any](a *app, p config.Purpose, question func(*desk.Client) (T, error)) (answer T, err error) {
	c, log, err := a.setup(p)
	if err != nil {
		return answer, err
	}
	d, err := c.OpenDesk(log, p)
	if err != nil {
		return answer, err
	}
	answer, err = question(d)
	return answer, errors.Join(c.WorkError(err), d.Close())
}

// showProgress has a run, or a plan, show how far it has come in the last line of a terminal. end
// takes the line away.
func (a *app) showProgress(o *desk.RunOptions) (end func()) {
	if !say.IsTerminal(a.stderr) {
		return func() {}
	}
	live := say.NewLive(a.stderr)
	a.stderr = live // of the log too
	o.Progress = func(p desk.Progress) { live.Show(p.String()) }
	return func() { live.Show("") }
}

func actorOf(e config.Environment) string {
	if name := e.Value(config.Prefix + "ACTOR"); name != "" {
		return name
	}
	u, err := user.Current()
	if err != nil {
		return ""
	}
	return u.Username
}
