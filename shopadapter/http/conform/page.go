package conform

import (
	"context"
	"io"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/laws"
)

// A put is the body of a PUT.
type put struct {
	shopadapter.Product
	Changed []string
}

// paged are the details that are looked for on the page at a listing's address, by their group. The
// values of others are so short that a price or a quantity may look like one.
func paged() map[string]string {
	return map[string]string{
		"brand": "brand", "ean": "variants", "weight": "details", "length": "details", "leadTime": "details",
		"tags": "details", "materials": "details",
	}
}

// details are what PUTs gave of each detail: by its name and the id of a variant the value that is
// to stand, and by its name every value so far. The brand is given once, for the variant "".
type details struct {
	stand map[string]map[string]string
	ever  map[string][]string
}

// with is d after another PUT.
func (d details) with(p put) details {
	values := map[string]map[string]string{"brand": {"": p.Brand}}
	for name := range paged() {
		if name != "brand" {
			values[name] = map[string]string{}
		}
	}
	for _, v := range p.Variants {
		values["ean"][v.ID] = v.EAN
		for _, one := range v.List() {
			if values[one.Name] != nil {
				values[one.Name][v.ID] = one.Value
			}
		}
	}
	next := details{stand: values, ever: map[string][]string{}}
	for name, group := range paged() {
		if d.stand != nil && !slices.Contains(p.Changed, group) {
			next.stand[name] = d.stand[name]
		}
		next.ever[name] = slices.AppendSeq(slices.Clone(d.ever[name]), maps.Values(next.stand[name]))
	}
	return next
}

// on is what a page shows of a detail of a variant: one that was given before and should have gone,
// or the value that is to stand, "" where that is not there.
func (d details) on(page, name, variant string) string {
	current := slices.Collect(maps.Values(d.stand[name]))
	for _, old := range d.ever[name] {
		if !slices.Contains(current, old) && holds(page, old) {
			return old
		}
	}
	if value := d.stand[name][variant]; holds(page, value) {
		return value
	}
	return ""
}

// holds reports whether a page's text holds a value as a word of its own.
func holds(page, value string) bool {
	pattern := `(^|[^\w.,])` + regexp.QuoteMeta(laws.Plain(value)) + `($|[^\w.,])`
	found, err := regexp.MatchString(pattern, page)
	return err == nil && found && value != ""
}

// shownOn are the details of which a page shows every value.
func (d details) shownOn(page string) (names []string) {
	for _, name := range slices.Sorted(maps.Keys(paged())) {
		missing := func(value string) bool { return !holds(page, value) }
		if values := slices.Collect(maps.Values(d.stand[name])); len(values) > 0 && !slices.ContainsFunc(values, missing) {
			names = append(names, name)
		}
	}
	return names
}

// page is the text of the page at the listing's address, and the longest of the titles put so far
// that it shows.
func (d *driver) page(ctx context.Context, h held) (text, title string) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, h.answer.URL, nil)
	if err != nil || h.answer.URL == "" {
		return "", ""
	}
	// The page is a visitor's: it is asked for without the token, and may lie elsewhere. What a
	// cache kept of it would tell of the past.
	req.Header.Set("Cache-Control", "no-cache")
	client := http.Client{Transport: d.next, Timeout: pageTime}
	res, err := client.Do(req)
	if err != nil {
		return "", ""
	}
	defer res.Body.Close() //nolint:errcheck // only read
	data, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	if err != nil || res.StatusCode != http.StatusOK {
		return "", ""
	}
	text = laws.Plain(string(data))
	for _, t := range h.titles {
		if strings.Contains(text, laws.Plain(t)) && len(t) > len(title) {
			title = t
		}
	}
	return text, title
}
