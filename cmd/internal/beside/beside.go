// Package beside opens the files that lie beside a store, as its owner's file does. A command
// believes what such a file says, so it must be written by nobody who may not write the store.
package beside

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// ErrUntrusted says that the store's owner did not make a file, or that others may have changed it:
// a link, no regular file, another user's, or one that others may write.
var ErrUntrusted = errors.New("file beside the store cannot be trusted")

// Open opens a file that lies beside the store at storePath, with the flags of os.OpenFile. It
// follows no link and waits for nothing. The file must be regular, belong to this user or to the
// store's owner, and be writable by nobody who may not write the store too, else the error is
// ErrUntrusted. A file that does not exist is fs.ErrNotExist.
func Open(path, storePath string, flag int) (*os.File, error) {
	f, err := openNoFollow(path, flag)
	if err != nil {
		if info, lerr := os.Lstat(path); lerr == nil && !info.Mode().IsRegular() {
			err = fmt.Errorf("%w: %s is a link, a folder or a device", ErrUntrusted, path)
		}
		return nil, err
	}
	info, err := f.Stat()
	if err == nil {
		err = trusted(path, info, storePath)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// othersWrite is the permission of others than the owner to write.
const othersWrite fs.FileMode = 0o022

func trusted(path string, info os.FileInfo, storePath string) error {
	own, err := os.Stat(storePath)
	if err != nil {
		own = nil
	}
	switch {
	case !info.Mode().IsRegular():
		return fmt.Errorf("%w: %s is no regular file", ErrUntrusted, path)
	case !ours(info, own):
		return fmt.Errorf("%w: %s belongs to another user", ErrUntrusted, path)
	// On a file system without permissions every file looks so, the store too.
	case info.Mode()&othersWrite != 0 && (own == nil || own.Mode()&othersWrite != info.Mode()&othersWrite):
		return fmt.Errorf("%w: others may write %s", ErrUntrusted, path)
	}
	return nil
}
