package catalog

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
)

// A folder is the disk under a catalogue. Its paths are relative, with a slash, and made by this
// package alone. Each of its errors is an fs.PathError.
type folder struct {
	dir string

	// step, where set, is asked before each change of the disk and ends the operation with its
	// error. Tests crash there.
	step atomic.Pointer[func(doing string) error]
}

var (
	errForeign = errors.New("not made by pubsync for this publication")
	errBroken  = errors.New("no record")
)

const (
	tempPrefix = ".pubsync-"
	tempSuffix = ".tmp"
	largest    = 64 << 20 // bytes; a larger file is none of ours
)

func (f *folder) abs(path string) string { return filepath.Join(f.dir, filepath.FromSlash(path)) }

// wrong is the error of a file's content.
func (f *folder) wrong(path string, err error) error {
	return &fs.PathError{Op: "read", Path: f.abs(path), Err: err}
}

func (f *folder) at(doing string) error {
	if step := f.step.Load(); step != nil {
		return (*step)(doing)
	}
	return nil
}

// read is the content of a regular file. The error is fs.ErrNotExist where there is none, and
// errForeign for what pubsync would never have put there: a folder, a link, a pipe, something huge.
func (f *folder) read(path string) ([]byte, error) {
	info, err := os.Lstat(f.abs(path))
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > largest {
		return nil, f.wrong(path, errForeign)
	}
	return os.ReadFile(f.abs(path))
}

// page is a page of ours, nil where there is none; the error is errForeign for another file.
func (f *folder) page(path string) ([]byte, error) {
	data, err := f.read(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err == nil && !isOurs(data):
		return nil, f.wrong(path, errForeign)
	}
	return data, err
}

func (f *folder) has(path string) bool {
	info, err := os.Lstat(f.abs(path))
	return err == nil && info.Mode().IsRegular()
}

// names lists the records, ours or not, without extension; none where there is no folder yet.
func (f *folder) names() (names []string, err error) {
	entries, err := os.ReadDir(f.abs(productsFolder))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), ".json"); ok && e.Type().IsRegular() {
			names = append(names, name)
		}
	}
	return names, nil
}

// write puts a file in place, whole and synced or not at all.
func (f *folder) write(path string, data []byte) error {
	// the temporary file has a name of its own, so that the next write takes away what a crash has left
	temp := f.abs(filepath.ToSlash(filepath.Dir(path)) + "/" + tempPrefix + filepath.Base(path) + tempSuffix)
	err := f.stage(temp, data)
	if err == nil {
		err = f.at("rename " + path)
	}
	if err == nil {
		err = os.Rename(temp, f.abs(path))
	}
	if err == nil {
		return f.sync(path)
	}
	_ = os.Remove(temp) //nolint:errcheck // what stays is written over
	return err
}

// stage makes the temporary file, and the folders where they are missing. Its mode leaves it to the umask
// who may read: a web server runs as somebody else.
func (f *folder) stage(temp string, data []byte) error {
	if err := f.at("create a file"); err != nil {
		return err
	}
	if err := os.MkdirAll(f.abs(productsFolder), 0o755); err != nil {
		return err
	}
	w, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return err
	}
	_, err = w.Write(data)
	return errors.Join(err, w.Sync(), w.Close())
}

// remove takes a file away; none is no error.
func (f *folder) remove(path string) error {
	err := f.at("remove " + path)
	if err == nil {
		err = os.Remove(f.abs(path))
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	}
	return f.sync(path)
}

// sync makes what was renamed or removed in a file's folder outlast a loss of power: the store may say
// by then that it is on sale, and a record that is missing was deleted by hand.
func (f *folder) sync(path string) error {
	if runtime.GOOS == "windows" { // it syncs no folders
		return nil
	}
	d, err := os.Open(filepath.Dir(f.abs(path)))
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// probe finds out whether files can be made, by making one that is not empty: a full disk has room
// for one that is.
func (f *folder) probe() error {
	temp := f.abs(productsFolder + "/" + tempPrefix + "probe" + tempSuffix)
	err := f.stage(temp, make([]byte, 4<<10))
	if removed := os.Remove(temp); err == nil && !errors.Is(removed, fs.ErrNotExist) { // another probe's
		err = removed
	}
	return err
}
