package laws_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
)

// A refAdapter keeps every law over a refShop. A sabotage makes it break one, in the way that an
// adapter's author plausibly would.
type refAdapter struct {
	client   *http.Client
	sabotage sabotage
	adopting bool // a product of the merchant's own with our SKUs is taken over

	mu      sync.Mutex
	prices  shopadapter.Prices                     // as the last Check found them
	current shopadapter.Product                    // of the saboteur that shares one product between all calls
	wrote   map[shopadapter.ListingID][]refVariant // of the saboteur that remembers what it wrote
}

func newRefAdapter(rt http.RoundTripper, s sabotage) *refAdapter {
	client := &http.Client{
		Transport:     rt,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	if s == followsRedirects {
		client.CheckRedirect = nil
	}
	return &refAdapter{client: client, sabotage: s}
}

func (a *refAdapter) Publish(
	ctx context.Context,
	ref shopadapter.Ref,
	p shopadapter.Product,
	changed shopadapter.Fields,
) (shopadapter.Listing, error) {
	p = a.entered(p)
	if p.Figures {
		return a.restock(ctx, ref, p.Variants, changed)
	}
	switch a.sabotage {
	case ignoresContext:
		ctx = context.WithoutCancel(ctx)
	case checksContextOnce:
		if err := ctx.Err(); err != nil {
			return shopadapter.Listing{}, err
		}
		ctx = context.WithoutCancel(ctx)
	case sortsVariants:
		slices.SortFunc(p.Variants, func(x, y shopadapter.Variant) int { return strings.Compare(y.SKU, x.SKU) })
	case appendsToImages:
		_ = append(p.Images, "https://images.example.com/logo.png")
	case sharesProduct:
		a.mu.Lock()
		a.current = p
		a.mu.Unlock()
	case writesEverything:
		changed = shopadapter.AllFields
	}
	have, err := a.find(ctx, ref)
	if err != nil {
		return shopadapter.Listing{}, err
	}
	if have == nil && ref.Listing == "" && a.adopting {
		if have, err = a.takeOver(ctx, p); err != nil {
			return shopadapter.Listing{}, err
		}
	}
	if a.sabotage == sharesProduct {
		a.mu.Lock()
		p = a.current
		a.mu.Unlock()
	}
	if have == nil {
		if have, err = a.unstamped(ctx, ref); err != nil {
			return shopadapter.Listing{}, err
		}
	}
	if have == nil && ref.Listing != "" && a.sabotage != recreates && a.sabotage != believesHint {
		return shopadapter.Listing{}, shopadapter.ErrGone
	}
	if have != nil && !have.OnSale && (ref.OnSale && a.sabotage != showsHidden || a.sabotage == leavesHidden) {
		return shopadapter.Listing{}, shopadapter.ErrHidden
	}
	return a.write(ctx, ref, have, p, changed)
}

// entered is p with its prices in the form in which the shop takes them.
func (a *refAdapter) entered(p shopadapter.Product) shopadapter.Product {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.sabotage == writesGross {
		return p
	}
	return a.prices.Product(p)
}

// write builds the listing up and puts it on sale last.
func (a *refAdapter) write(
	ctx context.Context,
	ref shopadapter.Ref,
	have *refProduct,
	p shopadapter.Product,
	changed shopadapter.Fields,
) (listing shopadapter.Listing, err error) {
	album := a.album(ref.State)
	defer func() { listing.State, _ = json.Marshal(album) }()
	if have == nil {
		if have, listing.Missing, err = a.create(ctx, p, album); err != nil {
			return listing, err
		}
		changed = shopadapter.AllFields
	} else {
		if listing.Kept, listing.Missing, err = a.writeText(ctx, have, p, changed, ref.Reset, album); err != nil {
			return listing, err
		}
	}
	listing.ID, listing.URL = shopadapter.ListingID(have.ID), "https://shop.example.com/"+have.ID
	album[madeKey] = have.ID
	if a.sabotage == believesState {
		p = have.believed(p, album)
	}
	if p, err = a.follow(have, p, album); err != nil {
		return listing, err
	}
	if ref.Revive && a.sabotage != neverRevives {
		if err := a.revive(ctx, have); err != nil {
			return listing, err
		}
	}
	brand, err := a.writeBrand(ctx, have, p, changed, ref.Reset)
	if err != nil {
		return listing, err
	}
	facts, details := a.facts(have, p, changed, ref.Reset)
	listing.Kept |= brand | details
	made, refused, err := a.writeVariants(ctx, have, p, changed, facts)
	listing.Variants, listing.Refused = shopadapter.Made(made), refused
	if err != nil {
		return listing, err
	}
	if a.sabotage == observesMemory {
		a.memorise(listing, p)
	}
	if err := a.remember(ctx, have, album); err != nil {
		return listing, err
	}
	if len(listing.Variants) == 0 && a.sabotage != nothingLeftIsFine {
		if err := a.patch(ctx, have, map[string]any{"onSale": false}); err != nil {
			return listing, err
		}
		return listing, shopadapter.Reject("the shop refuses every variant")
	}
	switch {
	case !p.Draft, a.sabotage == sellsDrafts:
	case have.OnSale && a.sabotage == hidesAsDraft:
		listing.Draft = true
		return listing, a.patch(ctx, have, map[string]any{"onSale": false})
	case !have.OnSale:
		listing.Draft = a.sabotage != draftsSilently
		return listing, nil
	}
	if !have.OnSale && (a.sabotage != staysOff || have.Meta["seen"] == "") {
		return listing, a.patch(ctx, have, map[string]any{"onSale": true, "meta": map[string]string{"seen": "yes"}})
	}
	return listing, nil
}

func (a *refAdapter) create(ctx context.Context, p shopadapter.Product, album map[string]string) (
	*refProduct, []shopadapter.Picture, error,
) {
	pictures, missing, err := a.upload(ctx, p.Images, album)
	if err != nil {
		return nil, nil, err
	}
	made := refProduct{
		Title:       p.Title,
		Description: p.Description,
		Category:    p.Category.Path,
		Words:       p.Translations,
		Pictures:    pictures,
		OnSale:      a.sabotage == onSaleFirst,
	}
	stamp := map[shopadapter.Fields]string{}
	for _, group := range textGroups() {
		stamp[group] = made.hash(group)
	}
	made.Meta = map[string]string{"key": string(p.ID), "stamp": stampText(stamp)}
	if a.sabotage == createsThenStamps {
		meta := made.Meta
		made.Meta = nil
		if err := a.call(ctx, http.MethodPost, "/products", made, &made); err != nil {
			return nil, nil, err
		}
		return &made, missing, a.patch(ctx, &made, map[string]any{"meta": meta})
	}
	return &made, missing, a.call(ctx, http.MethodPost, "/products", made, &made)
}

// writeText writes the text groups that changed and that the merchant has not edited, together with
// the stamp that says what was written.
func (a *refAdapter) writeText(
	ctx context.Context,
	have *refProduct,
	p shopadapter.Product,
	changed, reset shopadapter.Fields,
	album map[string]string,
) (kept shopadapter.Fields, missing []shopadapter.Picture, err error) {
	want, stamp := have.clone(), readStamp(have.Meta["stamp"])
	for _, group := range textGroups() {
		edited := stamp[group] != have.hash(group)
		if !changed.Has(group) {
			continue
		}
		if edited && (!reset.Has(group) || a.sabotage == forgetsReset) && a.sabotage != overwritesEdits {
			kept |= group
			continue
		}
		switch group {
		case shopadapter.FieldTitle:
			want.Title = p.Title
		case shopadapter.FieldDescription:
			want.Description, want.Words = p.Description, p.Translations
		case shopadapter.FieldCategory:
			want.Category = p.Category.Path
		case shopadapter.FieldImages:
			var pictures []string
			pictures, missing, err = a.upload(ctx, p.Images, album)
			if err != nil {
				return kept, missing, err
			}
			if a.sabotage == appendsPictures {
				pictures = slices.Concat(have.Pictures, pictures)
			}
			want.Pictures = pictures
		}
		stamp[group] = want.hash(group)
	}
	meta := map[string]string{"stamp": stampText(stamp)}
	texts := map[string]any{
		"title":       want.Title,
		"description": want.Description,
		"words":       want.Words,
		"category":    want.Category,
		"pictures":    want.Pictures,
		"meta":        meta,
	}
	if a.sabotage == keepsSilently {
		kept = 0
	}
	want.Meta["stamp"] = meta["stamp"]
	if reflect.DeepEqual(want, have.clone()) {
		return kept, missing, nil
	}
	if a.sabotage == stampsLater {
		delete(texts, "meta")
		if err := a.patch(ctx, have, texts); err != nil {
			return kept, missing, err
		}
		texts = map[string]any{"meta": meta}
	}
	return kept, missing, a.patch(ctx, have, texts)
}

func (a *refAdapter) writeVariants(
	ctx context.Context,
	have *refProduct,
	p shopadapter.Product,
	changed shopadapter.Fields,
	facts map[string]refFacts,
) (ids, refused map[string]string, err error) {
	ids, refused = map[string]string{}, map[string]string{}
	base := "/products/" + url.PathEscape(have.ID) + "/variants"
	for i, v := range have.Variants {
		wanted := slices.ContainsFunc(p.Variants, func(w shopadapter.Variant) bool { return w.ID == v.Ref })
		double := slices.ContainsFunc(have.Variants[:i], func(w refVariant) bool { return w.Ref == v.Ref })
		if wanted && !double || a.sabotage == neverRemoves {
			continue
		}
		if err := a.call(ctx, http.MethodDelete, base+"/"+v.ID, nil, nil); err != nil && !errors.Is(err, errNotFound) {
			return nil, nil, err
		}
	}
	for _, w := range p.Variants {
		i := slices.IndexFunc(have.Variants, func(v refVariant) bool { return v.Ref == w.ID })
		v, method, path := refVariant{Ref: w.ID}, http.MethodPost, base
		groups := shopadapter.AllFields
		if i >= 0 {
			v, method, path, groups = have.Variants[i], http.MethodPatch, base+"/"+have.Variants[i].ID, changed
		}
		before := v
		a.fill(&v, w, groups, i < 0)
		v.Facts = facts[w.ID]
		if i < 0 && a.sabotage == makesOnce && len(have.Variants) > 0 {
			ids[w.ID] = "made before"
			continue
		}
		if i < 0 || !reflect.DeepEqual(before, v) {
			err = a.call(ctx, method, path, v, &v)
		}
		if e := shopadapter.Explain(err); e != nil && e.Kind == shopadapter.Rejected && a.sabotage != refusalIsFatal {
			refused[w.ID], err = e.Message, nil
			if i >= 0 {
				err = a.call(ctx, http.MethodDelete, path, nil, nil)
			}
		} else if err == nil {
			ids[w.ID] = v.ID
		}
		if err != nil {
			return nil, nil, err
		}
	}
	return ids, refused, nil
}

// revive switches on again what somebody switched off.
func (a *refAdapter) revive(ctx context.Context, have *refProduct) error {
	for i := range have.Variants {
		v := &have.Variants[i]
		if !v.Off {
			continue
		}
		v.Off = false
		path := "/products/" + url.PathEscape(have.ID) + "/variants/" + v.ID
		if err := a.call(ctx, http.MethodPatch, path, v, v); err != nil {
			return err
		}
	}
	return nil
}

func (a *refAdapter) fill(v *refVariant, w shopadapter.Variant, groups shopadapter.Fields, made bool) {
	if a.sabotage == switchesOn {
		v.Off = false
	}
	if groups.Has(shopadapter.FieldVariants) {
		v.SKU = w.SKU
		if made || a.sabotage != optionsOnce && a.sabotage != ownNames {
			v.Options = append([]shopadapter.Option{}, w.Options...)
		}
	}
	if groups.Has(shopadapter.FieldPrice) {
		v.Price = w.Price
		if a.sabotage == roundsPrices {
			v.Price, _, _ = strings.Cut(w.Price, ".")
		}
	}
	if groups.Has(shopadapter.FieldStock) && (made || a.sabotage != stockOnce) {
		v.Quantity, v.Backorders = w.Quantity, w.Backorders
	}
}

// upload is the ids of the pictures at the addresses, and those that cannot be shown. A picture is
// uploaded only where the shop does not have it.
func (a *refAdapter) upload(ctx context.Context, addresses []string, album map[string]string) (
	ids []string, missing []shopadapter.Picture, err error,
) {
	ids = make([]string, 0, len(addresses))
	for _, address := range addresses {
		if album[address] == "" || a.sabotage == uploadsAlways {
			made, err := a.take(ctx, address)
			if err != nil {
				return nil, nil, err
			}
			if made.ID == "" && a.sabotage == givesUpPictures {
				album[address] = givenUp
			} else if made.ID == "" {
				missing = append(missing, shopadapter.Picture{
					URL: address, Reason: made.Problem, Later: made.Later && a.sabotage != neverLater || a.sabotage == alwaysLater,
				})
				continue
			} else {
				album[address] = made.ID
			}
		}
		if album[address] == givenUp {
			missing = append(
				missing,
				shopadapter.Picture{URL: address, Reason: "the shop did not take it", Later: true},
			)
			continue
		}
		ids = append(ids, album[address])
	}
	if a.sabotage == forgetsPictures {
		missing = nil
	}
	return ids, missing, nil
}

// givenUp stands in the album of the saboteur that tries a picture once.
const givenUp = "given up"

// take is the shop's picture of an address. It has no id where the shop cannot take it.
func (a *refAdapter) take(ctx context.Context, address string) (refPicture, error) {
	var found []refPicture
	if err := a.call(ctx, http.MethodGet, "/pictures?address="+url.QueryEscape(address), nil, &found); err != nil {
		return refPicture{}, err
	}
	if len(found) > 0 && a.sabotage != uploadsAlways && a.sabotage != uploadsBlindly {
		return found[0], nil
	}
	made := refPicture{Address: address}
	err := a.call(ctx, http.MethodPost, "/pictures", made, &made)
	if made.Problem != "" && a.sabotage == pictureIsFatal {
		err = shopadapter.Retry("picture %s: %s", address, made.Problem)
	}
	if made.Problem != "" && a.sabotage == pictureIsRejection {
		err = shopadapter.Reject("picture %s: %s", address, made.Problem)
	}
	return made, err
}

func (a *refAdapter) Unpublish(
	ctx context.Context, ref shopadapter.Ref, how shopadapter.Removal,
) (note string, err error) {
	return "", a.unpublish(ctx, ref, how)
}

func (a *refAdapter) unpublish(ctx context.Context, ref shopadapter.Ref, how shopadapter.Removal) error {
	have, err := a.find(ctx, ref)
	if have == nil && err == nil {
		have, err = a.unstamped(ctx, ref)
	}
	if err != nil {
		return err
	}
	switch {
	case have == nil && a.sabotage == missingIsAnError:
		return shopadapter.Retry("no such listing")
	case have == nil:
		return nil
	case how == shopadapter.Delete && have.Meta["adopted"] != "" && a.sabotage != deletesAdopted:
		return a.giveBack(ctx, have)
	case how == shopadapter.Delete && a.sabotage != deleteHides:
		if err := a.call(ctx, http.MethodDelete, "/products/"+url.PathEscape(have.ID), nil, nil); !errors.Is(
			err,
			errNotFound,
		) {
			return err
		}
		return nil
	case have.OnSale:
		return a.patch(ctx, have, map[string]any{"onSale": false})
	}
	return nil
}

// giveBack takes a product that was the merchant's out of sale and leaves nothing of ours on it.
// The key goes last: by it the product is found again.
func (a *refAdapter) giveBack(ctx context.Context, have *refProduct) error {
	if err := a.patch(ctx, have, map[string]any{"onSale": false}); err != nil {
		return err
	}
	own := strings.Split(have.Meta["adopted"], " ")
	for _, v := range have.Variants {
		if slices.Contains(own, v.ID) || a.sabotage == leavesVariants {
			continue
		}
		path := "/products/" + url.PathEscape(have.ID) + "/variants/" + v.ID
		if err := a.call(ctx, http.MethodDelete, path, nil, nil); err != nil && !errors.Is(err, errNotFound) {
			return err
		}
	}
	if a.sabotage == keepsStamp {
		return nil
	}
	return a.patch(ctx, have, map[string]any{"meta": map[string]string{"key": "", "stamp": "", "adopted": ""}})
}

// takeOver makes a product of the merchant's own ours that has the SKUs of p. Its texts stay the
// merchant's, since no stamp speaks of them.
func (a *refAdapter) takeOver(ctx context.Context, p shopadapter.Product) (*refProduct, error) {
	var found []refProduct
	if err := a.call(ctx, http.MethodGet, "/products", nil, &found); err != nil {
		return nil, err
	}
	for _, own := range found {
		if own.Meta["key"] != "" || len(own.Variants) == 0 {
			continue
		}
		ids := make([]string, len(own.Variants))
		all := true
		for i, v := range own.Variants {
			j := slices.IndexFunc(p.Variants, func(w shopadapter.Variant) bool { return w.SKU == v.SKU })
			if all = all && j >= 0; all {
				ids[i], own.Variants[i].Ref = v.ID, p.Variants[j].ID
			}
		}
		if all {
			own.Meta = map[string]string{"key": string(p.ID), "adopted": strings.Join(ids, " ")}
			return &own, a.patch(ctx, &own, map[string]any{"meta": own.Meta, "variants": own.Variants})
		}
	}
	return nil, nil
}

// find is the listing that the hint points to and that carries the key, else the one that carries
// the key, else nil.
func (a *refAdapter) find(ctx context.Context, ref shopadapter.Ref) (*refProduct, error) {
	if ref.Listing != "" {
		var p refProduct
		err := a.call(ctx, http.MethodGet, "/products/"+url.PathEscape(string(ref.Listing)), nil, &p)
		if err == nil && (p.Meta["key"] == string(ref.Publication) || a.sabotage == believesHint) {
			return &p, nil
		}
		if err != nil && !errors.Is(err, errNotFound) {
			return nil, err
		}
	}
	if a.sabotage == knowsHintAlone || (a.sabotage == goneWithHint && ref.Listing != "") {
		return nil, nil
	}
	var found []refProduct
	key := url.QueryEscape(string(ref.Publication))
	if a.sabotage == unescapedKey {
		key = string(ref.Publication)
	}
	if err := a.call(ctx, http.MethodGet, "/products?key="+key, nil, &found); err != nil {
		return nil, err
	}
	var own []refProduct
	for _, p := range found {
		if p.Meta["key"] == string(ref.Publication) {
			own = append(own, p)
		}
	}
	if len(own) > 0 {
		return a.sole(ctx, own)
	}
	if a.sabotage == adoptsBySKU {
		return a.adopt(ctx, ref)
	}
	return nil, nil
}

// sole is the one of several products with our key that is on sale, or the first. The drafts beside
// it were made by a creation that came late, and go.
func (a *refAdapter) sole(ctx context.Context, own []refProduct) (*refProduct, error) {
	i := max(slices.IndexFunc(own, func(p refProduct) bool { return p.OnSale }), 0)
	for j, stray := range own {
		if j == i || stray.OnSale || a.sabotage == keepsStrays {
			continue
		}
		err := a.call(ctx, http.MethodDelete, "/products/"+url.PathEscape(stray.ID), nil, nil)
		if err != nil && !errors.Is(err, errNotFound) {
			return nil, err
		}
	}
	return &own[i], nil
}

// madeKey is in the album the id of the product that was made.
const madeKey = "made"

// unstamped is the product that was made and has lost its stamp, which gets it back where the
// caller asks for it.
func (a *refAdapter) unstamped(ctx context.Context, ref shopadapter.Ref) (*refProduct, error) {
	if made := a.album(ref.State)[madeKey]; made == "" || made != string(ref.Listing) || a.sabotage == unmarkedIsGone {
		return nil, nil
	}
	var p refProduct
	err := a.call(ctx, http.MethodGet, "/products/"+url.PathEscape(string(ref.Listing)), nil, &p)
	switch {
	case errors.Is(err, errNotFound), err == nil && (p.Meta["key"] != "" || !p.OnSale):
		return nil, nil
	case err != nil:
		return nil, err
	case !ref.Revive && a.sabotage != takesBackUnasked, a.sabotage == neverTakesBack:
		return nil, shopadapter.Block("the stamp of product %s was deleted", p.ID)
	}
	p.Meta = map[string]string{"key": string(ref.Publication)}
	return &p, a.patch(ctx, &p, map[string]any{"meta": p.Meta})
}

// adopt takes the first product without a stamp for ours. Only the saboteur does that.
func (a *refAdapter) adopt(ctx context.Context, ref shopadapter.Ref) (*refProduct, error) {
	var found []refProduct
	if err := a.call(ctx, http.MethodGet, "/products", nil, &found); err != nil {
		return nil, err
	}
	for _, p := range found {
		if p.Meta["key"] == "" {
			p.Meta = map[string]string{"key": string(ref.Publication)}
			return &p, a.patch(ctx, &p, map[string]any{"meta": p.Meta})
		}
	}
	return nil, nil
}

func (a *refAdapter) Check(ctx context.Context) (is shopadapter.Info, err error) {
	is.Figures = true
	var me struct{ VAT string }
	err = a.call(ctx, http.MethodGet, "/me", nil, &me)
	is.Prices = shopadapter.Prices{VAT: me.VAT, Places: 6}
	a.mu.Lock()
	a.prices = is.Prices
	a.mu.Unlock()
	switch {
	case a.sabotage == alwaysFine:
		return is, nil
	case a.sabotage == unreachableIsBlocked && err != nil:
		return is, shopadapter.Block("the shop does not take the credentials")
	}
	return is, err
}

var errNotFound = errors.New("not found")

func (a *refAdapter) patch(ctx context.Context, p *refProduct, changes map[string]any) error {
	return a.call(ctx, http.MethodPatch, "/products/"+url.PathEscape(p.ID), changes, nil)
}

func (a *refAdapter) call(ctx context.Context, method, path string, in, out any) error {
	var body io.Reader
	if in != nil {
		data, err := json.Marshal(in)
		if err != nil {
			return fmt.Errorf("encode request: %w", err)
		}
		body = bytes.NewReader(data)
	}
	req, err := http.NewRequestWithContext(ctx, method, "https://shop.example.com"+path, body)
	if err != nil {
		return fmt.Errorf("make request: %w", err)
	}
	req.Header.Set("Authorization", "Bearer "+goodToken)
	if a.sabotage == followsRedirects {
		req.Header.Set("X-Shop-Token", goodToken)
	}
	resp, err := a.client.Do(req)
	if err != nil {
		if a.sabotage == hidesCause {
			return shopadapter.Retry("no answer: %v", err)
		}
		return shopadapter.Retry("no answer: %w", err)
	}
	defer func() { _ = resp.Body.Close() }()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		return shopadapter.Retry("read answer: %w", err)
	}
	if err := a.classify(resp, data); err != nil {
		return err
	}
	if out == nil || a.sabotage == believesHTML {
		if out != nil {
			_ = json.Unmarshal(data, out)
		}
		return a.plausible(method, resp)
	}
	if err := json.Unmarshal(data, out); err != nil {
		return shopadapter.Retry("the answer is not JSON: %w", err)
	}
	return nil
}

// plausible tells an answer of the shop's from a page that a proxy made up, where there is nothing
// to decode.
func (a *refAdapter) plausible(method string, resp *http.Response) error {
	if a.sabotage == believesHTML || resp.StatusCode == http.StatusNoContent {
		return nil
	}
	if kind := resp.Header.Get("Content-Type"); kind != "application/json" || resp.ContentLength == 0 {
		return shopadapter.Retry("the answer to %s is %s, not JSON", method, kind)
	}
	return nil
}

func (a *refAdapter) classify(resp *http.Response, body []byte) error {
	message := strings.ReplaceAll(string(body), goodToken, "[token]")
	if a.sabotage == showsAnswer {
		message = string(body)
	}
	switch code := resp.StatusCode; {
	case code < 300:
		return nil
	case code == http.StatusUnauthorized && a.sabotage == refusalIsTransient:
		return shopadapter.Retry("the shop refuses the token")
	case code == http.StatusUnauthorized && a.sabotage == refusalIsNarrow:
		return shopadapter.Block("the shop refuses the token")
	case code == http.StatusUnauthorized:
		return shopadapter.Block("the shop refuses the token").Everywhere()
	case code == http.StatusNotFound:
		return errNotFound
	case code == http.StatusUnprocessableEntity && a.sabotage != rejectionIsTransient:
		return shopadapter.Reject("the shop refuses it: %s", message)
	case code == http.StatusTooManyRequests && a.sabotage != throttleIsPlain:
		after, _ := shopadapter.ParseRetryAfter(resp.Header, time.Now())
		return shopadapter.Retry("the shop is throttling").Everywhere().After(after)
	case code >= 500 && a.sabotage == serverErrorBlocks:
		return shopadapter.Block("the shop answered %d", code)
	}
	return shopadapter.Retry("the shop answered %d: %s", resp.StatusCode, message)
}

func (a *refAdapter) album(state []byte) map[string]string {
	album := map[string]string{}
	if json.Unmarshal(state, &album) != nil || album == nil {
		return map[string]string{}
	}
	return album
}

// believed is p with the figures that the shop holds, for each variant whose own are those of the
// state. It notes p's own there.
func (p *refProduct) believed(want shopadapter.Product, state map[string]string) shopadapter.Product {
	want.Variants = slices.Clone(want.Variants)
	for i := range want.Variants {
		w := &want.Variants[i]
		last, now := state[w.ID], fmt.Sprint(w.Price, w.Quantity, w.Backorders)
		state[w.ID] = now
		if j := slices.IndexFunc(p.Variants, func(v refVariant) bool { return v.Ref == w.ID }); j >= 0 && last == now {
			w.Price, w.Quantity, w.Backorders = p.Variants[j].Price, p.Variants[j].Quantity, p.Variants[j].Backorders
		}
	}
	return want
}

func textGroups() []shopadapter.Fields {
	return []shopadapter.Fields{
		shopadapter.FieldTitle, shopadapter.FieldDescription, shopadapter.FieldImages, shopadapter.FieldCategory,
	}
}

func (p *refProduct) hash(group shopadapter.Fields) string {
	value := map[shopadapter.Fields]any{
		shopadapter.FieldTitle: p.Title, shopadapter.FieldDescription: []any{p.Description, p.Words},
		shopadapter.FieldCategory: p.Category, shopadapter.FieldImages: append([]string{}, p.Pictures...),
	}[group]
	return fmt.Sprintf("%x", sha256.Sum256(fmt.Append(nil, value)))[:16]
}

func stampText(stamp map[shopadapter.Fields]string) string {
	text, _ := json.Marshal(stamp)
	return string(text)
}

func readStamp(text string) map[shopadapter.Fields]string {
	stamp := map[shopadapter.Fields]string{}
	_ = json.Unmarshal([]byte(text), &stamp)
	return stamp
}
