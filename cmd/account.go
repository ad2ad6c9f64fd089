package cmd

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"

	"github.com/pubsync/pubsync/cmd/internal/exit"
	"github.com/pubsync/pubsync/cmd/internal/say"
	"github.com/pubsync/pubsync/cmd/internal/setup"
)

// each runs a command for the named or only account, else for all in turn, and returns the worst exit code. Its
// JSON is one document.
func (a *app) each(ctx context.Context, asJSON bool, command func(*app) error) error {
	if a.account != "" || !a.env.Several() {
		return command(a)
	}
	files, faults := setup.Accounts(a.env)
	errs, documents := []error{faults}, map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(files)) {
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
