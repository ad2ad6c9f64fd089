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
		t.Errorf("opening made %v", found)
	}
	if err := a.(shopadapter.Checker).Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, ok := a.(shopadapter.Lister); !ok {
		t.Error("it cannot list")
	}
	if err := a.(io.Closer).Close(); err != nil {
		t.Fatal(err)
	}
	if found := files(t, &catalog{folder: &folder{dir: dir}}); len(found) != 0 {
		t.Errorf("a check left %v", found)
	}
	if a, err := open(shopadapter.Options{Settings: map[string]string{"DIR": dir, "URL": "file:///x"}}); err == nil ||
		a != nil {
		t.Errorf("a file address: %v, %v", a, err)
	}
}

func TestSettings(t *testing.T) {
	f, _ := shopadapter.Lookup("catalog")
	for _, s := range f.List() {
		if s.Required || s.Secret || s.Meaning == "" {
			t.Errorf("setting %+v", s)
		}
	}
}
