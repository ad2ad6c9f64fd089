package catalog

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
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
	if !info.Mode().IsRegular() || info.Size() > recordLimit {
		return nil, errForeign
	}
	r, err := os.Open(f.abs(path))
	if err != nil {
		return nil, err
	}
	defer r.Close()
	data := make([]byte, info.Size())
	n, err := io.ReadFull(r, data)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil // somebody shortened it meanwhile: its content will say so
	}
	return data[:n], err
}

// write puts the files in place, in their order, each whole and synced or not at all. Nothing is
// renamed before everything is on disk, so that a full disk changes nothing. All files are in one
// folder.
func (f *folder) write(ctx context.Context, files ...file) error {
	var err error
	for range 3 {
		// A temporary file, or a folder, that is gone was somebody's cleaning up: another process
		// that starts, or the merchant.
		if err = f.writeOnce(ctx, files); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if mkErr := f.make(); mkErr != nil {
			return mkErr
		}
	}
	return err
}

// replace puts a page of ours in place, unless it stands there already. The error is errForeign
// when somebody else's page does.
func (f *folder) replace(ctx context.Context, page file) error {
	stands, err := f.read(page.path)
	switch {
	case err == nil && bytes.Equal(stands, page.data):
		return nil
	case err == nil && !isOurs(stands):
		return errForeign
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	}
	return f.write(ctx, page)
}

func (f *folder) writeOnce(ctx context.Context, files []file) error {
	temps := make([]string, 0, len(files))
	discard := func(err error) error {
		for _, t := range temps {
			_ = os.Remove(f.abs(t)) // what stays is removed by the next process
		}
		return err
	}
	for _, file := range files {
		if err := ctx.Err(); err != nil {
			return discard(err)
		}
		temp := parent(file.path) + tempPrefix + rand.Text() + tempSuffix
		temps = append(temps, temp)
		if err := f.stage(temp, file.data); err != nil {
			return discard(err)
		}
	}
	for i, file := range files {
		err := ctx.Err()
		if err == nil {
			err = f.at("rename " + file.path)
		}
		if err == nil {
			err = os.Rename(f.abs(temps[i]), f.abs(file.path))
		}
		if err != nil {
			return discard(err)
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
		err = f.at("sync " + path)
	}
	if err == nil {
		err = w.Sync()
	}
	if closeErr := w.Close(); err == nil {
		err = closeErr
	}
	return err
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
	defer d.Close()
	if err := d.Sync(); err != nil && !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	return nil
}

// make makes the folders where they are missing.
func (f *folder) make() error {
	if err := f.at("make folder"); err != nil {
		return err
	}
	return os.MkdirAll(f.abs(productsFolder), 0o755)
}

// probe finds out whether a file can be made, by making one that is not empty: a full disk has room
// for those that are.
func (f *folder) probe() error {
	if err := f.make(); err != nil {
		return err
	}
	for _, in := range []string{"", productsFolder + "/"} {
		temp := in + tempPrefix + rand.Text() + tempSuffix
		err := f.stage(temp, make([]byte, 4<<10))
		if removeErr := os.Remove(f.abs(temp)); err == nil {
			err = removeErr
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
		entries, err := os.ReadDir(f.abs(in))
		if err != nil {
			return err
		}
		for _, e := range entries {
			if name := e.Name(); e.Type().IsRegular() && strings.HasPrefix(name, tempPrefix) &&
				strings.HasSuffix(name, tempSuffix) {
				if err := os.Remove(filepath.Join(f.abs(in), name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
					return err
				}
			}
		}
	}
	return nil
}

// parent is the folder part of a path, with its slash; "" at the top.
func parent(path string) string { return path[:strings.LastIndexByte(path, '/')+1] }
