package cmd

import (
	"context"
	"os"

	"github.com/pubsync/pubsync/cmd/config"
	"github.com/pubsync/pubsync/cmd/internal/exit"
	"github.com/pubsync/pubsync/store"
)

type backupCommand struct {
	File string `arg:"" help:"Where the copy goes; it must not be there yet."`
	jsonFlag
}

func (b *backupCommand) Run(ctx context.Context, a *app) error {
	if _, err := os.Lstat(b.File); b.File == "" || err == nil {
		return exit.Usage("backup takes the name of a file that is not there yet, and %q is", b.File)
	}
	type copied struct {
		File         string `json:"file"`
		Publications int    `json:"publications"`
	}
	c, log, err := a.setup(config.ToLook)
	if err != nil {
		return err
	}
	n, err := c.BackUp(ctx, log, b.File)
	if err == nil {
		a.print(b.JSON, copied{store.CanonicalPath(b.File), n}, func() { a.printf("%s: %d publications\n", b.File, n) })
	}
	return err
}
