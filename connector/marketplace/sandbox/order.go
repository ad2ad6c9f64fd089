package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"
)

// An Order is one thing that suppliers, the retailer or the marketplace do while a connector works.
// Its JSON form is the body of POST /sandbox/orders. The help is that of the command sandbox do.
type Order struct {
	Do       []string `json:"do" arg:"" name:"order" help:"What is to happen, as below."`
	Count    int      `json:"count,omitempty" help:"How many; 1 when it is not given."`
	On       Kind     `json:"on,omitempty" help:"Only requests of this kind: report, content, look or list."`
	Executed bool     `json:"executed,omitempty" help:"The request takes effect, and its answer alone is lost."`
	Next     int      `json:"next,omitempty" help:"End after so many requests; 0: with heal."`
}

// An Outcome says what an order did.
type Outcome struct {
	Do   string   `json:"do"`
	IDs  []string `json:"ids"`  // the publications that it concerned
	Said string   `json:"said"` // the event in words
}

// A way is how an order is carried out. carry returns the publications that it concerned and the
// event in words.
type way struct {
	usage, help string
	least, most int // words behind the first
	carry       func(*Marketplace, Order) (ids []string, said string, err error)
}

const (
	anyPublication = "any"  // in the place of an id lets the sandbox pick a publication
	many           = 10_000 // words of an order
)

var ways = map[string]way{
	"add":      {"[template] --count", "The retailer imports products.", 0, 1, orderAdd},
	"price":    {"<id> <amount> [key=value] ...", "Another price: 12.50, x1.1.", 2, many, supplies("price")},
	"stock":    {"<id> <quantity> [key=value] ...", "The supplier has another stock.", 2, many, supplies("stock")},
	"text":     {"<id> <title> [key=value] ...", "The supplier rewrites a text.", 2, many, supplies("title")},
	"images":   {"<id> <address,... or count>", "The supplier shows other pictures.", 2, many, supplies("pictures")},
	"variants": {"<id> <count>", "The supplier offers more variants, or fewer.", 2, many, supplies("variants")},
	"supply": {
		"<id> <key=value> ...", "The supplier changes msrp, cost, sku, title.nl, category ...; of=2: a variant.", 2, many,
		supplies(""),
	},
	"remove": {"<id> ...", "The retailer takes publications off the import list.", 1, many, orderRemove},
	"relist": {"<id> ...", "The retailer imports removed publications again.", 1, many, orderRelist},

	"revoke":    {"", "The marketplace refuses the token.", 0, 0, orderToken},
	"uninstall": {"", "The retailer removes the app: its token is refused for good.", 0, 0, orderToken},
	"heal":      {"", "Ends all that follows, and makes the token good again.", 0, 0, orderToken},

	"delay":          {"<span> --on --next", "The marketplace answers late, by 2s say.", 1, 1, fault()},
	"throttle":       {"--on --next", "It answers that it is throttled.", 0, 0, fault()},
	"refuse":         {"[id] ... --next", "It refuses reports.", 0, many, fault(KindReport)},
	"deny":           {"--next", "It denies the token every report.", 0, 0, fault(KindReport)},
	"server-error":   {"--on --executed --next", "It answers 502.", 0, 0, fault()},
	"internal-error": {"--on --executed --next", "It answers an internal error.", 0, 0, fault()},
	"cut":            {"--on --executed --next", "It ends the connection.", 0, 0, fault()},
	"empty-list":     {"--next", "The import list looks empty.", 0, 0, fault(KindList)},
	"odd":            {"<field> ... --next", "Fields of a listing are odd.", 1, many, fault(KindContent)},
	"object": {
		"<message> [id] ... --on --next", "It objects to requests, as to an invalid document.", 1, many,
		fault(KindReport, KindContent, KindLook, KindList),
	},
}

// Orders describes the orders in the form of a command's help, a line each.
func Orders() (lines []string) {
	for _, name := range slices.Sorted(maps.Keys(ways)) {
		lines = append(lines, fmt.Sprintf("%-46s %s", strings.TrimSpace(name+" "+ways[name].usage), ways[name].help))
	}
	return lines
}

// Carry carries out an order. An order with an error has changed nothing.
func (m *Marketplace) Carry(o Order) (Outcome, error) {
	if len(o.Do) == 0 {
		return Outcome{}, errors.New("no order is given")
	}
	name, words := o.Do[0], o.Do[1:]
	w, known := ways[name]
	switch {
	case !known:
		return Outcome{}, fmt.Errorf("no order %q: one of %s", name, strings.Join(slices.Sorted(maps.Keys(ways)), ", "))
	case len(words) < w.least || len(words) > w.most:
		return Outcome{}, fmt.Errorf("%s: it is written %s %s", name, name, w.usage)
	}
	ids, said, err := w.carry(m, o)
	if err != nil {
		return Outcome{}, fmt.Errorf("%s: %w", name, err)
	}
	done := Outcome{Do: name, IDs: slices.Concat([]string{}, ids), Said: said}
	m.tell(done)
	return done, nil
}

// all are the publications that words name. For any it picks one that can be sold: one that is on
// sale where there is one, and of these the one that was left alone longest.
func (m *Marketplace) all(words []string) (ids []string, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, word := range words {
		r := m.live(word)
		if word == anyPublication {
			for _, p := range m.listed(byUpdate) {
				if p.record.Listing.sellable() && (r == nil || p.record.Status == statusSuccess && r.Status != statusSuccess) {
					r = p.record
				}
			}
		}
		if r == nil {
			return nil, fmt.Errorf("the import list has no publication %q that can be sold", word)
		}
		ids = append(ids, r.ID)
	}
	return ids, nil
}

func (m *Marketplace) titles(ids ...string) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	titles := slices.Clone(ids)
	for i, id := range ids {
		if r := m.records[id]; r != nil && r.Listing.anyTitle() != "" {
			titles[i] = "“" + r.Listing.anyTitle() + "”"
		}
	}
	return strings.Join(titles, ", ")
}

func orderAdd(m *Marketplace, o Order) ([]string, string, error) {
	n, templates := max(o.Count, 1), shelf().Products
	if len(o.Do) > 1 {
		templates = slices.DeleteFunc(slices.Clone(templates), func(t Template) bool { return t.Name != o.Do[1] })
		if len(templates) == 0 {
			return nil, "", fmt.Errorf("the catalogue has no template %q", o.Do[1])
		}
	}
	ids := m.addTemplates(n, templates)
	if n == 1 {
		return ids, "the retailer imports " + m.titles(ids...), nil
	}
	return ids, fmt.Sprintf("the retailer imports %d products", n), nil
}

// supplies is an order by which a supplier changes one publication: its first word is the value of
// a key, the others are pairs.
func supplies(key string) func(*Marketplace, Order) ([]string, string, error) {
	return func(m *Marketplace, o Order) ([]string, string, error) {
		ids, err := m.all(o.Do[1:2])
		if err != nil {
			return nil, "", err
		}
		pairs := slices.Clone(o.Do[2:])
		if key != "" {
			pairs[0] = key + "=" + pairs[0]
		}
		said, before := fmt.Sprintf("the supplier changes %s: %s", m.titles(ids...), strings.Join(pairs, " ")), m.msrp(ids[0])
		err = m.Supply(ids[0], pairs)
		if after := m.msrp(ids[0]); before != after {
			said = fmt.Sprintf("the supplier changes the price of %s from %s to %s", m.titles(ids...), before, after)
		}
		return ids, said, err
	}
}

func (m *Marketplace) msrp(id string) string {
	if p, ok := m.Publication(id); ok && p.Listing != nil && len(p.Listing.Variants) > 0 {
		return p.Listing.Variants[0].MSRP
	}
	return ""
}

func orderRemove(m *Marketplace, o Order) ([]string, string, error) {
	ids, err := m.all(o.Do[1:])
	if err != nil {
		return nil, "", err
	}
	m.Remove(ids...)
	return ids, "the retailer takes " + m.titles(ids...) + " off the import list", nil
}

// orderRelist puts publications back, for any the one that changed last before it was removed.
func orderRelist(m *Marketplace, o Order) ([]string, string, error) {
	ids := slices.Clone(o.Do[1:])
	m.mu.Lock()
	for i, id := range ids {
		last := m.records[id]
		if id == anyPublication {
			for _, r := range m.records {
				if r.gone && (last == nil || r.UpdatedAt.After(last.UpdatedAt)) {
					last = r
				}
			}
		}
		if last == nil || !last.gone {
			m.mu.Unlock()
			return nil, "", fmt.Errorf("publication %q was not removed", id)
		}
		ids[i] = last.ID
	}
	m.mu.Unlock()
	m.Restore(ids...)
	return ids, "the retailer imports " + m.titles(ids...) + " again", nil
}

func orderToken(m *Marketplace, o Order) ([]string, string, error) {
	switch o.Do[0] {
	case "revoke":
		m.RevokeToken()
		return nil, "the token is revoked", nil
	case "uninstall":
		if m.RemoveApp() == 0 {
			return nil, "", errors.New("the app is not installed")
		}
		return nil, "the app is removed: its token is refused for good", nil
	default:
		m.Heal()
		m.SetToken(m.opts.Token)
		return nil, "all faults are over, and the token is good again", nil
	}
}

// fault is an order that puts the fault of its name in force for as long as it says, for requests of
// some kinds.
func fault(on ...Kind) func(*Marketplace, Order) ([]string, string, error) {
	return func(m *Marketplace, o Order) (_ []string, _ string, err error) {
		f, words := Fault{Kind: FaultKind(o.Do[0]), Next: o.Next, On: on, Executed: o.Executed}, o.Do[1:]
		if o.Next <= 0 {
			f.Next, f.Probability = 0, 1
		}
		if o.On != "" {
			f.On = []Kind{o.On}
		}
		switch f.Kind { //nolint:exhaustive // the others have no words but ids
		case Slow:
			if f.Delay, err = time.ParseDuration(words[0]); err != nil || f.Delay <= 0 {
				return nil, "", fmt.Errorf("%q is not a span such as 2s", words[0])
			}
			words = nil
		case OddShape:
			f.Fields, words = words, nil
		case Objection:
			f.Message, words = words[0], words[1:]
		}
		if f.IDs, err = m.all(words); err != nil {
			return nil, "", err
		}
		m.Inject(f)
		return f.IDs, "the marketplace is in trouble: " + strings.Join(o.Do, " "), nil
	}
}

// A Line is one publication in the control's list.
type Line struct {
	ID         string        `json:"id"`
	Status     string        `json:"status"`
	Title      string        `json:"title"`
	ProductURL string        `json:"productUrl"`
	UpdatedAt  string        `json:"updatedAt"`
	Variants   []VariantLine `json:"variants"`
}

// A VariantLine is one variant in the control's list.
type VariantLine struct {
	ID       string `json:"id"`
	SKU      string `json:"sku"`
	MSRP     string `json:"msrp"`
	Cost     string `json:"cost"`
	Quantity int    `json:"quantity"`
}

// serveControl answers GET /sandbox/publications, and carries out the order in the body of POST
// /sandbox/orders. It asks for no token, but a page in a browser cannot send JSON to another origin,
// so no web page gives orders.
func (m *Marketplace) serveControl(w http.ResponseWriter, r *http.Request, path string) {
	if path == "publications" {
		writeJSON(w, http.StatusOK, map[string]any{"publications": m.lines()})
		return
	}
	var order Order
	var done Outcome
	err := errors.New("there is GET /sandbox/publications, and POST /sandbox/orders of JSON")
	if path == "orders" && isJSON(r) {
		if err = json.NewDecoder(r.Body).Decode(&order); err == nil {
			done, err = m.Carry(order)
		}
	}
	if err != nil {
		writeJSON(w, http.StatusUnprocessableEntity, map[string]string{"error": err.Error()})
		return
	}
	writeJSON(w, http.StatusOK, done)
}

func (m *Marketplace) lines() []Line {
	lines := []Line{}
	for _, p := range m.Publications() {
		l := Line{p.ID, p.Status, p.Listing.anyTitle(), p.ProductURL, timestamp(p.UpdatedAt), []VariantLine{}}
		if p.Listing != nil {
			for _, v := range p.Listing.Variants {
				l.Variants = append(l.Variants, VariantLine{v.ID, v.SKU, v.MSRP, v.Cost, v.Quantity})
			}
		}
		lines = append(lines, l)
	}
	return lines
}

// day is the orders that Live gives, in their order. The doubled price is one that the price brake
// of a connector holds.
var day = [][]string{
	{"price", "any", "x1.08"},
	{"price", "any", "x2.2"},
	{"add"},
	{"stock", "any", "3"},
	{"supply", "any", "html=<p>A better description, as suppliers write them on a quiet afternoon.</p>"},
	{"price", "any", "x0.92"},
	{"images", "any", "2"},
	{"add"},
	{"variants", "any", "3"},
	{"stock", "any", "0"},
	{"remove", "any"},
	{"relist", "any"},
}

// Live carries out an order every so often until ctx ends, the first within a second.
func (m *Marketplace) Live(ctx context.Context, every time.Duration) {
	for n, next := 0, min(every, time.Second); ; n, next = n+1, every {
		select {
		case <-ctx.Done():
			return
		case <-time.After(next):
		}
		// an empty list has no product: the next order may be an import
		_, _ = m.Carry(Order{Do: day[n%len(day)]}) //nolint:errcheck // as above
	}
}
