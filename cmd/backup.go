package cmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/pubsync/pubsync/cmd/internal/exit"
	"github.com/pubsync/pubsync/cmd/internal/setup"
	"github.com/pubsync/pubsync/connector/desk"
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
	return look(a, b.JSON, func(d desk.Desk) (copied, error) {
		n, err := b.copy(ctx, d)
		return copied{store.CanonicalPath(b.File), n}, err
	}, func(c copied) { a.printf("%s: %d publications\n", b.File, c.Publications) })
}

func (b *backupCommand) copy(ctx context.Context, d desk.Desk) (n int, err error) {
	tmp, err := os.CreateTemp(filepath.Dir(b.File), "."+filepath.Base(b.File)+".*")
	if err != nil {
		return 0, fmt.Errorf("make the backup's file: %w", err)
	}
	defer os.Remove(tmp.Name()) //nolint:errcheck // once it is whole it has another name
	err = d.Backup(ctx, tmp)
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
