// A marketplace that shares nothing with the sandbox but the specification.

package main_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/validator"
)

// A bazaar is a marketplace that shares nothing with the sandbox but the specification, so that the
// program is not tuned to one server: it counts a point for every field, multiplies pageInfo too,
// has numbers for ids, and answers a throttled request as tersely as can be.
type bazaar struct {
	server *httptest.Server
	schema *ast.Schema
	closed bool          // introspection is refused
	cut    time.Duration // updatedAt is cut to this

	mu        sync.Mutex
	stalls    []*stall
	hooks     []object
	remaining float64
	filled    time.Time
	last      time.Time
	requests  int
	points    int
	throttled int
	reads     map[string]int
	told      map[string][]string
	denied    map[string]int // how many more reports of an entry are refused
	refusing  string         // the validation error that every mutation is answered with
	onRead    func(*stall)   // called with the lock held, when a listing was read and before the answer is sent
}

// A stall is one entry of the bazaar's import list.
type stall struct {
	id      int
	status  string
	url     string
	updated time.Time
	gone    bool
	title   string
	wares   []ware
}

type ware struct {
	id, cost, msrp, sku string
	quantity            int
}

const (
	bazaarLimit   = 2000
	bazaarRestore = 5000
)

func openBazaar(t *testing.T, closed bool, cut time.Duration) *bazaar {
	t.Helper()
	sdl := bazaarSDL
	if closed { // what nobody can ask for has the usual name
		sdl = strings.ReplaceAll(sdl, "StatusUpdate ", "PublicationStatusUpdatedInput ")
		sdl = strings.ReplaceAll(sdl, "StatusUpdate!", "PublicationStatusUpdatedInput!")
	}
	b := &bazaar{
		schema: gqlparser.MustLoadSchema(&ast.Source{Name: "bazaar", Input: sdl}), closed: closed, cut: cut,
		remaining: bazaarLimit,
		filled:    time.Now(), reads: map[string]int{}, told: map[string][]string{},
	}
	b.server = httptest.NewServer(b)
	t.Cleanup(b.server.Close)
	return b
}

// add puts n entries on the list, each with two wares.
func (b *bazaar) add(n int) []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	var ids []string
	for range n {
		id := len(b.stalls) + 1
		s := &stall{id: id, status: "SYNCING", title: fmt.Sprintf("Kettle %d", id)}
		for i := range 2 {
			s.wares = append(
				s.wares,
				ware{
					id:       strconv.Itoa(id*10 + i),
					cost:     "8",
					msrp:     "16.5",
					sku:      fmt.Sprintf("K-%d-%d", id, i),
					quantity: 5 + i,
				},
			)
		}
		b.stalls = append(b.stalls, s)
		b.touch(s)
		ids = append(ids, strconv.Itoa(id))
	}
	return ids
}

// touch moves updatedAt. The lock is held.
func (b *bazaar) touch(s *stall) {
	now := time.Now().UTC()
	if !now.After(b.last) {
		now = b.last.Add(time.Microsecond)
	}
	b.last = now
	s.updated = now
}

func (b *bazaar) stamp(s *stall) string {
	if b.cut > 0 {
		return s.updated.Truncate(b.cut).Format("2006-01-02T15:04:05Z")
	}
	return s.updated.Format("2006-01-02T15:04:05.000000Z")
}

// change changes one entry, and moves its updatedAt unless it is done in silence.
func (b *bazaar) change(id string, silent bool, f func(*stall)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	s := b.find(id)
	f(s)
	if !silent {
		b.touch(s)
	}
}

func (b *bazaar) find(id string) *stall {
	for _, s := range b.stalls {
		if strconv.Itoa(s.id) == id && !s.gone {
			return s
		}
	}
	return nil
}

func (b *bazaar) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != "/v1/graphql" || r.Method != http.MethodPost {
		http.NotFound(w, r)
		return
	}
	if r.Header.Get("Authorization") != "Bearer "+marketToken {
		w.WriteHeader(http.StatusUnauthorized)
		fmt.Fprint(w, `{"message":"Unauthorized"}`)
		return
	}
	var body struct {
		Query     string
		Variables map[string]any
	}
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		http.Error(w, "bad request", http.StatusBadRequest)
		return
	}
	answer := b.run(body.Query, body.Variables)
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	_ = json.NewEncoder(w).Encode(answer) //nolint:errcheck // the client has gone
}

func refused(message string) object {
	return object{"data": nil, "errors": []object{{"message": message}}}
}

func (b *bazaar) run(query string, given map[string]any) object {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.requests++
	doc, errs := gqlparser.LoadQueryWithRules(b.schema, query, nil)
	if len(errs) > 0 {
		return refused(errs[0].Message)
	}
	op := doc.Operations[0]
	vars, err := validator.VariableValues(b.schema, op, given)
	if err != nil {
		return refused(err.Error())
	}
	if op.Operation == ast.Mutation && b.refusing != "" {
		return refused(b.refusing)
	}
	for name, value := range vars {
		// The library takes an enum's value in any case; a server does not.
		if input, ok := value.(map[string]any); ok && input["status"] != nil &&
			!slices.Contains([]any{"SUCCESS", "FAILED"}, input["status"]) {
			return refused(fmt.Sprintf(`Variable "$%s" got invalid value %q at "%s.status"; `+
				`it does not exist in "PublicationState" enum.`, name, input["status"], name))
		}
	}
	probe := strings.Contains(query, "__schema") || strings.Contains(query, "__type(")
	if probe && b.closed {
		return refused("GraphQL introspection is not allowed, but the query contained __schema or __type")
	}
	now := time.Now()
	b.remaining = min(bazaarLimit, b.remaining+now.Sub(b.filled).Seconds()*bazaarRestore)
	b.filled = now
	cost := 1
	if !probe {
		cost = requestedCost(op.SelectionSet, vars)
	}
	switch {
	case cost > bazaarLimit:
		return refused(fmt.Sprintf("Query cost is %d, which exceeds the limit of %d", cost, bazaarLimit))
	case float64(cost) > b.remaining:
		b.throttled++
		answer := refused("Throttled")
		answer["extensions"] = b.throttle(cost, 0)
		return answer
	}
	root := b.query()
	if op.Operation == ast.Mutation {
		root = b.mutation()
	}
	x := &execution{vars: vars}
	data := x.object(op.SelectionSet, root)
	spent := min(x.fields, cost)
	if probe {
		spent = 1
	}
	b.remaining -= float64(spent)
	b.points += spent
	return object{"data": data, "extensions": b.throttle(cost, spent)}
}

func (b *bazaar) throttle(requested, actual int) object {
	return object{"throttle": object{
		"requestedCost": requested, "actualCost": actual, "limit": bazaarLimit, "remaining": int(b.remaining),
		"restoreRate": bazaarRestore,
	}}
}

func (b *bazaar) query() object {
	return object{
		"__schema": func(map[string]any) any { return introspection(b.schema) },
		"account":  object{"name": "The retailer", "type": "RETAILER", "slug": "bazaar-4711"},
		"webhooks": func(args map[string]any) any { return connection(b.hooks, args, strconv.Itoa, "edges") },
		"publication": func(args map[string]any) any {
			s := b.find(args["id"].(string))
			if s == nil {
				return nil
			}
			return b.publication(s)
		},
		"publications": func(args map[string]any) any {
			var list []*stall
			for _, s := range b.stalls {
				if !s.gone {
					list = append(list, s)
				}
			}
			key := func(s *stall) string { return fmt.Sprintf("%012d", 1_000_000_000_000-s.id) }
			if args["sort"] == "UPDATED_AT_ASC" {
				key = func(s *stall) string { return fmt.Sprintf("%s,%012d", b.stamp(s), s.id) }
			}
			slices.SortFunc(list, func(x, y *stall) int { return strings.Compare(key(x), key(y)) })
			objects := make([]object, len(list))
			for i, s := range list {
				objects[i] = b.publication(s)
			}
			return connection(objects, args, func(i int) string { return key(list[i]) }, "edges")
		},
	}
}

func (b *bazaar) publication(s *stall) object {
	o := object{
		"id": strconv.Itoa(s.id), "status": s.status, "productUrl": nil, "createdAt": "2026-01-02T03:04:05Z",
		"updatedAt": b.stamp(s),
	}
	if s.url != "" {
		o["productUrl"] = s.url
	}
	o["listing"] = func(map[string]any) any {
		listing := b.listing(s)
		b.reads[strconv.Itoa(s.id)]++
		if b.onRead != nil {
			b.onRead(s)
		}
		return listing
	}
	return o
}

func (b *bazaar) listing(s *stall) object {
	var wares []object
	for _, w := range s.wares {
		o := object{
			"id": w.id, "title": nil, "options": []object{{"name": "Size", "value": w.id}}, "dropshippingPrice": w.cost,
			"msrp": w.msrp, "sku": w.sku, "ean": nil,
			"inventoryQuantity": w.quantity, "inventoryPolicy": "DENY",
		}
		wares = append(wares, o)
	}
	id, title := strconv.Itoa(s.id), s.title
	return object{
		"id":           "9" + id,
		"translations": object{"en": object{"title": title, "description": "<p>Boils water</p>"}, "nl": nil, "de": nil},
		"category":     nil, "dropshippingShippingDetails": nil, "dropshippingReturns": nil,
		"product": object{"id": "7" + id, "title": title},
		"variants": func(args map[string]any) any {
			return connection(wares, args, func(i int) string { return fmt.Sprintf("%04d", i) }, "edges")
		},
		"images": func(args map[string]any) any {
			image := object{
				"originalUrl":    "https://pictures.example/o",
				"transformedUrl": "https://pictures.example/" + id + ".jpg",
			}
			return connection([]object{image}, args, func(i int) string { return fmt.Sprintf("%04d", i) }, "nodes")
		},
	}
}

func (b *bazaar) mutation() object {
	return object{
		"publicationStatusUpdated": func(args map[string]any) any {
			input := args["input"].(map[string]any)
			id := fmt.Sprint(input["id"])
			s := b.find(id)
			if s == nil {
				return object{
					"publication": nil,
					"userErrors":  []object{{"field": []string{"id"}, "message": "is unknown"}},
				}
			}
			if b.denied[id] > 0 { // beside the entry as it is
				b.denied[id]--
				return object{
					"publication": b.publication(s),
					"userErrors":  []object{{"field": nil, "message": "is being reviewed"}},
				}
			}
			s.status = fmt.Sprint(input["status"])
			if address, ok := input["productUrl"].(string); ok {
				s.url = address
			}
			b.told[id] = append(b.told[id], s.status)
			b.touch(s)
			return object{"publication": b.publication(s), "userErrors": []object{}}
		},
		"webhookCreate": func(args map[string]any) any {
			input := args["input"].(map[string]any)
			hook := object{
				"id":          strconv.Itoa(len(b.hooks) + 1),
				"callbackUrl": input["callbackUrl"],
				"events":      input["events"],
				"active":      true,
			}
			b.hooks = append(b.hooks, hook)
			return object{"webhook": hook, "userErrors": []object{}}
		},
	}
}
