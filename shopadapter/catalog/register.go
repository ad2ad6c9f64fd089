package catalog

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
)

func init() {
	shopadapter.Register("catalog", shopadapter.Factory{
		Summary: "a folder of web pages, one JSON file and one page a product",
		Settings: []shopadapter.Setting{
			{Name: "DIR", Default: "catalog", Meaning: "folder that the catalogue is written to; made where there is none"},
			{
				Name:    "URL",
				Meaning: "address under which the folder is served, reported with each product; required with run, without it no address is reported",
				Valid:   validURL,
			},
		},
		Open: open,
	})
}

// A catalog is the adapter. Its methods may be called at the same time for different publications.
type catalog struct {
	folder *folder
	look   *look
	index  *index
	base   string // address of the folder without a slash at its end; "" when it is not served
	log    *slog.Logger
}

var _ interface {
	shopadapter.Adapter
	shopadapter.Lister
	shopadapter.Checker
	io.Closer
} = (*catalog)(nil)

// open makes the adapter and touches no disk: a folder that is not there yet, or not mounted, is Check's and Publish's to report.
func open(o shopadapter.Options) (shopadapter.Adapter, error) {
	c, err := newCatalog(o)
	if err != nil {
		return nil, err // not c: a nil *catalog in an interface is not nil
	}
	return c, nil
}

func newCatalog(o shopadapter.Options) (*catalog, error) {
	dir, base := o.Settings["DIR"], strings.TrimRight(o.Settings["URL"], "/")
	if dir == "" {
		return nil, errors.New("catalog DIR: name a folder")
	}
	if base != "" {
		if err := validURL(base); err != nil {
			return nil, fmt.Errorf("catalog URL: not %w", err)
		}
	}
	look, err := newLook()
	if err != nil {
		return nil, err
	}
	log := o.Logger
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	f := &folder{dir: dir}
	return &catalog{folder: f, look: look, index: newIndex(f, look, log), base: base, log: log}, nil
}

// validURL accepts the address of a folder: absolute http(s), nothing after the path.
func validURL(value string) error {
	u, err := url.Parse(value)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil ||
		u.RawQuery != "" || u.ForceQuery || strings.Contains(value, "#") {
		return errors.New("an absolute http or https address without user, query and fragment, for example https://shop.example.com/catalogue")
	}
	return nil
}

// address is where a customer sees the product, "" where the folder is not served.
func (c *catalog) address(name string) string {
	if c.base == "" {
		return ""
	}
	return c.base + "/" + productsFolder + "/" + name + ".html"
}
