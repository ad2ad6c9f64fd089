package conform

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/laws"
)

// pagedDetails are the details that are looked for on the page at a listing's address. The values of
// others are so short that a price or a quantity may look like one.
func pagedDetails() []string {
	return []string{"brand", "ean", "weight", "length", "leadTime", "tags", "materials"}
}

// wholeProduct is the place of a value that all variants share.
const wholeProduct = ""

// given is what PUTs gave of each detail: by its name and the id of a variant, the last value that
// was to be written, and by its name all values so far.
type given struct {
	last map[string]map[string]string
	ever map[string][]string
}

// with is g after another body, as far as its details can be read.
func (g given) with(body []byte) given {
	var p struct {
		Changed  []string
		Brand    string
		Variants []struct {
			ID, EAN string
			shopadapter.Details
		}
	}
	if json.Unmarshal(body, &p) != nil {
		return g
	}
	next := given{map[string]map[string]string{}, map[string][]string{}}
	for _, name := range pagedDetails() {
		next.last[name], next.ever[name] = g.last[name], slices.Clone(g.ever[name])
	}
	set := func(group, name string, values map[string]string) {
		if g.last != nil && !slices.Contains(p.Changed, group) {
			return
		}
		next.last[name] = values
		for _, value := range values {
			if value != "" && !slices.Contains(next.ever[name], value) {
				next.ever[name] = append(next.ever[name], value)
			}
		}
	}
	set("brand", "brand", map[string]string{wholeProduct: p.Brand})
	values := map[string]map[string]string{}
	for _, name := range pagedDetails() {
		values[name] = map[string]string{}
	}
	for _, v := range p.Variants {
		values["ean"][v.ID] = v.EAN
		for _, one := range v.List() {
			if values[one.Name] != nil {
				values[one.Name][v.ID] = one.Value
			}
		}
	}
	for _, name := range pagedDetails() {
		switch name {
		case "brand":
		case "ean":
			set("variants", name, values[name])
		default:
			set("details", name, values[name])
		}
	}
	return next
}

// on is what a page shows of a detail of a variant: the value that was given last, "" where that is
// not there, or else one that was given before and should have gone.
func (g given) on(page, name, variant string) string {
	values := g.last[name]
	for _, old := range g.ever[name] {
		current := false
		for _, value := range values {
			current = current || value == old
		}
		if !current && holds(page, old) {
			return old
		}
	}
	if value := values[variant]; holds(page, value) {
		return value
	}
	return ""
}

// shows reports whether a page shows every value of a detail, and there is one.
func (g given) shows(page, name string) bool {
	for _, value := range g.last[name] {
		if !holds(page, value) {
			return false
		}
	}
	return len(g.last[name]) > 0
}

// holds reports whether a page's text holds a value as a word of its own.
func holds(page, value string) bool {
	if value == "" {
		return false
	}
	pattern := `(^|[^\w.,])` + regexp.QuoteMeta(laws.Plain(value)) + `($|[^\w.,])`
	found, err := regexp.MatchString(pattern, page)
	return err == nil && found
}

// addDetails adds to what is seen of a listing the details that its page shows.
func (d *driver) addDetails(seen *laws.Seen, h held, page string) {
	for _, name := range d.offer.details {
		if name == "brand" {
			seen.Details = map[string]string{name: h.given.on(page, name, wholeProduct)}
			continue
		}
		for i := range seen.Variants {
			v := &seen.Variants[i]
			if v.Details == nil {
				v.Details = map[string]string{}
			}
			v.Details[name] = h.given.on(page, name, v.ID)
		}
	}
}

// titleOn is the longest of the titles put so far that a page shows.
func (h held) titleOn(page string) (title string, ok bool) {
	for _, t := range h.titles {
		if strings.Contains(page, laws.Plain(t)) && len(t) > len(title) {
			title, ok = t, true
		}
	}
	return title, ok
}
