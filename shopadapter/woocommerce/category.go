package woocommerce

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/step"
	"github.com/pubsync/pubsync/shopadapter/kit"
)

// uncategorized is the slug of the category that a product without any is in.
const uncategorized = "uncategorized"

// categories finds the shop's category of one of the marketplace's, and makes the branch that is
// missing. A category that it makes carries a key in its slug, which a rename leaves alone.
type categories struct {
	*terms
	mapping mapping // folded path of the marketplace -> path in the shop
	makes   bool    // a branch that the shop lacks is made
}

// find is the id of the shop's category, 0 where there is none. makes says that a missing one may be
// made, asked that a person waits: what was learned of the shop may be out of date.
func (c *categories) find(ctx context.Context, want shopadapter.Category, makes, asked bool) (int64, error) {
	if want.Path == "" && want.Name == "" {
		return 0, nil
	}
	age := listedFor
	if asked {
		age = askedFor
	}
	if err := c.open(ctx, age); err != nil {
		return 0, err
	}
	defer c.close()
	switch id, mapped := c.lookUp(want); {
	case id > 0:
		return id, nil
	case makes && c.makes && !mapped && whole(want):
		for _, level := range want.Branch {
			parent := id
			if id = c.below(parent, level.Name, keyOf(level)); id > 0 {
				continue
			}
			var err error
			if id, err = c.make(ctx, parent, level.Name, keyOf(level), asked); err != nil || id == 0 {
				return 0, err
			}
		}
		return id, nil
	}
	if c.first(want.Path + "\n" + want.Name + "\n" + want.Trail("\n")) {
		c.logger.Warn("category has no counterpart in the shop: make one of this name, or map it with "+
			"PUBSYNC_WOOCOMMERCE_CATEGORIES; then a run with --full moves what is there",
			"path", want.Path, "name", want.Label(), "branch", want.Trail(" / "))
	}
	return 0, nil
}

func keyOf(level shopadapter.Level) string {
	if level.Path == "" {
		return ""
	}
	return kit.Digest(level.Path, 4)
}

// whole reports whether each level of the branch has a name that a category can have.
func whole(want shopadapter.Category) bool {
	return len(want.Branch) > 0 &&
		!slices.ContainsFunc(want.Branch, func(l shopadapter.Level) bool { return fold(l.Name) == "" })
}

// lookUp is the category that the settings name. Where they name none, it is the one of the same
// branch, of the same path, or of the same name. The last resort is the one that the settings name
// for the nearest path above. Where branches are made, a category of the same name counts only
// outside of any branch: below another it is another one.
func (c *categories) lookUp(want shopadapter.Category) (id int64, mapped bool) {
	path := fold(want.Path)
	if target, ok := c.mapping[path]; ok {
		return c.target(target), true
	}
	for i, level := range want.Branch {
		if id = c.below(id, level.Name, keyOf(level)); id == 0 {
			break
		}
		if i == len(want.Branch)-1 {
			return id, false
		}
	}
	if id = c.byPath(path); id > 0 {
		return id, false
	}
	for _, name := range []string{want.Label(), want.Name} {
		id, parent := c.byName(name)
		if id > 0 && name != want.Path && (!c.makes || !whole(want) || parent == 0) {
			return id, false
		}
	}
	var above []string
	for _, level := range slices.Backward(want.Branch[:max(len(want.Branch)-1, 0)]) {
		above = append(above, fold(level.Path))
	}
	for cut := strings.LastIndexByte(path, '_'); cut >= 0; cut = strings.LastIndexByte(path[:cut], '_') {
		above = append(above, path[:cut])
	}
	for _, one := range above {
		if target, ok := c.mapping[one]; ok {
			return c.target(target), true
		}
	}
	return 0, false
}

// target is the category that a mapping names, by its path or its name.
func (c *categories) target(path string) int64 {
	if id := c.byPath(fold(path)); id > 0 {
		return id
	}
	id, _ := c.byName(path)
	return id
}

const mostDeep = 20

// byPath is the first category whose names from the root are these, folded.
func (c *categories) byPath(folded string) int64 {
	by := map[number]term{}
	for _, one := range c.all {
		by[one.ID] = one
	}
	return c.one(func(one term) bool {
		path := fold(string(one.Name))
		for deep := 0; deep < mostDeep && by[one.Parent].ID > 0; deep++ {
			one = by[one.Parent]
			path = fold(string(one.Name)) + "_" + path
		}
		return folded != "" && path == folded
	})
}

// byName is the one category of a name, 0 where several have it.
func (c *categories) byName(name string) (id, parent int64) {
	for _, one := range c.all {
		if folded := fold(string(one.Name)); folded == "" || folded != fold(name) {
			continue
		}
		if id > 0 {
			return 0, 0
		}
		id, parent = int64(one.ID), int64(one.Parent)
	}
	return id, parent
}

// deleted reports whether the categories that were last written are no more, as of a call that began
// at a time.
func (c *categories) deleted(ctx context.Context, last kit.Written, begun time.Time) (bool, error) {
	if last.Exact == "" || last.IsMerchants() {
		return false, nil
	}
	return c.lacks(ctx, begun, func(id string) bool { return slices.Contains(strings.Split(last.Exact, ","), id) })
}

// hashCategories is the hash of the categories that a product is in: their ids.
func hashCategories(held []term) kit.Hash {
	return hashIDs(slices.DeleteFunc(slices.Clone(held), func(one term) bool { return one.Slug == uncategorized }))
}

// hashIDs is the ids of terms, in their order, joined by commas.
func hashIDs(held []term) kit.Hash {
	var ids []int
	for _, one := range held {
		if one.ID > 0 {
			ids = append(ids, int(one.ID))
		}
	}
	slices.Sort(ids)
	var all []string
	for _, id := range slices.Compact(ids) {
		all = append(all, strconv.Itoa(id))
	}
	return kit.Hash{Exact: strings.Join(all, ",")}
}

// digest stands for what the settings say of categories.
func (c *categories) digest() string {
	if len(c.mapping) == 0 && c.makes {
		return ""
	}
	return kit.Digest(kit.Encode(c.mapping)+strconv.FormatBool(c.makes), 8)
}

// decideCategory fills in the category. A product stays where it is when the shop has none for it.
func (w *write) decideCategory(ctx context.Context, fields map[string]any) error {
	if !w.Changed.Has(shopadapter.FieldCategory) {
		return nil
	}
	held := hashCategories(w.held.Categories)
	if held.Exact == "" {
		if deleted, err := w.a.categories.deleted(ctx, w.note.Category, w.begunAt); err != nil {
			return err
		} else if deleted {
			w.note.Category = kit.Written{} // nobody took it out
		}
	}
	makes := w.Own || w.note.Category.IsOwn(held, false) || w.Reset.Has(shopadapter.FieldCategory)
	id, err := w.a.categories.find(ctx, w.p.Category, makes, w.ref.Asked)
	if err != nil || id == 0 {
		return err
	}
	if w.Decide(shopadapter.FieldCategory, held, hashIDs([]term{{ID: number(id)}}), &w.note.Category) {
		fields["categories"] = idList(id)
	}
	return nil
}

func idList(id int64) []map[string]any { return []map[string]any{{"id": id}} }

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
	if t.first(t.what + mark) {
		t.logger.Warn("shop refuses to make a category or a brand: its products are sold without it; make it there, then a "+
			"run with --full moves what is there", "kind", t.what, "name", name, "error", err)
	}
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
