package setup

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/pubsync/pubsync/cmd/internal/exit"
	"github.com/pubsync/pubsync/connector/desk"
)

// StoreMissing reports whether there is no store at the configured path.
func (c *Setup) StoreMissing() bool {
	_, err := os.Stat(c.StorePath)
	return errors.Is(err, fs.ErrNotExist)
}

// noStore is the error of a command that makes no store and finds none.
func (c *Setup) noStore() error {
	advice := "pubsync run makes one; if yours is elsewhere, set PUBSYNC_STORE_PATH"
	if _, err := os.Stat(filepath.Dir(c.StorePath)); errors.Is(err, fs.ErrNotExist) {
		advice = "make the folder, or use another PUBSYNC_STORE_PATH"
	}
	return &exit.Error{Code: desk.ExitStore, Err: fmt.Errorf("no store at %s: %s", c.StorePath, advice)}
}

// makeStore opens the store for writing, or makes it. It logs the path of a new one, because a
// relative path means another file in another folder.
func (c *Setup) makeStore(log *slog.Logger) (Store, error) {
	missing := c.StoreMissing()
	s, err := c.openStore(fileEngine().open)
	if err == nil && missing {
		log.Info("made a new store", "store", c.StorePath)
	}
	return s, err
}
