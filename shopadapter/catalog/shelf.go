package catalog

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"unicode"

	"github.com/pubsync/pubsync/shopadapter"
)

// A shelf is what the index shows: a card for each product on sale, newest first. It remembers what
// it read and wrote, so that another look costs one lstat a product. Not for use by two goroutines
// at a time.
type shelf struct {
	folder   *folder
	renderer *renderer
	read     map[string]reading // by file name, without extension
	written  rendition
}

// A reading is what a record said, good for as long as its file is the same one.
type reading struct {
	info fs.FileInfo // nil: it could not be read
	card *card       // nil: not on sale, or no record of ours
}

// A rendition is the index as it was written.
type rendition struct {
	sum  [sha256.Size]byte // of what it shows
	info fs.FileInfo
}

func newShelf(f *folder, r *renderer) *shelf {
	return &shelf{folder: f, renderer: r, read: map[string]reading{}}
}

// refresh looks at every record, and writes the index where it changed. touched names the records
// that must be read again even if their files look the same.
func (s *shelf) refresh(touched map[string]bool) error {
	cards, err := s.survey(touched)
	if err != nil {
		return err
	}
	return s.put(cards)
}

// survey is the cards of all products on sale, newest first.
func (s *shelf) survey(touched map[string]bool) ([]*card, error) {
	entries, err := os.ReadDir(s.folder.abs(productsFolder))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	pages := make(map[string]bool, len(entries)/2)
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), ".html"); ok {
			pages[name] = true
		}
	}
	now := make(map[string]reading, len(entries)/2)
	cards := make([]*card, 0, len(entries)/2)
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), ".json")
		if !ok || !e.Type().IsRegular() {
			continue
		}
		info, err := e.Info()
		if err != nil {
			continue // removed meanwhile: that goroutine asks for another pass
		}
		r, known := s.read[name]
		if !known || touched[name] || r.info == nil || !sameFile(r.info, info) {
			r = s.readAgain(name, r, info)
		}
		now[name] = r
		if r.card != nil && pages[name] {
			cards = append(cards, r.card)
		}
	}
	s.read = now
	slices.SortFunc(cards, func(a, b *card) int {
		return cmp.Or(cmp.Compare(b.created, a.created), cmp.Compare(a.Href, b.Href))
	})
	return cards, nil
}

// readAgain reads a record. One that cannot be read now, because the disk fails or an editor has it
// open, keeps its card: its page is still there. The next pass reads it again.
func (s *shelf) readAgain(name string, last reading, info fs.FileInfo) reading {
	data, err := s.folder.read(recordPath(name))
	var r *record
	if err == nil {
		r, err = decode(name, data)
	}
	switch {
	case err == nil && r.Stamp.OnSale:
		return reading{info, newCard(name, r)}
	case err == nil, errors.Is(err, errForeign), errors.Is(err, fs.ErrNotExist):
		return reading{info, nil}
	default:
		return reading{nil, last.card}
	}
}

func sameFile(a, b fs.FileInfo) bool {
	return os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
}

// put writes the index, unless it stands there as it was written last time.
func (s *shelf) put(cards []*card) error {
	shows, err := json.Marshal(cards)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(shows)
	if last := s.written; last.info != nil && last.sum == sum {
		if info, err := os.Lstat(s.folder.abs(indexPath)); err == nil && sameFile(last.info, info) {
			return nil
		}
	}
	html, err := s.renderer.index(cards)
	if err != nil {
		return err
	}
	if err := s.folder.replace(context.Background(), file{indexPath, html}); err != nil {
		return fmt.Errorf("put %s: %w", indexPath, err)
	}
	info, err := os.Lstat(s.folder.abs(indexPath))
	if err != nil {
		return err
	}
	s.written = rendition{sum, info}
	return nil
}

// categoryName is a product's category for people; "" for none.
func categoryName(c shopadapter.Category) string {
	switch {
	case len(c.Branch) > 0:
		return c.Trail(" › ")
	case c.Name != "":
		return c.Name
	default:
		return titled(c.Path)
	}
}

// titled makes a path such as HOME_GARDEN presentable: Home garden.
func titled(path string) string {
	s := []rune(strings.ToLower(strings.TrimSpace(strings.ReplaceAll(path, "_", " "))))
	if len(s) == 0 {
		return path
	}
	s[0] = unicode.ToUpper(s[0])
	return string(s)
}
