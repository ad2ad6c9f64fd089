package sandbox

import (
	"bytes"
	"cmp"
	"context"
	_ "embed" // of the orders' help
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/vektah/gqlparser/v2/ast"
)

// An Order is the body of POST /sandbox/orders, and the command sandbox do.
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
	IDs  []string `json:"ids"`
	Said string   `json:"said"`
}

// String tells what was done.
func (o Outcome) String() string { return o.Said }

//go:embed orders.txt
var orders string

// Orders describes each order in a line: usage, two spaces, effect.
func Orders() []string { return strings.Split(strings.TrimSpace(orders), "\n") }

// written returns an order's usage: a <word> is needed, a [word] is not, dots stand for more.
func written(name string) (usage string) {
	for _, line := range Orders() {
		if usage, _, _ = strings.Cut(line, "  "); strings.Fields(usage)[0] == name {
			return usage
		}
	}
	return ""
}

// hit are the requests that a fault hits by default; none: all.
var hit = map[FaultKind][]Kind{
	RefusedReport: {KindReport}, DeniedReport: {KindReport}, EmptyList: {KindList}, OddShape: {KindContent},
	Objection: {KindReport, KindContent, KindLook, KindList},
}

// Carry carries out an order. One with an error has changed nothing.
func (m *Marketplace) Carry(o Order) (Outcome, error) {
	if len(o.Do) == 0 {
		o.Do = []string{""}
	}
	name, words := o.Do[0], slices.Clone(o.Do[1:])
	usage := written(name)
	least := strings.Count(usage, "<")
	switch {
	case usage == "":
		return Outcome{}, fmt.Errorf("no order %q: one of those that sandbox do --help shows", name)
	case len(words) < least || len(words) > least+strings.Count(usage, "[") && !strings.Contains(usage, " ..."):
		return Outcome{}, fmt.Errorf("%s: it is written %s", name, usage)
	}
	ids, said, err := m.carry(o, name, words)
	if err != nil {
		return Outcome{}, fmt.Errorf("%s: %w", name, err)
	}
	done := Outcome{Do: name, IDs: slices.Concat([]string{}, ids), Said: said}
	m.tell(done)
	return done, nil
}

func (m *Marketplace) carry(o Order, name string, words []string) (ids []string, said string, err error) {
	switch name {
	case "add":
		return m.imports(max(o.Count, 1), words)
	case "price", "stock", "text", "images", "variants":
		words[1] = name + "=" + words[1]
		fallthrough
	case "supply":
		return m.supplies(words[0], words[1:])
	case "remove":
		ids, said, err = m.pick(words, false)
		m.Remove(ids...)
		return ids, "the retailer takes " + said + " off the import list", err
	case "relist":
		ids, said, err = m.pick(words, true)
		m.Restore(ids...)
		return ids, "the retailer imports " + said + " again", err
	case "revoke":
		m.SetToken("")
		return nil, "the token is revoked", nil
	case "uninstall":
		m.locked(func() {
			if len(m.tokens) == 0 {
				err = errors.New("the app is not installed")
			}
			clear(m.tokens)
		})
		return nil, "the app is removed: its token is refused for good", err
	case "heal":
		m.Heal()
		m.SetToken(m.opts.Token)
		return nil, "all faults are over, and the token is good again", nil
	default:
		return m.trouble(o, FaultKind(name), words)
	}
}

func (m *Marketplace) imports(n int, names []string) ([]string, string, error) {
	ids := m.fill(n, func(t template) bool { return len(names) == 0 || t.Name == names[0] })
	if len(ids) == 0 {
		return nil, "", fmt.Errorf("the catalogue has no template %q", names[0])
	}
	said := fmt.Sprintf("%d products", n)
	if n == 1 {
		_, said, _ = m.pick(ids, false)
	}
	return ids, "the retailer imports " + said, nil
}

func (m *Marketplace) supplies(id string, pairs []string) ([]string, string, error) {
	ids, titles, err := m.pick([]string{id}, false)
	if err != nil {
		return nil, "", err
	}
	err = m.Supply(ids[0], pairs)
	said := fmt.Sprintf("the supplier changes %s: %s", titles, strings.Join(pairs, " "))
	if now, _ := m.Publication(ids[0]); strings.HasPrefix(pairs[0], "price=") && now.Listing.sellable() {
		said = fmt.Sprintf("the supplier changes the price of %s to %s", titles, now.Listing.Variants[0].MSRP)
	}
	return ids, said, err
}

func (m *Marketplace) trouble(o Order, kind FaultKind, words []string) (_ []string, _ string, err error) {
	f := Fault{Kind: kind, Next: max(o.Next, 0), Probability: 1, Executed: o.Executed, On: hit[kind]}
	if o.On != "" {
		f.On = []Kind{o.On}
		if o.On != KindContent && !slices.Contains(slices.Collect(maps.Values(kinds)), o.On) {
			return nil, "", fmt.Errorf("there are no requests of kind %q: report, content, look or list", o.On)
		}
	}
	switch kind { //nolint:exhaustive // the others have no words but ids
	case Slow:
		if f.Delay, err = time.ParseDuration(words[0]); err != nil || f.Delay <= 0 {
			return nil, "", fmt.Errorf("%q is not a span such as 2s", words[0])
		}
		words = nil
	case OddShape:
		f.Fields, words = words, nil
		for _, name := range f.Fields {
			if !slices.ContainsFunc(slices.Collect(maps.Values(m.schema.Types)), func(t *ast.Definition) bool {
				return t.Fields.ForName(name) != nil
			}) {
				return nil, "", fmt.Errorf("the schema has no field %q", name)
			}
		}
	case Objection:
		f.Message, words = words[0], words[1:]
	}
	if f.IDs, _, err = m.pick(words, false); err != nil {
		return nil, "", err
	}
	m.Inject(f)
	return f.IDs, "the marketplace is in trouble: " + strings.Join(o.Do, " "), nil
}

func (m *Marketplace) pick(words []string, removed bool) (ids []string, titles string, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var named []string
	for _, word := range words {
		r := m.records[word]
		if word == "any" {
			r = m.any(removed)
		}
		if r == nil || r.gone != removed {
			return nil, "", fmt.Errorf("there is no publication %q that can be sold, or was removed", word)
		}
		ids, named = append(ids, r.ID), append(named, "“"+cmp.Or(r.Listing.Title(), r.ID)+"”")
	}
	return ids, strings.Join(named, ", "), nil
}

// any returns the sellable publication that changed longest ago, of those on sale if any. Of those removed it is the
// last changed.
func (m *Marketplace) any(removed bool) *record {
	var all []*record
	for _, r := range m.records {
		if r.gone == removed && (removed || r.Listing.sellable()) {
			all = append(all, r)
		}
	}
	slices.SortFunc(all, func(a, b *record) int { return a.UpdatedAt.Compare(b.UpdatedAt) })
	if removed {
		slices.Reverse(all)
	}
	onSale := slices.IndexFunc(all, func(r *record) bool { return !removed && r.Status == statusSuccess })
	if len(all) == 0 {
		return nil
	}
	return all[max(onSale, 0)]
}

// serveOrder asks for no token: a web page cannot send JSON to another origin.
func (m *Marketplace) serveOrder(w http.ResponseWriter, r *http.Request) {
	var order Order
	err := json.NewDecoder(r.Body).Decode(&order)
	if err != nil || !isJSON(r) {
		http.Error(w, "POST an order as JSON", http.StatusUnsupportedMediaType)
		return
	}
	done, err := m.Carry(order)
	if err != nil {
		write(w, http.StatusUnprocessableEntity, encode(object{"error": err.Error()}))
		return
	}
	write(w, http.StatusOK, encode(done))
}

// day has the orders of Live. A brake of the connector holds the doubled price.
var day = []string{
	"price any x1.08", "price any x2.2", "add", "stock any 3",
	"supply any html=<p>A better description, as suppliers write them on a quiet afternoon.</p>",
	"price any x0.92", "images any 2", "add", "variants any 3", "stock any 0", "remove any", "relist any",
}

// Live carries out orders until ctx ends, the first within a second.
func (m *Marketplace) Live(ctx context.Context, every time.Duration) {
	for n, next := 0, min(every, time.Second); ; n, next = n+1, every {
		select {
		case <-ctx.Done():
			return
		case <-time.After(next):
		}
		// an empty list has no product: the next order may add one
		_, _ = m.Carry(Order{Do: strings.SplitN(day[n%len(day)], " ", 3)}) //nolint:errcheck // as above
	}
}

// A Refusal says why an order cannot be carried out.
type Refusal string

func (r Refusal) Error() string { return string(r) }

// Send has the sandbox at an address carry out an order. The error is a Refusal where the order is wrong.
func Send(ctx context.Context, at string, order Order) (done Outcome, err error) {
	err = ask(ctx, http.MethodPost, at, "/sandbox/orders", order, &done)
	return done, err
}

// Listed returns the import list of the sandbox at an address.
func Listed(ctx context.Context, at string) (list []Publication, err error) {
	answer := struct{ Publications *[]Publication }{&list}
	err = ask(ctx, http.MethodGet, at, "/sandbox/publications", nil, &answer)
	return list, err
}

func ask(ctx context.Context, method, at, path string, order, into any) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	body, err := json.Marshal(order)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, method, strings.TrimSuffix(at, "/")+path, bytes.NewReader(body))
	if err != nil {
		return Refusal("that is not an address such as http://127.0.0.1:9465")
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return fmt.Errorf("no sandbox at %s: %w", at, errors.Unwrap(err))
	}
	defer resp.Body.Close()                                   //nolint:errcheck // it was read
	data, err := io.ReadAll(io.LimitReader(resp.Body, 1<<30)) // a list of some 300,000 publications
	var refused struct{ Error string }
	switch {
	case err != nil:
		return fmt.Errorf("read the sandbox's answer: %w", err)
	case resp.StatusCode == http.StatusOK && json.Unmarshal(data, into) == nil:
		return nil
	case json.Unmarshal(data, &refused) == nil && refused.Error != "":
		return Refusal(refused.Error)
	}
	return fmt.Errorf("what answers at %s (%s) is no sandbox", at, resp.Status)
}
