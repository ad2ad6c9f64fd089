package setup

import (
	"fmt"
	"log/slog"
	"path/filepath"

	"github.com/pubsync/pubsync/cmd/internal/exit"
	"github.com/pubsync/pubsync/connector/desk"
)

// StoreMissing reports whether there is no store yet where the configuration says.
func (c *Setup) StoreMissing() bool { return c.engine.missing(c.place) }

// StoreIsFile reports whether the store is a file of this machine.
func (c *Setup) StoreIsFile() bool { return c.engine.file }

// noStore is the error of a command that makes no store and finds none.
func (c *Setup) noStore() error {
	advice := "pubsync run makes one; if yours is elsewhere, set PUBSYNC_STORE_PATH or PUBSYNC_STORE_URL"
	if c.engine.file && noFile(filepath.Dir(c.StorePath)) {
		advice = "make the folder, or use another PUBSYNC_STORE_PATH"
	}
	return &exit.Error{Code: desk.ExitStore, Err: fmt.Errorf("no store at %s: %s", c.StorePath, advice)}
}

// makeStore opens the store for writing, or makes it. It logs the path of a new one, because a relative
// path means another file in another folder.
func (c *Setup) makeStore(log *slog.Logger) (Store, error) {
	missing := c.StoreMissing()
	s, err := c.openStore(c.engine.open)
	if err == nil && missing {
		log.Info("made a new store", "store", c.StorePath)
	}
	return s, err
}
