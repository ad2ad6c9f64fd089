package catalog

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"syscall"

	"github.com/pubsync/pubsync/shopadapter"
)

// explain sorts an error of the disk by who can mend it. A refused permission is everybody's only
// where the folder itself cannot be written; else it is one file that somebody locked.
func (c *catalog) explain(doing string, err error) error {
	dir := c.folder.dir
	err = cause(err)
	switch {
	case err == nil, errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case isShopError(err):
		return err
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return shopadapter.Retry("no room is left for the catalogue in %s: free some space there, or raise the quota "+
			"(%s: %w)", dir, doing, err).
			Everywhere()
	case errors.Is(err, syscall.EROFS):
		return shopadapter.Block("the catalogue folder %s is on a file system that is mounted read-only: mount it "+
			"writable, "+
			"or let PUBSYNC_CATALOG_DIR name another folder (%s: %w)", dir, doing, err).
			Everywhere()
	case errors.Is(err, syscall.ENOTDIR), errors.Is(err, fs.ErrExist):
		return shopadapter.Block("the catalogue folder %s cannot be made, a file is in its place: move the file away, "+
			"or let PUBSYNC_CATALOG_DIR name another folder (%s: %w)", dir, doing, err).Everywhere()
	case errors.Is(err, fs.ErrPermission) && c.folder.probe() != nil:
		return shopadapter.Block("pubsync may not write in the catalogue folder %s: give the user that it runs as "+
			"the right to, "+
			"or let PUBSYNC_CATALOG_DIR name another folder (%s: %w)", dir, doing, err).
			Everywhere()
	case errors.Is(err, fs.ErrPermission):
		return shopadapter.Block("a file of this product in the catalogue folder may not be read or changed: "+
			"give the user that pubsync runs as the right to (%s: %w)", doing, err)
	default:
		return shopadapter.Retry("%s: %w", doing, err)
	}
}

func isShopError(err error) bool {
	_, ok := errors.AsType[*shopadapter.Error](err)
	return ok || errors.Is(err, shopadapter.ErrGone)
}

// explainRecord says what is wrong with the file that stands where the publication's record
// belongs.
func (c *catalog) explainRecord(path string, err error) error {
	switch {
	case errors.Is(err, errForeign):
		return shopadapter.Block(
			"the file %s in the catalogue folder is in the way and was not made by pubsync: move it elsewhere",
			path,
		)
	case errors.Is(err, errNewer):
		return shopadapter.Block(
			"the file %s in the catalogue folder was written by a newer release of pubsync: run that release or a "+
				"later one",
			path,
		)
	case isDiskError(err):
		return c.explain("read "+path, err)
	default:
		return shopadapter.Block(
			"the file %s in the catalogue folder cannot be read as JSON: mend it, or remove it together with its "+
				"page (%w)",
			path,
			err,
		)
	}
}

func isDiskError(err error) bool {
	_, ok := errors.AsType[*fs.PathError](err)
	return ok
}

// cause is what the system said, without the path: temporary files have random names, and a message
// that changes with every attempt looks like news.
func cause(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	if e, ok := errors.AsType[*os.LinkError](err); ok {
		return e.Err
	}
	return err
}
