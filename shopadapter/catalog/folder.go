package catalog

import (
	"context"
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"

	"github.com/pubsync/pubsync/shopadapter"
)

// A folder is the disk under a catalogue. Its paths are relative, with a slash, and made by this
// package alone.
type folder struct {
	dir string

	// step, where set, is asked before each change of the disk and ends the operation with its
	// error. Tests crash there.
	step atomic.Pointer[func(doing string) error]
}

const (
	tempPrefix = ".pubsync-"
	tempSuffix = ".tmp"
	largest    = 64 << 20 // bytes; a larger file is none of ours
)

// A file is what shall stand at a path.
type file struct {
	path string
	data []byte
}

func (f *folder) abs(path string) string { return filepath.Join(f.dir, filepath.FromSlash(path)) }

func (f *folder) at(doing string) error {
	if step := f.step.Load(); step != nil {
		return (*step)(doing)
	}
	return nil
}

// read is the content of a regular file. The error is fs.ErrNotExist where there is none, and
// errForeign for what pubsync would never have put there: a folder, a link, a pipe (reading which
// would never end), or something huge.
func (f *folder) read(path string) ([]byte, error) {
	info, err := os.Lstat(f.abs(path))
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > largest {
		return nil, errForeign
	}
	return os.ReadFile(f.abs(path))
}

func (f *folder) has(path string) bool {
	info, err := os.Lstat(f.abs(path))
	return err == nil && info.Mode().IsRegular()
}

// names lists the records, ours or not, without extension; none where there is no folder yet.
func (f *folder) names() ([]string, error) {
	entries, err := os.ReadDir(f.abs(productsFolder))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), ".json"); ok && e.Type().IsRegular() {
			names = append(names, name)
		}
	}
	return names, nil
}

// write puts files in place, in their order, each whole and synced or not at all. Nothing is renamed
// before everything is on disk, so that a full disk changes nothing. All files are in one folder.
func (f *folder) write(ctx context.Context, files ...file) error {
	var err error
	for range 3 {
		// A temporary file, or a folder, that is gone was somebody's cleaning up: another process
		// that starts, or the merchant.
		if err = f.make(); err == nil {
			err = f.writeOnce(ctx, files)
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return err
}

func (f *folder) writeOnce(ctx context.Context, files []file) (err error) {
	temps := make([]string, len(files))
	defer func() {
		for _, temp := range temps {
			if err != nil && temp != "" {
				_ = os.Remove(f.abs(temp)) //nolint:errcheck // what stays is removed by the next process
			}
		}
	}()
	for i, file := range files {
		if err := ctx.Err(); err != nil {
			return err
		}
		temps[i] = parent(file.path) + tempPrefix + rand.Text() + tempSuffix
		if err := f.stage(temps[i], file.data); err != nil {
			return err
		}
	}
	for i, file := range files {
		if err := f.at("rename " + file.path); err != nil {
			return err
		}
		if err := os.Rename(f.abs(temps[i]), f.abs(file.path)); err != nil {
			return err
		}
	}
	return f.sync(parent(files[0].path))
}

// stage writes and syncs a temporary file. The mode leaves it to the umask who may read: a web
// server runs as somebody else.
func (f *folder) stage(path string, data []byte) error {
	if err := f.at("create " + path); err != nil {
		return err
	}
	w, err := os.OpenFile(f.abs(path), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	if err = f.at("write " + path); err == nil {
		_, err = w.Write(data)
	}
	if err == nil {
		err = w.Sync()
	}
	return errors.Join(err, w.Close())
}

// remove takes a file away; none is no error.
func (f *folder) remove(path string) error {
	if err := f.at("remove " + path); err != nil {
		return err
	}
	switch err := os.Remove(f.abs(path)); {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	}
	return f.sync(parent(path))
}

// sync makes renames and removals in a folder durable. Windows offers no such call and needs none.
func (f *folder) sync(path string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	if err := f.at("sync folder"); err != nil {
		return err
	}
	d, err := os.Open(f.abs(path))
	if err != nil {
		return err
	}
	err = d.Sync()
	if errors.Is(err, errors.ErrUnsupported) {
		err = nil
	}
	return errors.Join(err, d.Close())
}

// make makes the folders where they are missing.
func (f *folder) make() error {
	if info, err := os.Stat(f.abs(productsFolder)); err == nil && info.IsDir() {
		return nil
	}
	if err := f.at("make folder"); err != nil {
		return err
	}
	return os.MkdirAll(f.abs(productsFolder), 0o755)
}

// probe finds out whether files can be made, by making some that are not empty: a full disk has room
// for those that are.
func (f *folder) probe() error {
	if err := f.make(); err != nil {
		return err
	}
	for _, in := range []string{"", productsFolder + "/"} {
		temp := in + tempPrefix + rand.Text() + tempSuffix
		err := f.stage(temp, make([]byte, 4<<10))
		if removed := os.Remove(f.abs(temp)); err == nil {
			err = removed
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// clean removes what crashed writes left behind.
func (f *folder) clean() error {
	for _, in := range []string{"", productsFolder} {
		left, err := filepath.Glob(filepath.Join(f.abs(in), tempPrefix+"*"+tempSuffix))
		if err != nil {
			return err
		}
		for _, path := range left {
			if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
	}
	return nil
}

// parent is the folder part of a path, with its slash; "" at the top.
func parent(path string) string { return path[:strings.LastIndexByte(path, '/')+1] }

// explain sorts an error of the disk by who can mend it. A refused permission is everybody's only
// where the folder itself cannot be written; else it is one file that somebody locked.
func (c *catalog) explain(doing string, err error) error {
	dir, err := c.folder.dir, cause(err)
	_, said := errors.AsType[*shopadapter.Error](err)
	switch {
	case err == nil, said, errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return shopadapter.Retry("no room is left for the catalogue in %s: free some space there, or raise the quota "+
			"(%s: %w)", dir, doing, err).Everywhere()
	case errors.Is(err, syscall.EROFS):
		return shopadapter.Block("the catalogue folder %s is on a file system that is mounted read-only: mount it "+
			"writable, or let PUBSYNC_CATALOG_DIR name another folder (%s: %w)", dir, doing, err).Everywhere()
	case errors.Is(err, syscall.ENOTDIR), errors.Is(err, fs.ErrExist):
		return shopadapter.Block("the catalogue folder %s cannot be made, a file is in its place: move the file away, "+
			"or let PUBSYNC_CATALOG_DIR name another folder (%s: %w)", dir, doing, err).Everywhere()
	case errors.Is(err, fs.ErrPermission) && c.folder.probe() != nil:
		return shopadapter.Block("pubsync may not write in the catalogue folder %s: give the user that it runs as the "+
			"right to, or let PUBSYNC_CATALOG_DIR name another folder (%s: %w)", dir, doing, err).Everywhere()
	case errors.Is(err, fs.ErrPermission):
		return shopadapter.Block("a file of this product in the catalogue folder may not be read or changed: "+
			"give the user that pubsync runs as the right to (%s: %w)", doing, err)
	default:
		return shopadapter.Retry("%s: %w", doing, err)
	}
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
