package catalog

import (
	"io"
	"log/slog"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
)

// adapterName is the name under which the adapter is registered.
const adapterName = "catalog"

func init() {
	shopadapter.Register(adapterName, shopadapter.Factory{
		Summary:  "a folder of web pages, one JSON file and one page a product",
		Settings: settings{},
		Open:     func(o shopadapter.Options) (shopadapter.Adapter, error) { return open(o) },
	})
}

type settings struct {
	Dir string          `env:"DIR, default=catalog" meaning:"folder of the catalogue; made where there is none"`
	URL shopadapter.URL `env:"URL" meaning:"address of that folder, reported with each product; required with run"`
}

// A catalog is the adapter. Its methods may be called at the same time for different publications.
type catalog struct {
	folder   *folder
	renderer *renderer
	index    *index
	log      *slog.Logger
}

var _ interface {
	shopadapter.Adapter
	io.Closer
} = (*catalog)(nil)

// open makes the adapter and touches no disk: a folder that is not there yet, or not mounted, is
// Check's and Publish's to report.
func open(o shopadapter.Options) (*catalog, error) {
	var set settings
	o, err := o.Complete(adapterName, &set)
	if err != nil {
		return nil, err
	}
	renderer, err := newRenderer()
	if err != nil {
		return nil, err
	}
	renderer.base = strings.TrimRight(string(set.URL), "/")
	f := &folder{dir: set.Dir}
	return &catalog{folder: f, renderer: renderer, index: newIndex(f, renderer, o.Logger), log: o.Logger}, nil
}
