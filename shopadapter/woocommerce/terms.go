package woocommerce

import (
	"context"
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/step"
)

const (
	// listedFor is how long a list of terms is believed; askedFor where a person asks.
	listedFor = 5 * time.Minute
	askedFor  = 10 * time.Second
	// refusedFor is how long a shop that refuses to make a term is not asked again.
	refusedFor = 10 * time.Minute
	// mostDeaths is how often PHP may die of a term before it counts as refused.
	mostDeaths = 3
	// lookAgain is how often a term is looked for whose making was not answered.
	lookAgain = 3
	mostTerm  = 200 // runes of a term's name that WordPress keeps
)

// terms is the shop's list of categories, or of brands, and makes those that it lacks. One call
// reads or makes at a time.
type terms struct {
	client *client
	logger *slog.Logger
	path   string
	what   string        // in messages: category, brand
	pause  time.Duration // between two looks for a term whose making was not answered

	turn    chan struct{} // guards what follows
	read    time.Time
	all     []term
	refused map[string]time.Time // when the shop last refused to make one, "" for any
	deaths  map[string]int
	told    map[string]bool
}

func newTerms(c *client, what, path string, pause time.Duration, logger *slog.Logger) *terms {
	return &terms{
		client: c, logger: logger, path: path, what: what, pause: pause, turn: make(chan struct{}, 1),
		refused: map[string]time.Time{}, deaths: map[string]int{}, told: map[string]bool{},
	}
}

// open waits for the turn, and reads the list where it is older than age. Without an error the
// caller closes.
func (t *terms) open(ctx context.Context, age time.Duration) error {
	select {
	case t.turn <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	err := t.load(ctx, age)
	if err != nil {
		t.close()
	}
	return err
}

func (t *terms) close() { <-t.turn }

// load reads the list where it is older than age. The turn is held.
func (t *terms) load(ctx context.Context, age time.Duration) error {
	if !t.read.IsZero() && time.Since(t.read) < age {
		return nil
	}
	all, err := readAll[term](ctx, t.client, t.path, asking("_fields", "id,parent,name,slug"))
	if err == nil {
		t.all, t.read = all, time.Now()
	}
	return err
}

// lacks reports whether none of the shop's terms is one, as of a call that began at a time.
func (t *terms) lacks(ctx context.Context, begun time.Time, is func(id string) bool) (bool, error) {
	if err := t.open(ctx, time.Since(begun)+1); err != nil {
		return false, err
	}
	defer t.close()
	return !slices.ContainsFunc(t.all, func(one term) bool { return is(idText(one.ID)) }), nil
}

// one is the id of the first term of a kind, 0 for none.
func (t *terms) one(is func(term) bool) int64 {
	if i := slices.IndexFunc(t.all, is); i >= 0 {
		return int64(t.all[i].ID)
	}
	return 0
}

// at is the term of a name below a parent, 0 for none.
func (t *terms) at(parent int64, name string) int64 {
	return t.one(func(o term) bool {
		return int64(o.Parent) == parent && fold(string(o.Name)) == fold(name) && fold(name) != ""
	})
}

// keyed is the term whose slug ends in a key, 0 for none.
func (t *terms) keyed(key string) int64 {
	return t.one(func(o term) bool { return key != "" && strings.HasSuffix(string(o.Slug), "-"+key) })
}

// make makes a term, with a key at the end of its slug unless that is "", and returns its id. It is
// 0 where the shop refuses: the product is sold without, which is told once.
func (t *terms) make(ctx context.Context, parent int64, name, key string, asked bool) (int64, error) {
	mark := strconv.FormatInt(parent, 10) + "/" + fold(name)
	for _, one := range []string{"", mark} {
		if !asked && time.Since(t.refused[one]) < refusedFor {
			return 0, nil
		}
	}
	id, err := t.post(ctx, parent, name, key)
	r := refused(err)
	if r == nil {
		return id, err
	}
	if r.Status >= http.StatusInternalServerError {
		if t.deaths[mark]++; r.Status == http.StatusServiceUnavailable || t.deaths[mark] < mostDeaths {
			return 0, err
		}
	} else if shopadapter.Explain(err).Kind == shopadapter.Transient {
		return 0, err
	}
	if r.Status == http.StatusUnauthorized || r.Status == http.StatusForbidden || r.Status == http.StatusNotFound {
		t.refused[""] = time.Now()
	}
	t.refused[mark] = time.Now()
	if !t.told[mark] {
		t.told[mark] = true
		t.logger.Warn("shop refuses to make a category or a brand: its products are sold without it; make it there, then a "+
			"run with --full moves what is there", "kind", t.what, "name", name, "error", err)
	}
	return 0, nil
}

func (t *terms) post(ctx context.Context, parent int64, name, key string) (int64, error) {
	body := map[string]any{"name": termName(name)}
	if parent > 0 {
		body["parent"] = parent
	}
	if key != "" {
		body["slug"] = strings.TrimPrefix(strings.ReplaceAll(fold(name), "_", "-")+"-"+key, "-")
	}
	var made term
	err := t.client.call(ctx, http.MethodPost, t.path, asking("_fields", "id,parent,name,slug"), body, &made)
	if err == nil && made.ID > 0 {
		made.Parent = number(parent)
		t.all = append(t.all, made)
		t.logger.Info("category or brand made", "kind", t.what, "name", name, "id", int64(made.ID), "parent", parent)
		return int64(made.ID), nil
	}
	if err == nil {
		err = shopadapter.Retry("the shop did not say which %s it made", t.what)
	}
	exists := hasCode(err, codeTermExists)
	for try := 0; (exists || uncertain(err)) && try < lookAgain; try++ {
		if again := t.load(ctx, 0); again != nil {
			return 0, again
		}
		for _, id := range []int64{t.keyed(key), t.at(parent, name)} {
			if id > 0 {
				return id, nil
			}
		}
		if exists { // under a name that the shop has changed
			by := refused(err).Resource
			if t.one(func(o term) bool { return int64(o.ID) == by && int64(o.Parent) == parent }) > 0 {
				return by, nil
			}
			return 0, err
		}
		if failed := step.Pause(ctx, t.pause); failed != nil {
			return 0, failed
		}
	}
	return 0, err
}

// termName is a name that WordPress keeps whole: it strips what looks like a tag, and cuts.
func termName(name string) string {
	name = strings.Join(strings.Fields(name), " ")
	if utf8.RuneCountInString(name) > mostTerm {
		name = string([]rune(name)[:mostTerm])
	}
	return strings.ReplaceAll(name, "<", "&lt;")
}

// forget has the list read again when it is next needed.
func (t *terms) forget() {
	t.turn <- struct{}{}
	t.read = time.Time{}
	t.close()
}
