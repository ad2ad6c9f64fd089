package cmd

import (
	"context"
	"fmt"

	"github.com/pubsync/pubsync/cmd/internal/setup"
)

type storeCommand struct {
	Copy storeCopyCommand `cmd:"" help:"Carries all that a store holds to another, which must be empty, either way."`
}

type storeCopyCommand struct {
	From string `arg:"" help:"A file, or the address of a database: postgres://user:password@host/database."`
	To   string `arg:"" help:"A file that is not there yet, or the address of a database."`
	jsonFlag
}

type copyResult struct {
	Publications int `json:"publications"`
}

// Run copies a store that no worker has open. The first one stays as it is.
func (s *storeCopyCommand) Run(ctx context.Context, a *app) error {
	n, err := setup.CopyStore(ctx, s.From, s.To, a.account)
	if err != nil {
		return err
	}
	if s.JSON {
		return a.printJSON(copyResult{n})
	}
	_, err = fmt.Fprintf(a.stdout, "%d publications copied\n", n)
	return err
}
