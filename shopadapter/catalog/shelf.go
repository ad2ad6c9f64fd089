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

const perPage = 60 // products on an index page; the front page holds the newest 60 to 119

// A shelf is what the index shows: a card for each product on sale, newest first, on the pages of
// the whole range and of each category. It remembers what it read and wrote, so that another look
// costs one lstat a product. Not for use by two goroutines at a time.
type shelf struct {
	folder   *folder
	renderer *renderer
	read     map[string]reading   // by file name, without extension
	written  map[string]rendition // by page path
}

// A reading is what a record said, good for as long as its file is the same one.
type reading struct {
	info fs.FileInfo // nil: it could not be read
	card *card       // nil: not on sale, or no record of ours
}

// A rendition is a page as it was written.
type rendition struct {
	sum  [sha256.Size]byte // of what the page shows
	info fs.FileInfo
}

func newShelf(f *folder, r *renderer) *shelf {
	return &shelf{folder: f, renderer: r, read: map[string]reading{}, written: map[string]rendition{}}
}

// refresh looks at every record, writes the pages that changed, and removes those that are no more.
// touched names the records that must be read again even if their files look the same.
func (s *shelf) refresh(touched map[string]bool) error {
	cards, err := s.survey(touched)
	if err != nil {
		return err
	}
	pages := s.arrange(cards)
	keep := make(map[string]bool, len(pages))
	for _, page := range pages {
		keep[page.path] = true
		if err := s.put(page); err != nil {
			return err
		}
	}
	return s.tidy(keep)
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

// arrange puts the cards on pages. Pages are cut from the oldest card on, so that a new card
// changes the front page alone until that is full.
func (s *shelf) arrange(cards []*card) []indexPage {
	type category struct {
		link
		cards []*card
	}
	byStem := map[string]*category{}
	for _, c := range cards {
		if c.stem == "" {
			continue
		}
		if byStem[c.stem] == nil {
			byStem[c.stem] = &category{link: link{Text: c.category, Href: c.stem + ".html"}}
		}
		byStem[c.stem].cards = append(byStem[c.stem].cards, c)
	}
	categories := make([]*category, 0, len(byStem))
	for _, c := range byStem {
		categories = append(categories, c)
	}
	slices.SortFunc(categories, func(a, b *category) int {
		return cmp.Or(cmp.Compare(strings.ToLower(a.Text), strings.ToLower(b.Text)), cmp.Compare(a.Href, b.Href))
	})
	nav := make([]link, 0, len(categories))
	if len(categories) > 1 {
		for _, c := range categories {
			nav = append(nav, c.link)
		}
	}
	words := wordsFor(commonLanguage(cards))
	pages := paged(nil, indexPage{Words: words, Nav: nav, Title: words.Catalogue}, cards, "index", "page")
	for _, c := range categories {
		stem := strings.TrimSuffix(c.Href, ".html")
		pages = paged(
			pages,
			indexPage{Words: words, Nav: nav, Title: c.Text, Category: true, Current: c.Href},
			c.cards,
			stem,
			stem,
		)
	}
	return pages
}

// paged appends the pages of one row of cards: the front page, and behind it page 1, the oldest, up
// to the newest full one.
func paged(pages []indexPage, like indexPage, cards []*card, front, stem string) []indexPage {
	full := max(len(cards)/perPage-1, 0)
	at := func(k int) string {
		switch {
		case k < 1:
			return ""
		case k > full:
			return front + ".html"
		default:
			return fmt.Sprintf("%s-%d.html", stem, k)
		}
	}
	for k := full + 1; k >= 1; k-- {
		p := like
		p.path, p.Older, p.Front = at(k), at(k-1), at(full+1)
		newest, oldest := len(cards)-k*perPage, len(cards)-(k-1)*perPage
		if k > full {
			newest, p.Total = 0, len(cards)
		} else {
			p.Newer = at(k + 1)
		}
		p.Cards = cards[newest:oldest]
		pages = append(pages, p)
	}
	return pages
}

// put writes a page, unless it stands there as it was written last time or says the same.
func (s *shelf) put(p indexPage) error {
	shows, err := json.Marshal(p)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(shows)
	last, known := s.written[p.path]
	if known && last.sum == sum {
		if info, err := os.Lstat(s.folder.abs(p.path)); err == nil && sameFile(last.info, info) {
			return nil
		}
	}
	html, err := s.renderer.index(p)
	if err != nil {
		return err
	}
	if err := s.folder.replace(context.Background(), file{p.path, html}); err != nil {
		return fmt.Errorf("put %s: %w", p.path, err)
	}
	info, err := os.Lstat(s.folder.abs(p.path))
	if err != nil {
		return err
	}
	s.written[p.path] = rendition{sum, info}
	return nil
}

// tidy removes the index pages of ours that are not among those to keep.
func (s *shelf) tidy(keep map[string]bool) error {
	entries, err := os.ReadDir(s.folder.abs(""))
	if err != nil {
		return err
	}
	for _, e := range entries {
		name := e.Name()
		if keep[name] || !strings.HasSuffix(name, ".html") ||
			!strings.HasPrefix(name, "page-") && !strings.HasPrefix(name, "category-") {
			continue
		}
		delete(s.written, name)
		if page, err := s.folder.read(name); err != nil || !isOurs(page) {
			continue
		}
		if err := s.folder.remove(name); err != nil {
			return err
		}
	}
	return nil
}

// commonLanguage is the language of most cards, the first in the alphabet where several are as
// frequent.
func commonLanguage(cards []*card) string {
	count := map[string]int{}
	for _, c := range cards {
		count[c.Lang]++
	}
	best := ""
	for lang, n := range count {
		if n > count[best] || n == count[best] && lang < best {
			best = lang
		}
	}
	return best
}

// stemOf is the stem of the pages of a product's category and its name for people; "" and "" for
// none.
func stemOf(c shopadapter.Category) (stem, name string) {
	if name = c.Name; len(c.Branch) > 0 {
		name = c.Trail(" › ")
	}
	if name == "" {
		name = titled(c.Path)
	}
	id := c.Path
	if id == "" {
		id = c.Name
	}
	if id == "" {
		return "", ""
	}
	return categoryStem(id), name
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
