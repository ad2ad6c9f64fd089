package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/pubsync/pubsync/connector"
	"github.com/pubsync/pubsync/store"
)

type backupCommand struct {
	File string `arg:"" help:"Where the copy goes; it must not be there yet."`
}

// Run makes a consistent copy of the store, also while the worker runs. It appears under its name only when it is whole and opens cleanly.
func (b *backupCommand) Run(ctx context.Context, a *app) (err error) {
	c, log, err := a.config(toLook)
	if err != nil {
		return err
	}
	if b.File == "" {
		return usage("backup takes the name of a file")
	}
	if _, err := os.Lstat(b.File); err == nil {
		return usage("%s is there already", b.File)
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
	var waiting []store.Mark
	err = c.with(log, false, func(s *store.Store) error {
		if s.Size() == 0 {
			return &exitError{code: connector.ExitStore, err: fmt.Errorf("there is no store at %s", c.StorePath)}
		}
		waiting = s.Waiting()
		return s.Backup(tmp)
	}, func(r *remote) error { return r.copy(ctx, "/api/v1/backup", tmp) })
	if err != nil {
		return err
	}
	if err = errors.Join(tmp.Sync(), tmp.Close()); err != nil {
		return fmt.Errorf("write the backup: %w", err)
	}
	counts, err := complete(tmp.Name(), waiting)
	if err != nil {
		return fmt.Errorf("check the backup: %w", err)
	}
	if err = os.Rename(tmp.Name(), b.File); err != nil {
		return fmt.Errorf("name the backup: %w", err)
	}
	n := 0
	for _, count := range counts {
		n += count
	}
	_, err = fmt.Fprintf(a.stdout, "%s: %d publications\n", b.File, n)
	return err
}

// complete checks a copy, adds what it lacks, has it say what it is, and returns how many publications it holds by state.
func complete(path string, waiting []store.Mark) (map[string]int, error) {
	s, err := store.Open(path)
	if err != nil {
		return nil, err
	}
	copied := time.Now().UTC().Format(time.RFC3339)
	return s.Counts(), errors.Join(s.Mark(waiting...), s.SetMeta(connector.MetaCopied, copied), s.Close())
}

// copy writes the body of an answer to w.
func (r *remote) copy(ctx context.Context, path string, w io.Writer) error {
	res, err := r.do(ctx, "GET", path, nil)
	if err != nil {
		return err
	}
	defer res.Body.Close() //nolint:errcheck // only read
	_, err = io.Copy(w, res.Body)
	return err
}
