// Package brand finds a brand of the shop by its name, and makes one that is missing. WooCommerce
// refuses a second one of a name, so that each is made once, however many products need it at a time
// and whichever answer is lost.
package brand

import (
	"context"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/rest"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/words"
)

const (
	path = "/products/brands"

	// refusedFor is how long a shop that refused to tell or to make brands is not asked again.
	refusedFor = 10 * time.Minute
	mostName   = 200 // runes of a brand's name that WordPress keeps
	exists     = "term_exists"
)

// A Finder remembers the brands that it has seen. It is made by New.
type Finder struct {
	client  *rest.Client
	logger  *slog.Logger
	turn    chan struct{}    // one goroutine asks at a time; it guards what follows
	known   map[string]int64 // by folded name
	refused time.Time
	told    map[string]bool
}

// New is a finder that knows no brand.
func New(client *rest.Client, logger *slog.Logger) *Finder {
	return &Finder{
		client: client, logger: logger, turn: make(chan struct{}, 1), known: map[string]int64{}, told: map[string]bool{},
	}
}

// Find is the id of the brand of a name. One that the shop lacks is made where makes says so. 0:
// there is none, or the shop tells of none, which is told once.
func (f *Finder) Find(ctx context.Context, name string, makes bool) (id int64, err error) {
	select {
	case f.turn <- struct{}{}:
		defer func() { <-f.turn }()
	case <-ctx.Done():
		return 0, ctx.Err()
	}
	if id := f.known[fold(name)]; id > 0 {
		return id, nil
	}
	if time.Since(f.refused) < refusedFor {
		return 0, nil
	}
	if id, err = f.search(ctx, name); err == nil && id == 0 && makes {
		id, err = f.make(ctx, name)
	}
	if refusal := rest.Refused(err); refusal != nil && lasting(err) {
		f.refuse(name, refusal, err)
		return 0, nil
	}
	if err == nil && id > 0 {
		f.known[fold(name)] = id
	}
	return id, err
}

// Stands is the id under which the shop has a brand of a name now, 0 for none. told is false where the
// shop does not tell.
func (f *Finder) Stands(ctx context.Context, name string) (id int64, told bool, err error) {
	select {
	case f.turn <- struct{}{}:
		defer func() { <-f.turn }()
	case <-ctx.Done():
		return 0, false, ctx.Err()
	}
	if time.Since(f.refused) < refusedFor {
		return 0, false, nil
	}
	id, err = f.search(ctx, name)
	if refusal := rest.Refused(err); refusal != nil && lasting(err) {
		return 0, false, nil
	}
	if err != nil {
		return 0, false, err
	}
	if delete(f.known, fold(name)); id > 0 {
		f.known[fold(name)] = id
	}
	return id, true, nil
}

// Forget has a brand looked for again: the shop has shown that it is not there.
func (f *Finder) Forget(ctx context.Context, name string) {
	select {
	case f.turn <- struct{}{}:
		delete(f.known, fold(name))
		<-f.turn
	case <-ctx.Done():
	}
}

// lasting reports whether the shop will give no other answer until somebody does something.
func lasting(err error) bool {
	return shopadapter.Explain(err).Kind != shopadapter.Transient
}

// refuse records that the shop refuses, and says so once. A shop whose key may not make any is
// not asked for others for a while.
func (f *Finder) refuse(name string, refusal *rest.Refusal, err error) {
	switch refusal.Status {
	case http.StatusNotFound, http.StatusUnauthorized, http.StatusForbidden:
		f.refused, name = time.Now(), ""
	}
	if f.told[name] {
		return
	}
	f.told[name] = true
	f.logger.Warn("shop refuses to make a brand: its products are sold without it", "brand", name, "error", err)
}

type term struct {
	ID   rest.Number `json:"id"`
	Name rest.Text   `json:"name"`
}

// search is the brand of exactly this name among those that the shop finds.
func (f *Finder) search(ctx context.Context, name string) (int64, error) {
	var found rest.List[term]
	err := f.client.Get(
		ctx, rest.KindRead, path, &found, "search", clean(name), "per_page", strconv.Itoa(rest.PerPage), "_fields", "id,name",
	)
	for _, one := range found {
		if fold(string(one.Name)) == fold(name) {
			return int64(one.ID), err
		}
	}
	return 0, err
}

// make makes a brand. One that is there under this name, in a form that a search does not find, is
// named by the refusal.
func (f *Finder) make(ctx context.Context, name string) (int64, error) {
	var made term
	_, err := f.client.Call(ctx, rest.Request{
		Method: http.MethodPost, Path: path, Query: url.Values{"_fields": {"id,name"}},
		Body: map[string]any{"name": strings.ReplaceAll(clean(name), "<", "&lt;")}, Kind: rest.KindWrite,
	}, &made)
	switch {
	case rest.HasCode(err, exists) && rest.Refused(err).Resource > 0:
		return rest.Refused(err).Resource, nil
	case err != nil:
		return 0, err
	case made.ID <= 0:
		return 0, shopadapter.Retry("the shop did not say which brand it made")
	}
	f.logger.Info("brand made", "brand", name, "id", int64(made.ID))
	return int64(made.ID), nil
}

func fold(name string) string { return strings.ToLower(words.Plain(clean(name))) }

// clean is a name with single spaces, and no longer than the shop keeps it.
func clean(name string) string {
	name = strings.Join(strings.Fields(name), " ")
	if utf8.RuneCountInString(name) > mostName {
		name = string([]rune(name)[:mostName])
	}
	return name
}
