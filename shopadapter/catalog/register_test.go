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
	if a, err := open(shopadapter.Options{Settings: map[string]string{"DIR": dir, "URL": "file:///x"}}); err == nil || a != nil {
		t.Errorf("a file address: %v, %v", a, err)
	}
	if a, err := open(shopadapter.Options{}); err == nil || a != nil {
		t.Errorf("no folder: %v, %v", a, err)
	}
}

func TestSettings(t *testing.T) {
	f, _ := shopadapter.Lookup("catalog")
	for _, s := range f.Settings {
		if s.Required || s.Secret || s.Meaning == "" {
			t.Errorf("setting %+v", s)
		}
	}
	for value, good := range map[string]bool{
		"https://shop.example.com": true, "http://127.0.0.1:9464/catalog/": true, "https://shop.example.com/a%20b": true, "http://[::1]:80": true,
		"": false, "shop.example.com": false, "/srv/www": false, "file:///srv/www": false, "ftp://shop.example.com": false, "https://": false,
		"https://me:secret@shop.example.com": false, "https://shop.example.com/?a=b": false, "https://shop.example.com/?": false,
		"https://shop.example.com/#x": false, "https://shop.example.com/#": false, "http://[::1": false, "https:shop": false,
	} {
		if err := validURL(value); (err == nil) != good {
			t.Errorf("URL %q: %v", value, err)
		}
	}
}
