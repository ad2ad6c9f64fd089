package catalog

import (
	"context"
	"errors"
	"io/fs"
	"iter"
	"os"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
)

// A stamped record is one of ours, with its file's name without extension.
type stamped struct {
	*record
	name string
}

// stamped ranges over those of the records that are ours and can be read. A copy that somebody made
// under another name is not one of them; a record that cannot be read as JSON is logged and passed
// over, since nothing says whose it is.
func (c *catalog) stamped(ctx context.Context, names []string) iter.Seq2[stamped, error] {
	return func(yield func(stamped, error) bool) {
		for _, name := range names {
			if err := ctx.Err(); err != nil {
				yield(stamped{}, err)
				return
			}
			r, err := c.load(name)
			switch {
			case errors.Is(err, fs.ErrNotExist), errors.Is(err, errForeign):
				continue
			case err != nil && isDiskError(err):
				yield(stamped{}, c.explain("read "+recordPath(name), err))
				return
			case err != nil:
				c.log.WarnContext(ctx, "catalogue record passed over", "file", recordPath(name), "error", err)
				continue
			}
			if !yield(stamped{r, name}, nil) {
				return
			}
		}
	}
}

func (c *catalog) listed(s stamped) shopadapter.Listed {
	return shopadapter.Listed{
		Ref: shopadapter.Ref{
			Publication: shopadapter.PublicationID(s.Stamp.Publication),
			Listing:     shopadapter.ListingID(s.name),
		},
		Listing: shopadapter.Listing{
			ID: shopadapter.ListingID(s.name), URL: c.renderer.page(s.name),
			OnSale: s.Stamp.OnSale && c.folder.has(pagePath(s.name)),
		},
	}
}

// names lists the records, ours or not, without extension; none where there is no folder yet.
func (f *folder) names() ([]string, error) {
	entries, err := os.ReadDir(f.abs(productsFolder))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	names := make([]string, 0, len(entries)/2)
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), ".json"); ok && e.Type().IsRegular() {
			names = append(names, name)
		}
	}
	return names, nil
}

func (f *folder) has(path string) bool {
	info, err := os.Lstat(f.abs(path))
	return err == nil && info.Mode().IsRegular()
}
