package woocommerce

import (
	"context"
	"log/slog"
	"net/http"
	"slices"
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
	lookAgain  = 3
	mostTerm   = 200 // runes of a term's name that WordPress keeps
	termFields = "id,parent,name,slug"
)

// terms is the shop's list of categories, or of brands, and makes those that it lacks. One call
// reads or makes at a time.
type terms struct {
	*client
	path  string
	what  string        // in messages: category, brand
	pause time.Duration // between two looks for a term whose making was not answered

	turn    chan struct{} // guards what follows
	read    time.Time     // the zero time: the list is to be read anew
	all     []term
	refused map[string]time.Time // when the shop last refused to make one, "" for any
	deaths  map[string]int
}

func newTerms(c *client, what, path string, pause time.Duration) *terms {
	return &terms{
		client: c, path: path, what: what, pause: pause, turn: make(chan struct{}, 1),
		refused: map[string]time.Time{}, deaths: map[string]int{},
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
	all, err := readAll[term](ctx, t.client, t.path, asking("_fields", termFields))
	if err == nil {
		t.all, t.read = all, time.Now()
	}
	return err
}

// forget has the list read again when it is next needed.
func (t *terms) forget() {
	t.turn <- struct{}{}
	t.read = time.Time{}
	t.close()
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

// below is the term with a key at the end of its slug, else the one of a name below a parent, else
// the one that had this name when it was made: a rename leaves the slug alone.
func (t *terms) below(parent int64, name, key string) int64 {
	folded := fold(name)
	for _, is := range []func(term) bool{
		func(o term) bool { return key != "" && strings.HasSuffix(string(o.Slug), "-"+key) },
		func(o term) bool { return int64(o.Parent) == parent && folded != "" && fold(string(o.Name)) == folded },
		func(o term) bool {
			return int64(o.Parent) == parent && folded != "" && string(o.Slug) == hyphened(folded)
		},
	} {
		if id := t.one(is); id > 0 {
			return id
		}
	}
	return 0
}

func hyphened(folded string) string { return strings.ReplaceAll(folded, "_", "-") }

// make makes a term, with a key at the end of its slug unless that is "", and returns its id. It is
// 0 where the shop refuses: the product is sold without, which is told once.
func (t *terms) make(ctx context.Context, parent int64, name, key string, asked bool) (int64, error) {
	mark := idText(number(parent)) + "/" + fold(name)
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
	if t.refused[mark] = time.Now(); r.Status == http.StatusUnauthorized || r.Status == http.StatusForbidden ||
		r.Status == http.StatusNotFound {
		t.refused[""] = time.Now()
	}
	t.warn(t.what+mark, "shop refuses to make a category or a brand: its products are sold without it; make it there, "+
		"then a run with --full moves what is there", slog.String("kind", t.what), slog.String("name", name),
		slog.Any("error", err))
	return 0, nil
}

// post makes a term, or finds the one that the shop has: by its answer, or where none came.
func (t *terms) post(ctx context.Context, parent int64, name, key string) (int64, error) {
	body := map[string]any{"name": termName(name)}
	if parent > 0 {
		body["parent"] = parent
	}
	if key != "" {
		body["slug"] = strings.TrimPrefix(hyphened(fold(name))+"-"+key, "-")
	}
	var made term
	err := t.call(ctx, http.MethodPost, t.path, asking("_fields", termFields), body, &made)
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
		id := t.below(parent, name, key)
		if id == 0 && exists { // under a name that the shop has changed
			id = t.one(func(o term) bool { return int64(o.ID) == refused(err).Resource && int64(o.Parent) == parent })
		}
		switch {
		case id > 0:
			return id, nil
		case exists:
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
