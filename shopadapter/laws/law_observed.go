package laws

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
)

func observedLaws() []Law {
	return []Law{
		{
			ID: "observed-as-written", check: checkObservedAsWritten,
			Sentence: "What was written is observed as it was written: SKU, price, quantity, backorders, on sale or not, " +
				"the number of pictures; a variant has the id that publishing it answered, or the marketplace's.",
		}, {
			ID: "observed-whole", check: checkObservedWhole,
			Sentence: "A complete observation is what the shop holds, each once, on sale or " +
				"not; a shop that cannot be reached ends it with one error.",
		}, {
			ID: "observed-some", check: checkObservedSome,
			Sentence: "An observation of some listings is of those and no others; one that is gone is not among the " +
				"answers, and of none there is none.",
		}, {
			ID: "observed-idle", check: checkObservedIdle,
			Sentence: "To observe changes nothing; publishing what is there afterwards changes nothing either.",
		}, {
			ID: "observed-cost", check: checkObservedCost,
			Sentence: "A complete observation costs fewer requests than there are listings.",
		}, {
			ID: "observed-foreign", needs: needs(addForeign()), check: checkObservedForeign,
			Sentence: "A product that the adapter did not make is never observed, not even where a ref points to it.",
		},
	}
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
	all, err := b.observation(ctx, shopadapter.Query{})
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
	if all, err = b.observation(ctx, shopadapter.Query{}); err != nil {
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
	all, err := b.observation(ctx, shopadapter.Query{})
	if err != nil {
		return err
	}
	if o, ok := all[b.id("deleted")]; ok {
		return fmt.Errorf("observe: got listing %s of %q, which is deleted, want none", o.Ref.Listing, b.id("deleted"))
	}
	if err := b.agreesWithShop(ctx, all); err != nil {
		return err
	}
	for _, err := range b.adapter.List(ctx, shopadapter.Query{}) {
		if err != nil {
			return fmt.Errorf("observe: %w", err)
		}
		break // a caller may stop early
	}
	return b.checkObserveFails(ctx)
}

// agreesWithShop holds an observation to what the shop shows.
func (b *bench) agreesWithShop(
	ctx context.Context, all map[shopadapter.PublicationID]shopadapter.Listed,
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

// checkObserveFails holds an observation to one error, at the end. An adapter without a transport
// is not asked.
func (b *bench) checkObserveFails(ctx context.Context) error {
	if b.NoTransport {
		return nil
	}
	lift := b.wire.arm(every, unsent)
	defer lift()
	var failed error
	for _, err := range b.adapter.List(ctx, shopadapter.Query{}) {
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
		all, err := b.observation(ctx, shopadapter.Query{Refs: tt.refs})
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
