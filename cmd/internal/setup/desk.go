package setup

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/pubsync/pubsync/cmd/config"
	"github.com/pubsync/pubsync/cmd/internal/exit"
	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/store"
)

// OpenDesk opens the desk of the worker that holds the store, else one of this process.
func (c *Setup) OpenDesk(log *slog.Logger, p config.Purpose) (desk.Desk, error) {
	if p <= config.ToTell && c.StoreMissing() {
		return nil, c.noStore()
	}
	s, err := c.openStore(log, p)
	switch {
	case errors.Is(err, store.ErrLocked):
		return c.deskOf(log)
	case err != nil:
		return nil, c.StoreError(err)
	}
	local := c.desk(s)
	local.Worker = &alone{desk.Alone{Store: s}, c, log}
	return local, nil
}

func (c *Setup) desk(s store.Store) *desk.Local {
	return &desk.Local{
		Store: s, Rules: c.Publication.Rules, Settings: c.Digests, Figures: c.Figures, Read: c.Try,
	}
}

// openStore returns store.ErrLocked at once if a worker that holds the store can be asked; otherwise opening waits
// for a process that is about to end. It logs a new store's path: a relative path is another file in another folder.
func (c *Setup) openStore(log *slog.Logger, p config.Purpose) (s store.Store, err error) {
	switch {
	case c.workerAnswers() && c.storeHeld():
		return s, store.ErrLocked
	case p == config.ToLook || p == config.ToPlan:
		return c.view()
	case !c.StoreIsFile() && c.storeHeld():
		log.Warn("another process works on this account, waiting whether it goes on", "store", c.heldBy())
	}
	missing := c.StoreMissing()
	if s, err = c.open(context.Background()); err == nil && missing {
		log.Info("made a new store", "store", c.StoreName())
	}
	return s, err
}

func (c *Setup) workerAnswers() bool {
	conn, err := (&net.Dialer{Timeout: time.Second}).DialContext(context.Background(), "tcp", c.AdminListen)
	if err == nil {
		_ = conn.Close() //nolint:errcheck // it served to see that somebody listens
	}
	return err == nil
}

func (c *Setup) deskOf(log *slog.Logger) (desk.Desk, error) {
	if c.AdminListen == "" {
		return nil, c.locked("it has no admin address to ask; wait for it to end, or stop it")
	}
	id := c.StoreName()
	if c.StoreIsFile() {
		id = store.CanonicalPath(id)
	}
	base := "http://" + c.AdminListen // without a host, or with that of all addresses, this machine is asked
	if c.AccountsDir != "" {
		base += accountPath + c.Account
	}
	return &desk.Client{
		Base: base, Token: c.AdminToken, Store: id, Holder: c.heldBy(), Logger: log,
		Settings: c.Digests, Rules: &c.Publication.Rules, Set: c.Figures,
		HTTP: &http.Client{
			Transport: &http.Transport{DialContext: (&net.Dialer{Timeout: 5 * time.Second}).DialContext},
		},
	}, nil
}

// CopyStore copies an account's store; from and to are paths or addresses.
func CopyStore(ctx context.Context, from, to, account string) (publications int, err error) {
	source, target := setupAt(from, account), setupAt(to, account)
	for address, at := range map[string]*Setup{from: source, to: target} {
		if at.StoreIsFile() && strings.Contains(address, "://") {
			return 0, exit.Usage("a store is in a file, or at an address that begins with postgres://")
		}
	}
	switch {
	case source.StoreMissing():
		return 0, source.noStore()
	case source.storeHeld():
		return 0, source.locked("stop it first")
	case target.StoreIsFile() && !target.StoreMissing():
		return 0, exit.Usage("%s is there already", target.StorePath)
	}
	return source.copyTo(ctx, target)
}

// copyTo leaves no file of a copy that fails.
func (c *Setup) copyTo(ctx context.Context, target *Setup) (publications int, err error) {
	from, err := c.view()
	if err != nil {
		return 0, c.StoreError(err)
	}
	defer from.Close() //nolint:errcheck // only read
	to, err := target.open(ctx)
	if err != nil {
		return 0, target.StoreError(err)
	}
	publications, err = store.Copy(ctx, from, to)
	if err = errors.Join(err, to.Close()); err != nil && target.StoreIsFile() {
		err = errors.Join(err, os.Remove(target.StorePath))
	}
	switch {
	case errors.Is(err, store.ErrNotEmpty):
		err = exit.Usage("%s holds something already", target.StoreName())
	case err != nil:
		err = target.StoreError(err)
	}
	return publications, err
}

// BackUp copies the store, also while a worker writes to it, to a new file. That gets its name only when it is whole
// and opens cleanly.
func (c *Setup) BackUp(ctx context.Context, log *slog.Logger, file string) (publications int, err error) {
	folder, err := os.MkdirTemp(filepath.Dir(file), ".pubsync-backup-*")
	if err != nil {
		return 0, fmt.Errorf("make a folder for the backup: %w", err)
	}
	defer os.RemoveAll(folder) //nolint:errcheck // a leftover is only a leftover
	made := filepath.Join(folder, filepath.Base(file))
	if err = c.backUp(ctx, log, made); err == nil {
		publications, err = finishCopy(ctx, made)
	}
	if err == nil {
		err = os.Rename(made, file)
	}
	return publications, c.WorkError(err)
}

// backUp needs no worker for a database.
func (c *Setup) backUp(ctx context.Context, log *slog.Logger, file string) error {
	if !c.StoreIsFile() && !c.StoreMissing() {
		_, err := c.copyTo(ctx, setupAt(file, ""))
		return err
	}
	d, err := c.OpenDesk(log, config.ToLook)
	if err != nil {
		return err
	}
	defer d.Close() //nolint:errcheck // it was only read
	f, err := os.OpenFile(file, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("make the backup's file: %w", err)
	}
	err = d.Backup(ctx, f)
	if written := errors.Join(f.Sync(), f.Close()); err == nil && written != nil {
		err = fmt.Errorf("write the backup: %w", written)
	}
	return err
}
