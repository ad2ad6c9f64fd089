package cmd

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/pubsync/pubsync/cmd/config"
	"github.com/pubsync/pubsync/cmd/internal/exit"
	"github.com/pubsync/pubsync/cmd/internal/setup"
	"github.com/pubsync/pubsync/store"
)

type backupCommand struct {
	File string `arg:"" help:"Where the copy goes; it must not be there yet."`
	jsonFlag
}

// Run gives the copy its name only when it is whole and opens cleanly.
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
	n, err := b.copy(ctx, c, log)
	if err == nil {
		a.print(b.JSON, copied{store.CanonicalPath(b.File), n}, func() { a.printf("%s: %d publications\n", b.File, n) })
	}
	return c.WorkError(err)
}

func (b *backupCommand) copy(ctx context.Context, c *setup.Setup, log *slog.Logger) (n int, err error) {
	tmp, err := os.CreateTemp(filepath.Dir(b.File), "."+filepath.Base(b.File)+".*")
	if err != nil {
		return 0, fmt.Errorf("make the backup's file: %w", err)
	}
	defer os.Remove(tmp.Name()) //nolint:errcheck // once it is whole it has another name
	err = c.BackUp(ctx, log, tmp)
	if written := errors.Join(tmp.Sync(), tmp.Close()); err == nil && written != nil {
		err = fmt.Errorf("write the backup: %w", written)
	}
	if err != nil {
		return 0, err
	}
	if n, err = setup.FinishCopy(ctx, tmp.Name()); err != nil {
		return n, fmt.Errorf("check its copy: %w", err)
	}
	if err = os.Rename(tmp.Name(), b.File); err != nil {
		err = fmt.Errorf("name the backup: %w", err)
	}
	return n, err
}
