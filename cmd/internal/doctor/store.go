package doctor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/pubsync/pubsync/cmd/internal/setup"
	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/store"
)

// leastDisk is the bytes that must be free beside the store.
const leastDisk = 64 << 20

func (x *examination) checkStore(ctx context.Context) (string, error) {
	if x.StoreMissing() {
		if !x.StoreIsFile() {
			return x.StorePath + " will be made at the first run", nil
		}
		probe, err := os.CreateTemp(filepath.Dir(x.StorePath), ".doctor-*")
		if err != nil {
			return "", fmt.Errorf("%s cannot be made: %w", x.StorePath, err)
		}
		return x.StorePath + " will be made at the first run", errors.Join(probe.Close(), os.Remove(probe.Name()))
	}
	d, err := x.OpenDesk(x.log, setup.ToWrite)
	if err != nil {
		return "", err
	}
	ready := d.Ready(ctx)
	status, untold := d.Status(ctx)
	var refused *desk.Error
	switch err := errors.Join(ready, d.Close()); {
	case store.Hopeless(ready):
		return "", x.WorkError(ready)
	case err != nil:
		return "", fmt.Errorf("%s cannot be written: %w", x.StorePath, err)
	case errors.As(untold, &refused), !status.Started.IsZero(): // a worker may ask for a token before it tells more
		return "held by a running worker, which can write it", nil
	}
	if untold != nil {
		return "", untold
	}
	n := 0
	for _, count := range status.Publications {
		n += count
	}
	return fmt.Sprintf("%s: %d publications", x.StorePath, n), nil
}

func (x *examination) checkDisk(context.Context) (string, error) {
	if !x.StoreIsFile() {
		return "the database's, which cannot be seen from here", nil
	}
	dir := filepath.Dir(x.StorePath)
	free, err := freeSpace(dir)
	switch {
	case errors.Is(err, errors.ErrUnsupported):
		return "not known on this system", nil
	case err != nil:
		return "", fmt.Errorf("%s: %w", dir, err)
	case free < leastDisk:
		return "", fmt.Errorf("%s has %d MiB free: make room, or webhooks will be answered 503", dir, free>>20)
	}
	return fmt.Sprintf("%d MiB free in %s", free>>20, dir), nil
}
