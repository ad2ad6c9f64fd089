package cmd

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"os/user"

	"github.com/pubsync/pubsync/cmd/config"
	"github.com/pubsync/pubsync/cmd/internal/exit"
	"github.com/pubsync/pubsync/cmd/internal/say"
	"github.com/pubsync/pubsync/cmd/internal/setup"
	"github.com/pubsync/pubsync/connector/desk"
)

type app struct {
	env     config.Environment
	stdout  io.Writer
	stderr  io.Writer
	account string                  // of --account; "": none is named
	pages   map[string]http.Handler // of a demo
}

// A printer keeps the first error of standard output.
type printer struct {
	io.Writer
	err error
}

func (p *printer) Write(b []byte) (int, error) {
	n, err := p.Writer.Write(b)
	if p.err == nil && err != nil {
		p.err = fmt.Errorf("print: %w", err)
	}
	return n, err
}

type jsonFlag struct {
	JSON bool `name:"json" help:"Print one JSON document."`
}

func (a *app) print(asJSON bool, v any, text func()) {
	if !asJSON {
		text()
		return
	}
	enc := json.NewEncoder(a.stdout)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	_ = enc.Encode(v) //nolint:errcheck // the printer keeps it
}

func (a *app) printf(format string, args ...any) { fmt.Fprintf(a.stdout, format, args...) }

func (a *app) logger(c *setup.Setup, level slog.Level) *slog.Logger {
	noColor := os.Getenv("NO_COLOR") != "" || !say.IsTerminal(a.stderr)
	return slog.New(say.LogHandler(a.stderr, c.LogFormat, level, noColor, c.Redact))
}

// setup logs no warnings for commands that only look or tell: `status` would repeat them.
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

// ask closes the desk before anything is printed: a slow reader of the output keeps no store open.
func ask[T any](a *app, p config.Purpose, question func(desk.Desk) (T, error)) (answer T, err error) {
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

func look[T any](a *app, asJSON bool, question func(desk.Desk) (T, error), text func(T)) error {
	answer, err := ask(a, config.ToLook, question)
	if err == nil {
		a.print(asJSON, answer, func() { text(answer) })
	}
	return err
}

// tell prints how many publications are now what word says. An unknown id does not stop the others.
func (a *app) tell(ctx context.Context, word string, asJSON bool, r desk.Request) error {
	r.By = cmp.Or(actorOf(a.env), "a command")
	asked, err := ask(a, config.ToTell, func(d desk.Desk) (desk.Asked, error) { return d.Ask(ctx, r) })
	if err != nil {
		return err
	}
	a.print(asJSON, map[string]int{word: asked.Count}, func() {
		if asked.Count > 0 || len(asked.Unknown) == 0 {
			a.printf("%d %s\n", asked.Count, word)
		}
	})
	for _, id := range asked.Unknown {
		err = errors.Join(err, fmt.Errorf("%s: %w", say.Plain(id), desk.ErrUnknown))
	}
	return err
}

func actorOf(e config.Environment) string {
	name := e.Value(config.Prefix + "ACTOR")
	if u, err := user.Current(); name == "" && err == nil {
		name = u.Username
	}
	return name
}

// each runs a command for the named or only account, else for all in turn, and returns the worst exit code. Its
// JSON is one document.
func (a *app) each(ctx context.Context, asJSON bool, command func(*app) error) error {
	if a.account != "" || !a.env.Several() {
		return command(a)
	}
	names, faults := setup.Accounts(a.env)
	errs, documents := []error{faults}, map[string]any{}
	for _, name := range names {
		if ctx.Err() != nil {
			break
		}
		var out bytes.Buffer
		one := *a
		one.account, one.stdout = name, &out
		err := command(&one)
		errs = append(errs, err)
		text := exit.Text(err)
		switch {
		case asJSON && json.Valid(out.Bytes()):
			documents[name] = json.RawMessage(out.Bytes())
		case asJSON:
			documents[name] = map[string]any{"error": text, "exit": exit.CodeOf(err)}
		case text != "":
			a.printf("== %s\n%s%s\n", name, out.Bytes(), say.HarmlessLines(text))
		case out.Len() > 0:
			a.printf("== %s\n%s", name, out.Bytes())
		}
	}
	worst := exit.Worst(errs...)
	document := map[string]any{"accounts": documents, "exit": worst}
	if faults != nil {
		document["error"] = exit.Text(faults)
	}
	a.print(asJSON, document, func() {})
	return cmp.Or(faults, exit.With(worst))
}
