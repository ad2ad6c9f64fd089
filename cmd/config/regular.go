package config

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// readRegular reads a regular file of at most so many bytes, through links too. It never waits for
// another process, as the opening of a named pipe would. Its errors leave out the path: the caller
// names the setting.
func readRegular(path string, most int64) ([]byte, error) {
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, cannotRead(err)
	}
	defer file.Close() //nolint:errcheck // only read
	info, err := file.Stat()
	if err != nil {
		return nil, cannotRead(err)
	}
	if !info.Mode().IsRegular() {
		kinds := map[fs.FileMode]string{
			fs.ModeDir: "a directory", fs.ModeNamedPipe: "a named pipe", fs.ModeDevice | fs.ModeCharDevice: "a device",
		}
		what := cmp.Or(kinds[info.Mode().Type()], "no regular file")
		return nil, fmt.Errorf("it is %s: name a regular file, or a link to one", what)
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

func cannotRead(err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		err = p.Err
	}
	return fmt.Errorf("cannot be read: %w", err)
}
