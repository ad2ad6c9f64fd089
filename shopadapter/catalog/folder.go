package catalog

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"

	"github.com/pubsync/pubsync/shopadapter"
)

// abs returns a path on the disk. Only this package makes paths: relative to the folder, with slashes.
func (c *catalog) abs(path string) string { return filepath.Join(c.dir, filepath.FromSlash(path)) }

// page returns a page of ours or nil, and errForeign for somebody else's file.
func (c *catalog) page(path string) ([]byte, error) {
	data, err := os.ReadFile(c.abs(path))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err == nil && !bytes.HasPrefix(data, []byte(ourMark)):
		return nil, c.foreign(path, errors.New("it does not begin as pubsync's pages do"))
	}
	return data, err
}

func (c *catalog) names() (names []string, err error) {
	entries, err := os.ReadDir(c.abs(productsFolder))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), ".json"); ok {
			names = append(names, name)
		}
	}
	return names, nil
}

// write puts a whole, synced file in place, or none. The temporary file has one name: the next write removes what a
// crash left.
func (c *catalog) write(path string, data []byte) error {
	final := c.abs(path)
	temp := filepath.Join(filepath.Dir(final), ".pubsync-"+filepath.Base(final)+".tmp")
	err := c.step("create " + path)
	if err == nil {
		err = os.MkdirAll(c.abs(productsFolder), 0o755)
	}
	if err == nil {
		err = fill(temp, data)
	}
	if err == nil {
		err = c.step("rename " + path)
	}
	if err == nil {
		err = os.Rename(temp, final)
	}
	if err == nil {
		return keepChange(final)
	}
	_ = os.Remove(temp) //nolint:errcheck // what stays is written over
	return err
}

// fill makes a file. The umask says who may read it: a web server runs as somebody else.
func fill(path string, data []byte) error {
	w, err := os.Create(path)
	if err != nil {
		return err
	}
	_, err = w.Write(data)
	return errors.Join(err, w.Sync(), w.Close())
}

func (c *catalog) remove(path string) error {
	err := c.step("remove " + path)
	if err == nil {
		err = os.Remove(c.abs(path))
	}
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return keepChange(c.abs(path))
	}
	return err
}

// keepChange makes a rename or removal survive a loss of power: the store may already call it on sale, and a missing
// record counts as deleted by hand.
func keepChange(file string) error {
	if runtime.GOOS == "windows" { // syncs no folders
		return nil
	}
	d, err := os.Open(filepath.Dir(file))
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

var errForeign = errors.New("not what pubsync wrote for this publication")

// foreign is the error of a file in pubsync's place: somebody else's web site would lose its front page.
func (c *catalog) foreign(path string, why error) error {
	e := shopadapter.Block("the file %s is %w (%w): mend it, move it elsewhere, or let PUBSYNC_CATALOG_DIR name another "+
		"folder", c.abs(path), errForeign, why)
	e.Err, e.ShopWide = errForeign, path == indexPath
	return e
}

func (c *catalog) explain(err error) error {
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return shopadapter.Retry("%w", err).Everywhere()
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS), errors.Is(err, syscall.ENOTDIR),
		errors.Is(err, fs.ErrExist):
		return shopadapter.Block("the catalogue folder %s cannot be written: let the user that pubsync runs as write "+
			"there, or let PUBSYNC_CATALOG_DIR name another (%w)", c.dir, err).Everywhere()
	}
	return err
}
