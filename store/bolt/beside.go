package bolt

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// ErrBeside says that a file beside the store is none that the store's owner made: a link, no
// regular file, another user's, or one that others may write.
var ErrBeside = errors.New("file beside the store cannot be trusted")

// OpenBeside opens a file that lies beside the store at storePath, with the flags of os.OpenFile.
// Links are not followed, and nothing is waited for. The file must be regular, belong to this user
// or to the store's owner, and be writable by nobody who may not write the store too: else the
// error is ErrBeside. A file that is not there is fs.ErrNotExist.
func OpenBeside(path, storePath string, flag int) (*os.File, error) {
	f, err := openNoFollow(path, flag)
	if err != nil {
		if info, lerr := os.Lstat(path); lerr == nil && !info.Mode().IsRegular() {
			err = fmt.Errorf("%w: %s is a link, a folder or a device", ErrBeside, path)
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
		return fmt.Errorf("%w: %s is no regular file", ErrBeside, path)
	case !ours(info, own):
		return fmt.Errorf("%w: %s belongs to another user", ErrBeside, path)
	// On a file system without permissions every file looks so, the store too.
	case info.Mode()&othersWrite != 0 && (own == nil || own.Mode()&othersWrite != info.Mode()&othersWrite):
		return fmt.Errorf("%w: others may write %s", ErrBeside, path)
	}
	return nil
}
