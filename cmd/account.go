package cmd

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

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

// each runs a command for every account, one after the other, unless one is named or there is only
// one, and ends with the most serious exit code. As JSON all that it prints is one document.
func (a *app) each(ctx context.Context, asJSON bool, command func(*app) error) error {
	if a.account != "" || a.env.AccountsDir() == "" {
		return command(a)
	}
	names, faults := setup.Accounts(a.env)
	if faults == nil && len(names) == 0 {
		_, faults = a.environment()
	}
	errs, documents := []error{}, map[string]any{}
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
			continue
		case asJSON:
			documents[name] = map[string]any{"error": text, "exit": exit.CodeOf(err)}
			continue
		case text != "":
			text = say.HarmlessLines(text) + "\n"
		case out.Len() == 0:
			continue
		}
		if _, err := fmt.Fprintf(a.stdout, "== %s\n%s%s", name, out.Bytes(), text); err != nil {
			return err
		}
	}
	var err error
	if asJSON {
		err = a.printJSON(map[string]any{"accounts": documents, "exit": exit.Worst(errs...)})
	}
	return errors.Join(err, faults, exit.With(exit.Worst(append(errs, faults)...)))
}
