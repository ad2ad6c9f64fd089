package sandbox

import (
	"cmp"
	_ "embed" // of the catalogue
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// A template is one product of the catalogue, from which any number of publications can be made.
type template struct {
	Name    string   // lower-case words, stable: "sixty-variants"
	Flaw    string   // why it cannot be put on sale whole; empty where it can
	Listing *Listing // nil: the entry has none
}

// A category is a node of the tree. Products lie at depth 2.
type category struct {
	Path, Parent string
	Depth        int
	Names        map[string]string // by language
}

//go:embed catalogue.json
var catalogue []byte

// shelf reads the catalogue, once. Its categories have parents before children.
var shelf = sync.OnceValue(func() (s struct {
	Categories []category
	Products   []template
},
) {
	if err := json.Unmarshal(catalogue, &s); err != nil {
		panic("sandbox: catalogue.json: " + err.Error())
	}
	return s
})

// AddCatalogue puts n publications on the import list, one of each product where n is below 0, and returns
// their ids. It goes through the catalogue again and again. But for two products that share a SKU on
// purpose, each publication has ids, SKUs and EANs of its own.
func (m *Marketplace) AddCatalogue(n int) []string {
	if n < 0 {
		n = len(shelf().Products)
	}
	return m.fill(n, func(template) bool { return true })
}

// AddSound is AddCatalogue with only those products that can be put on sale whole.
func (m *Marketplace) AddSound(n int) []string {
	return m.fill(n, func(t template) bool { return t.Flaw == "" })
}

// fill makes n publications of the templates that are wanted, none where there is no such.
func (m *Marketplace) fill(n int, wanted func(template) bool) []string {
	templates := slices.DeleteFunc(slices.Clone(shelf().Products), func(t template) bool { return !wanted(t) })
	var all []Publication
	m.locked(func() {
		for range min(n, n*len(templates)) {
			l := templates[m.templates%len(templates)].Listing.clone()
			l.distinguish(m.templates, m.templates/len(templates)+1)
			all = append(all, Publication{Listing: l})
			m.templates++
		}
	})
	return m.Add(all...)
}

// distinguish gives a template's listing EANs of the n-th publication, and SKUs and titles of a round.
func (l *Listing) distinguish(n, round int) {
	if l == nil {
		return
	}
	for i := range l.Variants {
		v := &l.Variants[i]
		v.EAN = cmp.Or(v.EAN, ean(n*100+i))
		if article, variant, found := strings.Cut(v.SKU, "-"); found && round > 1 {
			v.SKU = fmt.Sprint(article, round, "-", variant)
		}
	}
	for lang, text := range l.Texts {
		if round > 1 && text.Title != "" {
			text.Title = fmt.Sprintf("%s No. %d", text.Title, round)
			l.Texts[lang] = text
		}
	}
}

func ean(n int) string {
	digits := fmt.Sprintf("29%010d", n%10_000_000_000)
	sum := 0
	for i, d := range digits {
		sum += int(d-'0') * (1 + i%2*2)
	}
	return digits + strconv.Itoa((10-sum%10)%10)
}

//go:embed picture.png
var picture []byte

func servePicture(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "image/png")
	_, _ = w.Write(picture) // a client that is gone does not read it
}
