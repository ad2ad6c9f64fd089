package woocommerce

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
)

// Most of what a small write costs a shop is the start of WordPress. While several products are
// made at a time, their creations therefore share a request to the batch route. So do the writes
// that put them on sale. A write that loads pictures never does, since it takes long and may kill
// PHP. Nor does the second try of a creation.

const (
	// mostWait is how long a write waits for others.
	mostWait = 250 * time.Millisecond
	// leastMakers is how many products have to be in the making for one of them to wait: the others
	// keep the shop busy meanwhile.
	leastMakers = 3
	// mistrust is how long writes go one by one after the shop refused a batch as such, or did not
	// answer it as a batch. A plugin or a firewall does that; a line in the log says so.
	mistrust = 10 * time.Minute
	// mostInGroup bounds the writes that share a request.
	mostInGroup = 10
)

// A grouper gathers writes of products into requests.
type grouper struct {
	a *adapter

	mu          sync.Mutex
	makers      int       // calls of Publish that are making a product
	open        *group    // the one that can still be joined
	singleUntil time.Time // until when writes go one by one
}

// A group is the writes of several calls in one request.
type group struct {
	members []*member
	size    int           // of members, at which the request is made
	full    chan struct{} // closed when there are so many
	empty   chan struct{} // closed when every member has left
	absent  int           // members that have left
}

// A member is one write, and how it ended.
type member struct {
	id   int64 // of the product; 0: it is to be made
	body map[string]any
	done chan struct{} // closed when got and err are there
	got  product
	err  error
	left bool // its caller waits no more
}

// making notes that a call makes a product, until stop is called.
func (g *grouper) making() (stop func()) {
	add := func(n int) {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.makers += n
	}
	add(1)
	return sync.OnceFunc(func() { add(-1) })
}

// write makes a product, or changes the one with the id, in one request with others where there are
// any. The error is as that of call.
func (g *grouper) write(ctx context.Context, id int64, body map[string]any) (product, error) {
	m := &member{id: id, body: body, done: make(chan struct{})}
	group := g.join(m)
	if group == nil {
		return g.a.writeProduct(ctx, id, body)
	}
	select {
	case <-m.done:
		return m.got, m.err
	case <-ctx.Done():
		g.leave(group, m)
		return product{}, ctx.Err()
	}
}

// join puts a write into the open group, or opens one. nil: too few products are in the making.
func (g *grouper) join(m *member) *group {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.makers < leastMakers || time.Now().Before(g.singleUntil) {
		return nil
	}
	joined := g.open
	if joined == nil {
		joined = &group{
			size:  min(max(g.makers/2, 2), mostInGroup),
			full:  make(chan struct{}),
			empty: make(chan struct{}),
		}
		g.open = joined
		go g.run(joined)
	}
	if joined.members = append(joined.members, m); len(joined.members) == joined.size {
		g.open = nil
		close(joined.full)
	}
	return joined
}

// leave takes out a write whose caller's context ended. The request goes on for the others.
func (g *grouper) leave(group *group, m *member) {
	g.mu.Lock()
	defer g.mu.Unlock()
	m.left = true
	if group.absent++; group.absent == len(group.members) {
		if g.open == group {
			g.open = nil
		}
		close(group.empty)
	}
}

// run makes the group's request when it is full or has waited long enough. The request is cancelled
// when every member has left.
func (g *grouper) run(group *group) {
	timer := time.NewTimer(mostWait)
	defer timer.Stop()
	select {
	case <-group.full:
	case <-timer.C:
	case <-group.empty:
	}
	g.mu.Lock()
	if g.open == group {
		g.open = nil
	}
	members := slices.DeleteFunc(slices.Clone(group.members), func(m *member) bool { return m.left })
	g.mu.Unlock()
	if len(members) == 0 {
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	ended := make(chan struct{})
	defer close(ended)
	go func() {
		select {
		case <-group.empty:
			cancel()
		case <-ended:
		}
	}()
	g.send(ctx, members)
	for _, m := range members {
		close(m.done)
	}
}

// send makes the request and gives each member its part of the answer. Where the shop refuses the
// batch as such each write is made by itself.
func (g *grouper) send(ctx context.Context, members []*member) {
	if len(members) == 1 {
		members[0].got, members[0].err = g.a.writeProduct(ctx, members[0].id, members[0].body)
		return
	}
	got, err := g.batch(ctx, members)
	if refusedAsBatch(err) || errors.Is(err, errNoBatch) {
		until := time.Now().Add(mistrust)
		g.mu.Lock()
		g.singleUntil = until
		g.mu.Unlock()
		g.a.logger.Warn(
			"shop does not take several products in one request: they go one by one for a while",
			"error",
			err,
			"until",
			until,
		)
	}
	made, changed := got.Create, got.Update
	for _, m := range members {
		switch {
		case refusedAsBatch(err):
			m.got, m.err = g.a.writeProduct(ctx, m.id, m.body)
		case err != nil:
			m.err = err
		case m.id > 0:
			m.got, m.err = g.a.itemOf(changed[0])
			changed = changed[1:]
		default:
			m.got, m.err = g.a.itemOf(made[0])
			made = made[1:]
		}
	}
}

// batch makes one request of the writes. The answer has an item for each.
func (g *grouper) batch(ctx context.Context, members []*member) (productBatch, error) {
	body := map[string][]map[string]any{}
	for _, m := range members {
		item := maps.Clone(m.body)
		item["_fields"], item["include_meta"] = productFields, metaKey
		kind := "create"
		if m.id > 0 {
			kind, item["id"] = "update", m.id
		}
		body[kind] = append(body[kind], item)
	}
	var got productBatch
	_, err := g.a.call(
		ctx,
		request{method: http.MethodPost, path: "/products/batch", body: body, kind: kindBatch, ops: len(members)},
		&got,
	)
	if err == nil && (len(got.Create) != len(body["create"]) || len(got.Update) != len(body["update"])) {
		err = shopadapter.Retry(
			"the shop answered a batch of %d products with %d: %w",
			len(members),
			len(got.Create)+len(got.Update),
			errNoBatch,
		)
	}
	return got, err
}

var errNoBatch = errors.New("that is no answer to a batch")

// refusedAsBatch tells whether the shop refused a batch as such, so that its writes may go through
// one by one: a firewall that takes offence at the text of one, say.
func refusedAsBatch(err error) bool {
	r := refused(err)
	return r != nil && r.status/100 == 4 && r.status != http.StatusUnauthorized &&
		r.status != http.StatusTooManyRequests &&
		r.status != http.StatusRequestTimeout
}

// writeProduct makes a product, or changes the one with the id, in a request of its own.
func (a *adapter) writeProduct(ctx context.Context, id int64, body map[string]any) (product, error) {
	r := request{
		method: http.MethodPost, path: "/products", body: body, kind: kindWrite,
		query: url.Values{"_fields": {productFields}, "include_meta": {metaKey}},
	}
	if id > 0 {
		r.method, r.path = http.MethodPut, productPath(id)
	}
	var got product
	_, err := a.call(ctx, r, &got)
	return got, err
}

// itemOf is one write's part of the answer to a batch.
func (a *adapter) itemOf(item productItem) (product, error) {
	if item.Error == nil {
		return item.product, nil
	}
	why := a.refusalOf(*item.Error, int(item.Error.Data.Status))
	if why.code == "" {
		return product{}, shopadapter.Retry("the shop answered a batch with something that cannot be read")
	}
	e := a.judge(
		request{method: http.MethodPost, path: "/products/batch"},
		&answer{status: why.status, header: http.Header{}},
		why,
	)
	e.Err = why
	return product{}, e
}

// A productBatch is the answer to a batch of products: for each operation, in order, the product or
// the fault.
type productBatch struct{ Create, Update list[productItem] }

// UnmarshalJSON never fails: an answer of another form holds nothing.
func (b *productBatch) UnmarshalJSON(data []byte) error {
	var answer struct {
		Create list[productItem] `json:"create"`
		Update list[productItem] `json:"update"`
	}
	_ = json.Unmarshal(data, &answer)
	*b = productBatch{answer.Create, answer.Update}
	return nil
}

type productItem struct {
	product
	Error *fault
}

// UnmarshalJSON keeps an element that cannot be read as a fault, since the order of the elements
// tells which operation they belong to.
func (i *productItem) UnmarshalJSON(data []byte) error {
	*i = productItem{}
	var outcome struct {
		Error *fault `json:"error"`
	}
	readable := json.Unmarshal(data, &outcome) == nil && json.Unmarshal(data, &i.product) == nil
	if i.Error = outcome.Error; !readable {
		i.Error = &fault{Message: "an answer that cannot be read"}
	}
	return nil
}
