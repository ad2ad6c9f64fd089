package demo

import (
	"errors"
	"net/http"
	"os"
	"strings"
)

// folderWithoutLists serves files, and folders that have an index page.
type folderWithoutLists struct{ fs http.FileSystem }

func (f folderWithoutLists) Open(name string) (http.File, error) {
	file, err := f.fs.Open(name)
	if err != nil {
		return nil, err
	}
	if info, err := file.Stat(); err == nil && info.IsDir() {
		index, err := f.fs.Open(strings.TrimSuffix(name, "/") + "/index.html")
		if err != nil {
			return nil, errors.Join(os.ErrNotExist, file.Close())
		}
		if err := index.Close(); err != nil {
			return nil, err
		}
	}
	return file, nil
}
