package cmd

import (
	"context"
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
	folder, err := os.MkdirTemp(filepath.Dir(b.File), ".pubsync-backup-*")
	if err != nil {
		return 0, fmt.Errorf("make a folder for the backup: %w", err)
	}
	defer os.RemoveAll(folder) //nolint:errcheck // a leftover is only a leftover
	file := filepath.Join(folder, filepath.Base(b.File))
	if err := c.BackUp(ctx, log, file); err != nil {
		return 0, err
	}
	if n, err = setup.FinishCopy(ctx, file); err != nil {
		return n, fmt.Errorf("check its copy: %w", err)
	}
	if err = os.Rename(file, b.File); err != nil {
		err = fmt.Errorf("name the backup: %w", err)
	}
	return n, err
}
