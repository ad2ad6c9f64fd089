package laws

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
)

func observedLaws() []Law {
	return []Law{
		{
			ID: "observed-as-written", needs: needs(observer()), check: checkObservedAsWritten,
			Sentence: "What was written is observed as it was written: SKU, price, quantity, backorders, on sale or not, " +
				"the number of pictures; a variant has the id that publishing it answered, or the marketplace's.",
		}, {
			ID: "observed-whole", needs: needs(observer()), check: checkObservedWhole,
			Sentence: "A complete observation is what the shop holds and what Listings ranges over, each once, on sale or " +
				"not; a shop that cannot be reached ends it with one error.",
		}, {
			ID: "observed-some", needs: needs(observer()), check: checkObservedSome,
			Sentence: "An observation of some listings is of those and no others; one that is gone is not among the " +
				"answers, and of none there is none.",
		}, {
			ID: "observed-since", needs: needs(observer()), check: checkObservedSince,
			Sentence: "A listing that changed at a moment or later, or one of whose variants did, is observed since that " +
				"moment.",
		}, {
			ID: "observed-idle", needs: needs(observer()), check: checkObservedIdle,
			Sentence: "To observe changes nothing, not even when a listing last changed; publishing what is there " +
				"afterwards changes nothing either.",
		}, {
			ID: "observed-cost", needs: needs(observer()), check: checkObservedCost,
			Sentence: "A complete observation costs fewer requests than there are listings.",
		}, {
			ID: "observed-foreign", needs: needs(observer(), addForeign()), check: checkObservedForeign,
			Sentence: "A product that the adapter did not make is never observed, not even where a ref points to it.",
		},
	}
}

// observation observes, and gives the law's own publications.
func (b *bench) observation(ctx context.Context, what shopadapter.Observation) (
	map[shopadapter.PublicationID]shopadapter.Observed, error,
) {
	b.begin("observe (%s)", asked(what))
	o := shopadapter.ObserverOf(ctx, b.adapter)
	if o == nil {
		return nil, &Skip{notObserved}
	}
	all := map[shopadapter.PublicationID]shopadapter.Observed{}
	for one, err := range o.Observe(ctx, what) {
		id := one.Ref.Publication
		_, twice := all[id]
		switch {
		case err != nil:
			return nil, fmt.Errorf("observe: %w", err)
		case id == "":
			return nil, fmt.Errorf("observe: got listing %q without a publication, want none", one.Ref.Listing)
		case twice:
			return nil, fmt.Errorf("observe: got %q twice, want it once", id)
		case strings.HasPrefix(string(id), string(b.id(""))):
			all[id] = one
		}
	}
	return all, nil
}

// asked is an observation in words.
func asked(what shopadapter.Observation) string {
	switch {
	case what.Complete():
		return "all"
	case what.Refs != nil:
		return fmt.Sprintf("%d listings", len(what.Refs))
	default:
		return "since " + what.Since.UTC().Format("15:04:05.000")
	}
}

// watched is one publication as a complete observation has it.
func (b *bench) watched(ctx context.Context, id shopadapter.PublicationID) (shopadapter.Observed, error) {
	all, err := b.observation(ctx, shopadapter.Observation{})
	if err != nil {
		return shopadapter.Observed{}, err
	}
	o, ok := all[id]
	if !ok {
		return o, fmt.Errorf("observe: got nothing of %q, want its listing", id)
	}
	return o, nil
}

// expectObserved is nil when a complete observation has p as it was written, on sale.
func (b *bench) expectObserved(ctx context.Context, p shopadapter.Product, l shopadapter.Listing) error {
	o, err := b.watched(ctx, p.ID)
	if err != nil {
		return err
	}
	return b.asWritten(o, p, l)
}

// asWritten compares an observation with what was published, and what that answered.
func (b *bench) asWritten(o shopadapter.Observed, p shopadapter.Product, l shopadapter.Listing) error {
	var faults []error
	wrong := func(what string, got, want any) {
		faults = append(faults, fmt.Errorf("observed of %q: %s: got %v, want %v", p.ID, what, got, want))
	}
	if o.Ref.Listing != l.ID {
		wrong("the listing", o.Ref.Listing, l.ID)
	}
	if !o.OnSale {
		wrong("on sale", false, true)
	}
	told := o.Images >= 0 || !b.Hidden.Has(shopadapter.FieldImages)
	if want := len(p.Pictures()); told && o.Images != want {
		wrong("the number of pictures", o.Images, want)
	}
	if o.Variants == nil && b.Hidden.Has(figures) {
		return errors.Join(faults...)
	}
	if len(o.Variants) != len(p.Variants) {
		wrong("the number of variants", len(o.Variants), len(p.Variants))
	}
	for _, v := range p.Variants {
		faults = append(faults, b.variantAsWritten(o, v, l))
	}
	return errors.Join(faults...)
}

func (b *bench) variantAsWritten(o shopadapter.Observed, v shopadapter.Variant, l shopadapter.Listing) error {
	got, err := observedVariant(o, v.ID, l)
	if err != nil {
		return err
	}
	var faults []error
	wrong := func(what string, got, want any) {
		faults = append(faults, fmt.Errorf("observed of variant %s: %s: got %v, want %v", v.ID, what, got, want))
	}
	if got.SKU != v.SKU && !b.Hidden.Has(shopadapter.FieldVariants) {
		wrong("sku", got.SKU, v.SKU)
	}
	if !sameAmount(got.Price, v.Price) && !b.Hidden.Has(shopadapter.FieldPrice) {
		wrong("price", got.Price, v.Price)
	}
	if stock := !b.Hidden.Has(shopadapter.FieldStock); stock {
		if got.Uncounted {
			wrong("uncounted", true, false)
		}
		if got.Quantity != v.Quantity {
			wrong("quantity", got.Quantity, v.Quantity)
		}
		if got.Backorders != v.Backorders {
			wrong("backorders", got.Backorders, v.Backorders)
		}
	}
	if !got.OnSale {
		wrong("on sale", false, true)
	}
	return errors.Join(faults...)
}

// observedVariant is the variant of the marketplace's id.
func observedVariant(o shopadapter.Observed, id string, l shopadapter.Listing) (shopadapter.ObservedVariant, error) {
	var found []shopadapter.ObservedVariant
	ids := make([]string, 0, len(o.Variants))
	for _, v := range o.Variants {
		if ids = append(ids, v.ID); v.ID == id || v.ID == l.Variants[id] && v.ID != "" {
			found = append(found, v)
		}
	}
	if len(found) != 1 {
		return shopadapter.ObservedVariant{}, fmt.Errorf(
			"observed of %q: variants with the id %s, or %s: got %d among %q, want 1",
			o.Ref.Publication, l.Variants[id], id, len(found), ids,
		)
	}
	return found[0], nil
}

func checkObservedAsWritten(ctx context.Context, b *bench) error {
	for _, variants := range []int{1, 3} {
		p := b.sample(b.id(fmt.Sprint("variants-", variants)), variants)
		ref, listing, err := b.put(ctx, b.ref(p.ID), p, shopadapter.AllFields)
		if err != nil {
			return err
		}
		if err := b.expectObserved(ctx, p, listing); err != nil {
			return err
		}
		p = b.revise(p, 1)
		p.Variants[0].Quantity, p.Variants[0].Backorders = 0, true
		if ref, listing, err = b.put(ctx, ref, p, shopadapter.AllFields); err != nil {
			return err
		}
		if err := b.expectObserved(ctx, p, listing); err != nil {
			return fmt.Errorf("after a change: %w", err)
		}
		if err := b.observedOffSale(ctx, ref); err != nil {
			return err
		}
	}
	return nil
}

// observedOffSale takes a listing out of sale, and then deletes it.
func (b *bench) observedOffSale(ctx context.Context, ref shopadapter.Ref) error {
	if err := b.unpublish(ctx, ref, shopadapter.TakeOffline); err != nil {
		return err
	}
	all, err := b.observation(ctx, shopadapter.Observation{})
	if err != nil {
		return err
	}
	o, ok := all[ref.Publication]
	if !ok && b.Endpoint == nil { // an endpoint may forget what it took out of sale
		return fmt.Errorf("observe: got nothing of %q, which is out of sale, want its listing", ref.Publication)
	}
	if o.OnSale {
		return fmt.Errorf("observed of %q, which is out of sale: got it on sale, want it not", ref.Publication)
	}
	if err := b.unpublish(ctx, ref, shopadapter.Delete); err != nil {
		return err
	}
	if all, err = b.observation(ctx, shopadapter.Observation{}); err != nil {
		return err
	}
	if _, ok := all[ref.Publication]; ok {
		return fmt.Errorf("observe: got %q, which is deleted, want nothing of it", ref.Publication)
	}
	return nil
}

func checkObservedWhole(ctx context.Context, b *bench) error {
	refs := map[string]shopadapter.Ref{}
	for name, variants := range map[string]int{"shown": 3, "plain": 1, "hidden/../?#": 1, "deleted": 1} {
		ref, err := b.made(ctx, b.sample(b.id(name), variants))
		if err != nil {
			return err
		}
		refs[name] = ref
	}
	if err := b.unpublish(ctx, refs["hidden/../?#"], shopadapter.TakeOffline); err != nil {
		return err
	}
	if err := b.unpublish(ctx, refs["deleted"], shopadapter.Delete); err != nil {
		return err
	}
	all, err := b.observation(ctx, shopadapter.Observation{})
	if err != nil {
		return err
	}
	if o, ok := all[b.id("deleted")]; ok {
		return fmt.Errorf("observe: got listing %s of %q, which is deleted, want none", o.Ref.Listing, b.id("deleted"))
	}
	if err := b.agreesWithShop(ctx, all); err != nil {
		return err
	}
	if err := b.agreesWithListings(ctx, all); err != nil {
		return err
	}
	for _, err := range shopadapter.ObserverOf(ctx, b.adapter).Observe(ctx, shopadapter.Observation{}) {
		if err != nil {
			return fmt.Errorf("observe: %w", err)
		}
		break // a caller may stop early
	}
	return b.checkObserveFails(ctx)
}

// agreesWithShop holds an observation to what the shop shows.
func (b *bench) agreesWithShop(
	ctx context.Context, all map[shopadapter.PublicationID]shopadapter.Observed,
) error {
	products, err := b.snapshot(ctx)
	if err != nil {
		return err
	}
	held := 0
	for _, s := range products {
		if !strings.HasPrefix(string(s.Publication), string(b.id(""))) {
			continue
		}
		held++
		o, ok := all[s.Publication]
		switch {
		case !ok:
			return fmt.Errorf("observe: got nothing of %q, want its listing", s.Publication)
		case o.Ref.Listing != s.Listing:
			return fmt.Errorf("observed of %q: got listing %s, want %s", s.Publication, o.Ref.Listing, s.Listing)
		case o.OnSale != s.OnSale:
			return fmt.Errorf("observed of %q: on sale: got %t, want %t", s.Publication, o.OnSale, s.OnSale)
		}
	}
	if len(all) != held {
		return fmt.Errorf("listings observed: got %d, want the %d that the shop holds", len(all), held)
	}
	return nil
}

func (b *bench) agreesWithListings(
	ctx context.Context, all map[shopadapter.PublicationID]shopadapter.Observed,
) error {
	lister, ok := b.adapter.(shopadapter.Lister)
	if !ok {
		return nil
	}
	for l, err := range lister.Listings(ctx) {
		if errors.Is(err, shopadapter.ErrNoList) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("listings: %w", err)
		}
		id := l.Ref.Publication
		if !strings.HasPrefix(string(id), string(b.id(""))) {
			continue
		}
		o := all[id]
		if o.Ref.Listing != l.Ref.Listing || o.URL != l.URL || o.OnSale != l.OnSale {
			return fmt.Errorf(
				"observed of %q: got listing %s at %q, on sale %t, want as in listings: %s at %q, on sale %t",
				id, o.Ref.Listing, o.URL, o.OnSale, l.Ref.Listing, l.URL, l.OnSale,
			)
		}
	}
	return nil
}

// checkObserveFails holds an observation to one error, at the end. An adapter without a transport
// is not asked.
func (b *bench) checkObserveFails(ctx context.Context) error {
	if b.NoTransport {
		return nil
	}
	o := shopadapter.ObserverOf(ctx, b.adapter)
	lift := b.wire.arm(every, unsent)
	defer lift()
	var failed error
	for _, err := range o.Observe(ctx, shopadapter.Observation{}) {
		if failed != nil {
			return fmt.Errorf("observe went on after the error %w", failed)
		}
		failed = err
	}
	if failed == nil {
		return errors.New("observe of a shop that cannot be reached ended without an error: it looks empty")
	}
	return nil
}

func checkObservedSome(ctx context.Context, b *bench) error {
	refs := map[string]shopadapter.Ref{}
	for _, name := range []string{"a", "b", "c", "deleted"} {
		ref, err := b.made(ctx, b.sample(b.id(name), 2))
		if err != nil {
			return err
		}
		refs[name] = ref
	}
	if err := b.unpublish(ctx, refs["deleted"], shopadapter.Delete); err != nil {
		return err
	}
	stateless := refs["a"]
	stateless.State = nil
	for _, tt := range []struct {
		name string
		refs []shopadapter.Ref
		want []string
	}{
		{"one", []shopadapter.Ref{refs["b"]}, []string{"b"}},
		{"without its state", []shopadapter.Ref{stateless}, []string{"a"}},
		{"two", []shopadapter.Ref{refs["c"], refs["a"]}, []string{"a", "c"}},
		{"one that is gone", []shopadapter.Ref{refs["deleted"]}, nil},
		{"one beside one that is gone", []shopadapter.Ref{refs["deleted"], refs["b"]}, []string{"b"}},
		{"none", []shopadapter.Ref{}, nil},
	} {
		all, err := b.observation(ctx, shopadapter.Observation{Refs: tt.refs})
		if err != nil {
			return fmt.Errorf("%s: %w", tt.name, err)
		}
		if len(all) != len(tt.want) {
			return fmt.Errorf("%s: listings observed: got %d, want %d", tt.name, len(all), len(tt.want))
		}
		for _, name := range tt.want {
			if all[b.id(name)].Ref.Listing != refs[name].Listing {
				return fmt.Errorf(
					"%s: the listing of %s: got %q, want %q", tt.name, name, all[b.id(name)].Ref.Listing, refs[name].Listing,
				)
			}
		}
	}
	return nil
}

// coarse is how far a shop's dates may lie before the moment that they stand for.
const coarse = 2 * time.Second

func checkObservedSince(ctx context.Context, b *bench) error {
	steps := []shopadapter.Fields{
		shopadapter.FieldPrice, shopadapter.FieldStock, shopadapter.FieldTitle, shopadapter.AllFields,
	}
	products, refs := make([]shopadapter.Product, len(steps)), make([]shopadapter.Ref, len(steps))
	for n, changed := range steps {
		products[n] = b.sample(b.id(changed.String()), 3)
		var err error
		if refs[n], err = b.made(ctx, products[n]); err != nil {
			return err
		}
	}
	since, err := b.moment(ctx)
	if err != nil {
		return err
	}
	for n, changed := range steps {
		p := merge(products[n], b.revise(products[n], n+1), changed)
		_, listing, err := b.put(ctx, refs[n], p, changed)
		if err != nil {
			return err
		}
		all, err := b.observation(ctx, shopadapter.Observation{Since: since})
		if err != nil {
			return err
		}
		o, ok := all[p.ID]
		if !ok {
			return fmt.Errorf("since before a change of %s: got nothing of %q, want its listing", changed, p.ID)
		}
		if err := b.asWritten(o, p, listing); err != nil {
			return fmt.Errorf("since before a change of %s: %w", changed, err)
		}
		if told := !o.ChangedAt.IsZero(); told && o.ChangedAt.Before(since.Add(-coarse)) {
			return fmt.Errorf("changed at, after a change of %s: got %s, want %s or later", changed, o.ChangedAt, since)
		}
	}
	return nil
}

func checkObservedIdle(ctx context.Context, b *bench) error {
	p := b.sample(b.id("idle"), 3)
	ref, err := b.made(ctx, p)
	if err != nil {
		return err
	}
	before, err := b.snapshot(ctx)
	if err != nil {
		return err
	}
	count := b.wire.count()
	first, err := b.watched(ctx, p.ID)
	if err != nil {
		return err
	}
	if _, writes := count(); len(writes) > 0 {
		return fmt.Errorf("requests of an observation: got %q, want none that writes", writes)
	}
	again, err := b.watched(ctx, p.ID)
	if err != nil {
		return err
	}
	if !again.ChangedAt.Equal(first.ChangedAt) {
		return fmt.Errorf("changed at, observed again: got %s, want %s", again.ChangedAt, first.ChangedAt)
	}
	if err := b.unchanged(ctx, before); err != nil {
		return fmt.Errorf("after an observation: %w", err)
	}
	if _, _, err := b.put(ctx, ref, p, shopadapter.NoFields); err != nil {
		return err
	}
	if err := b.unchanged(ctx, before); err != nil {
		return fmt.Errorf("published again after an observation: %w", err)
	}
	return nil
}

func checkObservedCost(ctx context.Context, b *bench) error {
	if b.NoTransport {
		return &Skip{"the adapter makes no requests"}
	}
	const few, more = 2, 10
	cost := func() (requests int, err error) {
		count := b.wire.count()
		_, err = b.observation(ctx, shopadapter.Observation{})
		requests, _ = count()
		return requests, err
	}
	if _, err := cost(); err != nil { // what is read once is read here
		return err
	}
	for n := range few {
		if _, err := b.made(ctx, b.sample(b.id(fmt.Sprint("few-", n)), 2)); err != nil {
			return err
		}
	}
	before, err := cost()
	if err != nil {
		return err
	}
	for n := range more {
		if _, err := b.made(ctx, b.sample(b.id(fmt.Sprint("more-", n)), 2)); err != nil {
			return err
		}
	}
	after, err := cost()
	if err != nil {
		return err
	}
	if after-before >= more {
		return fmt.Errorf("requests for %d listings more: got %d, want fewer", more, after-before)
	}
	return nil
}

func checkObservedForeign(ctx context.Context, b *bench) error {
	p := b.sample(b.id("ours"), 1)
	if _, err := b.made(ctx, p); err != nil {
		return err
	}
	stranger := b.sample(b.id("stranger"), 2)
	foreign, err := b.AddForeign(ctx, clone(stranger))
	if err != nil {
		return fmt.Errorf("add foreign: %w", err)
	}
	for _, what := range []shopadapter.Observation{
		{}, {Refs: []shopadapter.Ref{{Publication: stranger.ID, Listing: foreign}}},
	} {
		all, err := b.observation(ctx, what)
		if err != nil {
			return err
		}
		for id, o := range all {
			if id != p.ID || o.Ref.Listing == foreign {
				return fmt.Errorf("observe (%s): got %q, listing %s, which is foreign", asked(what), id, o.Ref.Listing)
			}
		}
	}
	return nil
}
