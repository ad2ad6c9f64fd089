// Package regular reads the files that settings name: without waiting, and within a bound.
package regular

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// Read reads a regular file of at most so many bytes, through links too. It never waits for another
// process, as the opening of a named pipe would, and it keeps no more than the bound in memory.
func Read(path string, most int64) ([]byte, error) {
	info, err := os.Stat(path) // before the opening, which alone may move a device
	if err == nil {
		err = judge(info.Mode())
	}
	if err != nil {
		return nil, cannotRead(err)
	}
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, cannotRead(err)
	}
	defer file.Close()                       //nolint:errcheck // only read
	if info, err = file.Stat(); err == nil { // another file may have taken its place
		err = judge(info.Mode())
	}
	if err != nil {
		return nil, cannotRead(err)
	}
	data, err := io.ReadAll(io.LimitReader(file, most+1))
	switch {
	case err != nil:
		return nil, cannotRead(err)
	case int64(len(data)) > most:
		return nil, fmt.Errorf("the file is larger than %d KiB", most>>10)
	}
	return data, nil
}

// cannotRead leaves the path out of an error: the caller names the setting.
func cannotRead(err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		err = p.Err
	}
	return fmt.Errorf("cannot be read: %w", err)
}

// judge refuses what is no regular file, by its name.
func judge(mode fs.FileMode) error {
	what := "no regular file"
	switch mode.Type() {
	case 0:
		return nil
	case fs.ModeDir:
		what = "a directory"
	case fs.ModeNamedPipe:
		what = "a named pipe"
	case fs.ModeSocket:
		what = "a socket"
	case fs.ModeDevice, fs.ModeDevice | fs.ModeCharDevice:
		what = "a device"
	}
	return fmt.Errorf("it is %s: name a regular file, or a link to one", what)
}
