package cmd

import (
	"context"

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

// Run copies a store that no worker has open.
func (s *storeCopyCommand) Run(ctx context.Context, a *app) error {
	account := a.account
	if a.env.Several() || account == "" {
		env, err := setup.EnvironmentOf(a.env, account)
		if err != nil {
			return err
		}
		account = env.Account
	}
	n, err := setup.CopyStore(ctx, s.From, s.To, account)
	if err == nil {
		a.print(s.JSON, map[string]int{"publications": n}, func() { a.printf("%d publications copied\n", n) })
	}
	return err
}
