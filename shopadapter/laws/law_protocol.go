package laws

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"sync"

	"github.com/pubsync/pubsync/shopadapter"
)

func protocolLaws() []Law {
	return []Law{
		{
			ID: "put", needs: needs(endpoint()), check: checkPut,
			Sentence: "PUT answers 200 or 201 with the listing's id; an address is absolute, and where variants are " +
				"named, they are those of the body, each with an id of its own.",
		}, {
			ID: "whole-body", needs: needs(endpoint()), check: checkWholeBody,
			Sentence: "The body is whole whatever \"changed\" names: a product that the shop does not know is made " +
				"from it.",
		}, {
			ID: "recreate", needs: needs(endpoint()), check: checkRecreate,
			Sentence: "The header Pubsync-Recreate makes no second product where there is one.",
		}, {
			ID: "delete", needs: needs(endpoint()), check: checkDelete,
			Sentence: "DELETE of a product answers 204 in both modes, DELETE of nothing 204 or 404, and the other " +
				"products stay.",
		}, {
			ID: "figures-whole", needs: needs(endpoint()), check: checkFiguresWhole,
			Sentence: "A PATCH makes nothing: of a product that the shop does not hold with these very variants it " +
				"is " +
				"answered with 404 or 409.",
		}, {
			ID: "list-agrees", needs: needs(endpoint()), check: checkListAgrees,
			Sentence: "The list holds each product once, with the id that PUT answered, and tells what is on sale " +
				"from " +
				"what is not.",
		}, {
			ID: "overlap", needs: needs(endpoint()), check: checkOverlap,
			Sentence: "A PUT that overlaps its own repetition, as after a time-out, is one product.",
		},
	}
}

func checkPut(ctx context.Context, b *bench) error {
	id := b.id("a")
	for _, step := range []struct {
		name string
		p    shopadapter.Product
	}{
		{"one variant", b.sample(b.id("one"), 1)},
		{"three variants", b.sample(id, 3)},
		{"a variant taken away", func() shopadapter.Product {
			p := b.revise(b.sample(id, 3), 1)
			p.Variants = slices.Clone(p.Variants[1:])
			p.Variants[0].Quantity = 0
			return p
		}()},
		{"variants added", b.sample(id, 4)},
	} {
		a, err := b.whole(ctx, step.p)
		if err != nil {
			return fmt.Errorf("%s: %w", step.name, err)
		}
		if u, err := url.Parse(a.URL); a.URL != "" &&
			(err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https") {
			return fmt.Errorf(`%s: the "url": got %q, want an absolute http or https address`, step.name, a.URL)
		}
		if err := ownVariants(step.p, a); err != nil {
			return fmt.Errorf("%s: %w", step.name, err)
		}
	}
	return nil
}

func checkWholeBody(ctx context.Context, b *bench) error {
	for _, changed := range []shopadapter.Fields{
		shopadapter.NoFields, shopadapter.FieldStock, shopadapter.FieldPrice | shopadapter.FieldImages,
	} {
		p := b.sample(b.id(changed.String()), 2)
		a, err := b.sent(ctx, p, changed, nil)
		if err == nil {
			err = ownVariants(p, a)
		}
		if err != nil {
			return fmt.Errorf("changed %s: %w", changed, err)
		}
	}
	return nil
}

func checkRecreate(ctx context.Context, b *bench) error {
	p := b.sample(b.id("a"), 2)
	first, err := b.whole(ctx, p)
	if err != nil {
		return err
	}
	again, err := b.sent(ctx, p, shopadapter.AllFields, http.Header{"Pubsync-Recreate": {"true"}})
	if err != nil {
		return err
	}
	return same(first, again)
}

func checkDelete(ctx context.Context, b *bench) error {
	for _, how := range bothWays() {
		p, other := b.sample(b.id(how.String()), 2), b.sample(b.id(how.String()+"-other"), 2)
		if _, err := b.whole(ctx, p); err != nil {
			return err
		}
		before, err := b.whole(ctx, other)
		if err != nil {
			return err
		}
		status, err := b.removed(ctx, p.ID, how)
		if err != nil {
			return err
		}
		if status != http.StatusNoContent {
			return fmt.Errorf("DELETE of a product with mode=%s: got %d, want 204", how, status)
		}
		for _, of := range []shopadapter.PublicationID{p.ID, b.id("never-" + how.String())} {
			status, err := b.removed(ctx, of, how)
			if err != nil {
				return err
			}
			if status != http.StatusNoContent && status != http.StatusNotFound {
				return fmt.Errorf("DELETE of %q, which is gone, with mode=%s: got %d, want 204 or 404", of, how, status)
			}
		}
		after, err := b.whole(ctx, other)
		if err == nil {
			err = same(before, after)
		}
		if err != nil {
			return fmt.Errorf("another product, after a DELETE with mode=%s: %w", how, err)
		}
	}
	return nil
}

func checkFiguresWhole(ctx context.Context, b *bench) error {
	if !b.Endpoint.AcceptsFigures() {
		return &Skip{`GET /health does not say "figures": true, so each change comes as a PUT`}
	}
	p := b.sample(b.id("a"), 2)
	if _, err := b.whole(ctx, p); err != nil {
		return err
	}
	patched := func(what string, of shopadapter.Product) error {
		body, err := b.Endpoint.Figures(of)
		if err != nil {
			return err
		}
		r, err := b.send(ctx, Request{Method: http.MethodPatch, Path: b.Endpoint.Path(of.ID), Body: body})
		if err == nil && r.Status != http.StatusNotFound && r.Status != http.StatusConflict {
			err = fmt.Errorf("a PATCH %s: got %d, want 404 or 409", what, r.Status)
		}
		return err
	}
	fewer := p
	fewer.Variants = p.Variants[:1]
	for _, c := range []struct {
		what string
		of   shopadapter.Product
	}{
		{"of a product that was never put", b.sample(b.id("never"), 2)},
		{"with one more variant", b.sample(p.ID, 3)},
		{"with one variant less", fewer},
	} {
		if err := patched(c.what, c.of); err != nil {
			return err
		}
	}
	if _, err := b.removed(ctx, p.ID, shopadapter.Delete); err != nil {
		return err
	}
	return patched("of a product that was deleted", p)
}

func checkListAgrees(ctx context.Context, b *bench) error {
	all, err := b.listed(ctx)
	switch {
	case err != nil:
		return err
	case all == nil:
		return &Skip{"the endpoint has no list: GET {base}/products?after= answers 404"}
	}
	const n = 5
	answered := map[shopadapter.PublicationID]string{}
	var ids []shopadapter.PublicationID
	for i := range n {
		p := b.sample(b.id(fmt.Sprint(i)), 1)
		a, err := b.whole(ctx, p)
		if err != nil {
			return err
		}
		ids, answered[p.ID] = append(ids, p.ID), a.ID
	}
	offline, deleted := ids[0], ids[1]
	if _, err := b.removed(ctx, offline, shopadapter.TakeOffline); err != nil {
		return err
	}
	if _, err := b.removed(ctx, deleted, shopadapter.Delete); err != nil {
		return err
	}
	if all, err = b.listed(ctx); err != nil {
		return err
	}
	for _, id := range ids {
		entries, want := all[id], 1
		if id == deleted {
			want = 0
		}
		if id == offline && len(entries) == 0 {
			continue // a shop may forget what it took out of sale
		}
		if len(entries) != want {
			return fmt.Errorf("products of %q in the list: got %d, want %d", id, len(entries), want)
		}
		if want == 0 {
			continue
		}
		if got := entries[0].ID; got != answered[id] {
			return fmt.Errorf(
				"the id of %q in the list: got %q, want the one that PUT answered, %q",
				id,
				got,
				answered[id],
			)
		}
		if got, want := entries[0].OnSale, id != offline; got != want {
			return fmt.Errorf("onSale of %q in the list: got %t, want %t", id, got, want)
		}
	}
	return nil
}

func checkOverlap(ctx context.Context, b *bench) error {
	for round := range 4 {
		p := b.sample(b.id(fmt.Sprint(round)), 3)
		var answers [3]Answer
		var errs [3]error
		var group sync.WaitGroup
		for i := range answers {
			group.Go(func() { answers[i], errs[i] = b.whole(ctx, p) })
		}
		group.Wait()
		if err := errors.Join(errs[:]...); err != nil {
			return err
		}
		for _, a := range answers[1:] {
			if a.ID != answers[0].ID {
				return fmt.Errorf("the listings of %q: got %q and %q, want one", p.ID, answers[0].ID, a.ID)
			}
		}
		all, err := b.listed(ctx)
		if err != nil {
			return err
		}
		if n := len(all[p.ID]); all != nil && n != 1 {
			return fmt.Errorf("products of %q in the list: got %d, want 1", p.ID, n)
		}
	}
	return nil
}
