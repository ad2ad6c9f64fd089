package catalog

import (
	"io"
	"testing"

	"github.com/pubsync/pubsync/shopadapter"
)

func TestRegistered(t *testing.T) {
	dir := t.TempDir()
	a, err := shopadapter.Open("catalog", shopadapter.Options{Settings: map[string]string{"DIR": dir + "/new"}})
	if err != nil {
		t.Fatal(err)
	}
	if found := files(t, &catalog{folder: &folder{dir: dir}}); len(found) != 0 {
		t.Errorf("files made by opening: got %v, want none", found)
	}
	if _, err := a.Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := a.(io.Closer).Close(); err != nil {
		t.Fatal(err)
	}
	if found := files(t, &catalog{folder: &folder{dir: dir}}); len(found) != 0 {
		t.Errorf("files left by a check: got %v, want none", found)
	}
	if a, err := open(shopadapter.Options{Settings: map[string]string{"DIR": dir, "URL": "file:///x"}}); err == nil ||
		a != nil {
		t.Errorf("a file address: got %v, %v, want an error", a, err)
	}
}
