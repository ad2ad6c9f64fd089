package woocommerce

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/sync/semaphore"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/kit"
)

const (
	// listedFor is how long a list of terms is believed; askedFor where a person asks.
	listedFor     = 5 * time.Minute
	askedFor      = 10 * time.Second
	mostTerm      = 200 // runes of a term's name that WordPress keeps
	termFields    = "id,parent,name,slug"
	uncategorized = "uncategorized"
)

// terms lists categories or brands, and makes missing ones, one call at a time.
type terms struct {
	*client
	path string
	what string // in messages: category, brand

	turn *semaphore.Weighted // guards what follows
	read time.Time           // zero: to be read anew
	all  []term
}

func newTerms(c *client, what, path string) *terms {
	return &terms{client: c, path: path, what: what, turn: semaphore.NewWeighted(1)}
}

// open reads the list where it is older than age. Without an error the caller closes.
func (t *terms) open(ctx context.Context, age time.Duration) (err error) {
	if err := t.turn.Acquire(ctx, 1); err != nil {
		return err
	}
	if t.read.IsZero() || time.Since(t.read) >= age {
		if t.all, err = readAll[term](ctx, t.client, t.path, asking("_fields", termFields)); err != nil {
			t.read = time.Time{}
			t.close()
			return err
		}
		t.read = time.Now()
	}
	return nil
}

func (t *terms) close() { t.turn.Release(1) }

func (t *terms) forget() {
	_ = t.turn.Acquire(context.Background(), 1) //nolint:errcheck // that context has no end
	t.read = time.Time{}
	t.close()
}

func (t *terms) one(is func(term) bool) number {
	if i := slices.IndexFunc(t.all, is); i >= 0 {
		return t.all[i].ID
	}
	return 0
}

// lost reports whether all terms that were last written are deleted, as of begun.
func (t *terms) lost(ctx context.Context, last kit.Written, begun time.Time) (bool, error) {
	if last.Exact == "" || last.IsMerchants() {
		return false, nil
	}
	if err := t.open(ctx, time.Since(begun)+1); err != nil {
		return false, err
	}
	defer t.close()
	ids := strings.Split(last.Exact, ",")
	return t.one(func(one term) bool { return slices.Contains(ids, idText(one.ID)) }) == 0, nil
}

// below finds the term by the key in its slug, which a rename leaves alone, or else by its name below a parent.
func (t *terms) below(parent number, name, key string) number {
	id := t.one(func(o term) bool { return key != "" && strings.HasSuffix(string(o.Slug), "-"+key) })
	if called := strings.ToLower(plain(termName(name))); id == 0 && called != "" {
		id = t.one(func(o term) bool { return o.Parent == parent && strings.ToLower(plain(string(o.Name))) == called })
	}
	return id
}

// make returns 0 where the shop refuses: the product is sold without the term.
func (t *terms) make(ctx context.Context, parent number, name, key string) (number, error) {
	body := map[string]any{"name": termName(name)}
	if parent > 0 {
		body["parent"] = parent
	}
	if key != "" {
		body["slug"] = strings.TrimPrefix(strings.ReplaceAll(fold(name), "_", "-")+"-"+key, "-")
	}
	var made term
	err := t.call(ctx, http.MethodPost, t.path, asking("_fields", termFields), body, &made)
	r, exists := refused(err), false
	if hasCode(err, codeTermExists) { // another request has made it, or the shop has changed the name
		made = term{ID: number(r.Resource), Name: text(name)}
		exists = made.ID > 0 && t.one(func(o term) bool { return o.ID == made.ID && o.Parent != parent }) == 0
	} else if err == nil && made.ID <= 0 {
		err = shopadapter.Retry("the shop did not say which %s it made", t.what)
	}
	switch {
	case err == nil, exists:
		made.Parent = parent
		t.all = append(t.all, made)
		t.logger.Info("category or brand made", "kind", t.what, "name", name, "id", int64(made.ID), "parent", int64(parent))
		return made.ID, nil
	case r == nil || shopadapter.Explain(err).Kind == shopadapter.Transient:
		t.read = time.Time{} // it may have been made
		return 0, err
	}
	if t.first(t.what + r.Code) {
		t.logger.Warn("shop refuses to make a category or a brand: its products are sold without it; make it there, then a "+
			"run with --full moves what is there", "kind", t.what, "name", name, "error", err)
	}
	return 0, nil
}

// termName returns a name that WordPress keeps: cut, and with < escaped, since WordPress strips what looks like a
// tag.
func termName(name string) string {
	name = strings.Join(strings.Fields(name), " ")
	if utf8.RuneCountInString(name) > mostTerm {
		name = string([]rune(name)[:mostTerm])
	}
	return strings.ReplaceAll(name, "<", "&lt;")
}

func hashTerms(held []term) kit.Hash {
	var ids []int
	for _, one := range held {
		if one.ID > 0 && one.Slug != uncategorized {
			ids = append(ids, int(one.ID))
		}
	}
	slices.Sort(ids)
	return kit.Hash{Exact: strings.Join(kit.Each(slices.Compact(ids), strconv.Itoa), ",")}
}

// decideTerm fills in the category or brand that find returns. find makes a missing one only where own, since one
// that the merchant replaced needs none. A term that a person deleted for all products is no edit. Without an id the
// product stays as it is, unless none is wanted.
func (w *write) decideTerm(
	ctx context.Context, t *terms, group shopadapter.Fields, held []term, fields map[string]any, field string,
	find func(own bool) (id number, none bool, err error),
) error {
	if !w.Changed.Has(group) || w.p.Unknown.Has(group) {
		return nil
	}
	have, last := hashTerms(held), w.note.texts()[group]
	if have.Exact == "" {
		if lost, err := t.lost(ctx, *last, w.begunAt); err != nil {
			return err
		} else if lost {
			*last = kit.Written{}
		}
	}
	own := w.Own || last.IsOwn(have, false) || w.Reset.Has(group)
	id, none, err := find(own)
	switch {
	case err == nil && id == 0 && !none && !own:
		w.Keep(group)
		return nil
	case err != nil || id == 0 && !none || !w.Decide(group, have, hashTerms([]term{{ID: id}}), last):
		return err
	case id == 0:
		fields[field] = []map[string]any{} // null is no list
	default:
		fields[field] = []map[string]any{{"id": id}}
	}
	return nil
}

func (w *write) decideCategory(ctx context.Context, fields map[string]any) error {
	return w.decideTerm(ctx, w.a.categories.terms, shopadapter.FieldCategory, w.held.Categories, fields, "categories",
		func(own bool) (number, bool, error) {
			id, err := w.a.categories.find(ctx, w.p.Category, own, w.ref.Asked)
			return id, false, err
		})
}

func (w *write) decideBrand(ctx context.Context, fields map[string]any) error {
	name, t := strings.Join(strings.Fields(w.p.Brand), " "), w.a.brands
	return w.decideTerm(ctx, t, shopadapter.FieldBrand, w.held.Brands, fields, "brands",
		func(own bool) (id number, none bool, err error) {
			if name == "" {
				return 0, true, nil
			}
			if err = t.open(ctx, listedFor); err != nil {
				return 0, false, err
			}
			defer t.close()
			key := kit.Digest(strings.ToLower(name), 4)
			if id = t.below(0, name, key); id == 0 && own {
				id, err = t.make(ctx, 0, name, key)
			}
			return id, false, err
		})
}

type categories struct {
	*terms
	mapping mapping
	makes   bool
}

func (c *categories) digest() string {
	if len(c.mapping) == 0 && c.makes {
		return ""
	}
	return kit.Digest(kit.Encode(c.mapping)+strconv.FormatBool(c.makes), 8)
}

// find returns the category mapped to the path or the nearest above, else that of the branch, path or name, else 0.
// makes lets it make a missing branch.
func (c *categories) find(ctx context.Context, want shopadapter.Category, makes, asked bool) (number, error) {
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
	target, mapped := c.mapped(want)
	whole := len(want.Branch) > 0 &&
		!slices.ContainsFunc(want.Branch, func(l shopadapter.Level) bool { return fold(l.Name) == "" })
	id := c.called(target, false)
	if !mapped {
		id = c.branch(want)
		for _, path := range []string{want.Path, want.Label()} {
			if id == 0 { // elsewhere a category of the name is another one
				id = c.called(path, c.makes && whole)
			}
		}
	}
	if id > 0 {
		return id, nil
	}
	if !mapped && makes && c.makes && whole {
		for _, level := range want.Branch {
			parent := id
			if id = c.below(parent, level.Name, keyOf(level)); id > 0 {
				continue
			}
			var err error
			if id, err = c.make(ctx, parent, level.Name, keyOf(level)); err != nil || id == 0 {
				return 0, err
			}
		}
		return id, nil
	}
	if c.first(want.Path + "\n" + want.Trail("\n")) {
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

func (c *categories) mapped(want shopadapter.Category) (target string, ok bool) {
	above := []string{fold(want.Path)}
	for _, level := range slices.Backward(want.Branch) {
		above = append(above, fold(level.Path))
	}
	for path := above[0]; strings.Contains(path, "_"); {
		path = path[:strings.LastIndexByte(path, '_')]
		above = append(above, path)
	}
	for _, path := range above {
		if target, ok = c.mapping[path]; ok {
			return target, true
		}
	}
	return "", false
}

func (c *categories) branch(want shopadapter.Category) (id number) {
	for i, level := range want.Branch {
		if id = c.below(id, level.Name, keyOf(level)); id == 0 && i < len(want.Branch)-1 {
			return 0
		}
	}
	return id
}

// called finds the names from the root, or else the only category of this name, with root only one without a parent.
func (c *categories) called(path string, root bool) (id number) {
	const mostDeep = 20
	by := map[number]term{}
	for _, one := range c.all {
		by[one.ID] = one
	}
	want, named := fold(path), []term{}
	if want == "" {
		return 0
	}
	for _, one := range c.all {
		if fold(string(one.Name)) == want {
			named = append(named, one)
		}
		full, at := fold(string(one.Name)), one
		for deep := 0; deep < mostDeep && by[at.Parent].ID > 0; deep++ {
			at = by[at.Parent]
			full = fold(string(at.Name)) + "_" + full
		}
		if full == want {
			return one.ID
		}
	}
	if len(named) == 1 && !(root && named[0].Parent > 0) {
		return named[0].ID
	}
	return 0
}
