package cmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/pubsync/pubsync/cmd/config"
	"github.com/pubsync/pubsync/cmd/internal/exit"
	"github.com/pubsync/pubsync/cmd/internal/setup"
	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/engine"
	"github.com/pubsync/pubsync/store"
)

type backupCommand struct {
	File string `arg:"" help:"Where the copy goes; it must not be there yet."`
	jsonFlag
}

type backupResult struct {
	File         string `json:"file"` // its absolute path
	Publications int    `json:"publications"`
}

// Run makes a consistent copy of the store, also while the worker runs. It appears under its name
// only when it is whole and opens cleanly.
func (b *backupCommand) Run(ctx context.Context, a *app) (err error) {
	if b.File == "" {
		return exit.Usage("backup takes the name of a file")
	}
	if _, err := os.Lstat(b.File); err == nil {
		return exit.Usage("%s is there already", b.File)
	}
	if info, err := os.Stat(filepath.Dir(b.File)); err != nil || !info.IsDir() {
		return exit.Usage("there is no folder %s to write %s into: make it first", filepath.Dir(b.File),
			filepath.Base(b.File))
	}
	c, _, err := a.setup(config.ToLook)
	if err != nil {
		return err
	}
	tmp, err := os.CreateTemp(filepath.Dir(b.File), "."+filepath.Base(b.File)+".*")
	if err != nil {
		return fmt.Errorf("make the backup's file: %w", err)
	}
	defer func() {
		if err != nil {
			_ = tmp.Close()           //nolint:errcheck // it is thrown away, and may be closed already
			_ = os.Remove(tmp.Name()) //nolint:errcheck // the first error says it all
		}
	}()
	backUp := func(d *desk.Client) (struct{}, error) { return struct{}{}, d.Backup(ctx, tmp) }
	if _, err = ask(a, config.ToLook, setup.ToRead, backUp); err != nil {
		return err
	}
	if err = errors.Join(tmp.Sync(), tmp.Close()); err != nil {
		return fmt.Errorf("write the backup: %w", err)
	}
	return b.finish(ctx, a, c, tmp.Name())
}

// finish checks a copy, gives it its name, and says what it holds.
func (b *backupCommand) finish(ctx context.Context, a *app, c *setup.Setup, path string) error {
	counts, err := complete(ctx, path)
	if errors.Is(err, store.ErrCorrupt) {
		return c.WorkError(fmt.Errorf("its copy is damaged: %w", err))
	}
	if err != nil {
		return fmt.Errorf("check the backup: %w", err)
	}
	if err = os.Rename(path, b.File); err != nil {
		return fmt.Errorf("name the backup: %w", err)
	}
	n := 0
	for _, count := range counts {
		n += count
	}
	if b.JSON {
		return a.printJSON(backupResult{File: store.CanonicalPath(b.File), Publications: n})
	}
	_, err = fmt.Fprintf(a.stdout, "%s: %d publications\n", b.File, n)
	return err
}

// complete checks a copy, marks it as one, and returns how many publications it holds by state.
func complete(ctx context.Context, path string) (map[store.State]int, error) {
	s, err := setup.OpenCopy(ctx, path)
	if err != nil {
		return nil, err
	}
	copied := time.Now().UTC().Format(time.RFC3339)
	counts, err := s.Counts(ctx)
	return counts, errors.Join(err, s.SetMeta(ctx, engine.MetaCopied, copied), s.Close())
}
