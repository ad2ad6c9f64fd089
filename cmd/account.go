package cmd

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/pubsync/pubsync/cmd/config"
	"github.com/pubsync/pubsync/cmd/internal/exit"
	"github.com/pubsync/pubsync/cmd/internal/say"
	"github.com/pubsync/pubsync/cmd/internal/setup"
)

// environment is that of the account which the command is for: the one that --account names, or the
// only one that there is.
func (a *app) environment() (config.Environment, error) {
	name := a.account
	if name == "" && a.env.AccountsDir() != "" {
		names, err := setup.Accounts(a.env)
		switch {
		case len(names) == 0 && err != nil:
			return a.env, err
		case len(names) == 0:
			return a.env, exit.Usage("there is no account: put a file NAME.env into the folder of PUBSYNC_ACCOUNTS_DIR")
		case len(names) > 1:
			return a.env, exit.Usage("which account? --account NAME, of: %s", strings.Join(names, ", "))
		}
		name = names[0]
	}
	return setup.EnvironmentOf(a.env, name)
}

const mostAtOnce = 8

// each runs a command for every account at the same time, unless one is named or there is only one,
// and ends with the most serious exit code. What it prints comes account by account, as JSON in one
// document.
func (a *app) each(asJSON bool, command func(*app) error) error {
	if a.account != "" || a.env.AccountsDir() == "" {
		return command(a)
	}
	names, faults := setup.Accounts(a.env)
	if faults == nil && len(names) == 0 {
		_, faults = a.environment()
	}
	outs, errs := make([]bytes.Buffer, len(names)), make([]error, len(names))
	stderr, slots := &sharedWriter{to: a.stderr}, setup.Slots()
	var all errgroup.Group
	all.SetLimit(mostAtOnce)
	for i, name := range names {
		all.Go(func() error {
			one := *a
			one.account, one.slots, one.stdout, one.stderr = name, slots, &outs[i], stderr
			errs[i] = command(&one)
			return nil
		})
	}
	_ = all.Wait() //nolint:errcheck // each account has its own error
	print := a.printEach
	if asJSON {
		print = a.printEachJSON
	}
	err := print(names, outs, errs)
	worst := exit.Worst(append(errs, faults)...)
	return errors.Join(err, faults, exit.With(worst))
}

func (a *app) printEach(names []string, outs []bytes.Buffer, errs []error) error {
	for i, name := range names {
		text := exit.Text(errs[i])
		if text != "" {
			text = say.HarmlessLines(text) + "\n"
		} else if outs[i].Len() == 0 {
			continue
		}
		if _, err := fmt.Fprintf(a.stdout, "== %s\n%s%s", name, outs[i].Bytes(), text); err != nil {
			return err
		}
	}
	return nil
}

func (a *app) printEachJSON(names []string, outs []bytes.Buffer, errs []error) error {
	accounts := map[string]any{}
	for i, name := range names {
		if json.Valid(outs[i].Bytes()) {
			accounts[name] = json.RawMessage(outs[i].Bytes())
		} else {
			accounts[name] = map[string]any{"error": exit.Text(errs[i]), "exit": exit.CodeOf(errs[i])}
		}
	}
	return a.printJSON(map[string]any{"accounts": accounts, "exit": exit.Worst(errs...)})
}

type sharedWriter struct {
	mu sync.Mutex
	to io.Writer
}

func (w *sharedWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.to.Write(p)
}
