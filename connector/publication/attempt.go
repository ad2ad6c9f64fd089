package publication

import (
	"errors"
	"reflect"
	"slices"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// ErrTaken has a step decided again: a SKU was taken, or the step is [Step.Stale].
var ErrTaken = errors.New("the record has changed since it was decided upon")

// Begun makes a step durable before its call, which should end by until. The record then shows what may have been
// sent, and claims SKUs. owners, the holders of the SKUs, are read in the same transaction.
func (s *Settings) Begun(
	e *store.Entry, st Step, owners map[string]string, until, now time.Time,
) (attempt uint64, err error) {
	r := &e.Record
	if st.Stale(*r) {
		return 0, ErrTaken
	}
	for _, v := range st.Product.Variants {
		if owner := owners[store.SKUKey(v.SKU)]; st.Do == Publish && v.SKU != "" && owner != "" && owner != r.ID {
			return 0, ErrTaken
		}
	}
	holds := r.Holds
	st.take(r)
	tellHeld(e, holds, now)
	switch {
	case st.Do == Delete || st.Do == Offline && st.Removal != "":
		r.Removal.Begun, r.Dirty = true, shopadapter.AllFields
	case st.Do == Offline: // so that the listing does not count as hidden by hand
		r.Dirty |= shopadapter.FieldStock
	default:
		r.Dirty |= st.Changed
		claim(r, st)
	}
	r.Attempt = store.Attempt{No: r.Attempt.No + 1, Until: store.At(until), Lost: r.Open()}
	if r.State == "" {
		r.ListedAt = store.At(now)
	}
	restate(e, now)
	return r.Attempt.No, nil
}

// Stale reports whether the record has changed since the decision, which is then made again.
func (st Step) Stale(now store.Record) bool { return !reflect.DeepEqual(now, st.in.Rec) }

// take puts the record with the reading in the record's place.
func (st Step) take(r *store.Record) {
	*r = st.rec
	r.Variants = slices.Clone(r.Variants)
	at := placesOf(r.Variants, variantID)
	for _, row := range st.Rows {
		i, had := at[row.ID]
		if was := row.was; !had && was.ID == "" && was.SKU != "" { // taken over
			i = slices.IndexFunc(r.Variants, func(v store.Variant) bool { return v.ID == "" && v.SKU == was.SKU })
			if had = i >= 0; had {
				r.Variants[i].ID = row.ID
			}
		}
		if !had {
			i, r.Variants = len(r.Variants), append(r.Variants, store.Variant{ID: row.ID, Title: row.Title})
		}
		r.Variants[i].Supply = row.Supply
	}
}

func claim(r *store.Record, st Step) {
	at, claimed := placesOf(r.Variants, variantID), set{}
	r.Claims = slices.Clip(r.Claims) // others may hold the list
	for _, sku := range r.Claims {
		claimed.add(sku)
	}
	for _, p := range st.Product.Variants {
		v := &r.Variants[at[p.ID]]
		if !isSettled(*v) || v.Written.Price != p.Price && st.Changed.Has(shopadapter.FieldPrice) {
			v.Sent = store.Written{Price: p.Price, Cost: p.Cost, MSRP: p.MSRP}
		}
		if p.SKU != "" && v.SKU != p.SKU && claimed.add(p.SKU) {
			r.Claims = append(r.Claims, p.SKU)
		}
	}
}

// Undone ends an attempt whose call was not made.
func Undone(e *store.Entry, attempt uint64) bool {
	r := &e.Record
	if r.Attempt.No != attempt || r.Attempt.Until == 0 {
		return false
	}
	if r.Attempt.Until = 0; !r.Attempt.Lost {
		clearSent(r)
	}
	return true
}

// returnAttempt ends an attempt that failed. Without an answer the shop may hold what was sent.
func returnAttempt(r *store.Record, kind store.ProblemKind, was store.Record) {
	unheard := was.Open() && (r.Sale != store.OnSale || was.Dirty.Has(shopadapter.FieldStock))
	// Lost until the next look has taken it out of sale
	r.Attempt.Until, r.Attempt.Lost = 0, kind != store.ProblemRejected || unheard
	if kind == store.ProblemRejected { // a refusal is an answer: the shop shows none of the prices
		before := placesOf(was.Variants, variantID)
		eachVariant(r, func(v *store.Variant) {
			v.Sent = store.Written{}
			if i, had := before[v.ID]; had {
				v.Sent = was.Variants[i].Sent
			}
		})
	}
}

func endAttempt(r *store.Record) {
	r.Attempt = store.Attempt{No: r.Attempt.No}
	clearSent(r)
}

func clearSent(r *store.Record) {
	eachVariant(r, func(v *store.Variant) { v.Sent = store.Written{} })
}

// An Input is all that one decision goes by.
type Input struct {
	Rec     store.Record
	Mark    store.Mark
	Read    *marketplace.Publication // nil: by the record
	Hint    uint64                   // number of the hint when Read was asked for; 0: none
	Gone    bool                     // the marketplace does not have it
	Figures *marketplace.Figures     // read in place of Read, for the record to answer with
	Owners  map[string]string        // holders of Settings.SKUs, by store.SKUKey
	Lists   bool                     // the shop can list what it holds of ours
	Ruled   bool                     // no setting made the price rules: what they move is held
	Now     time.Time                // when the reading was asked for
}

func (in Input) asked() bool { return in.Mark.Class == store.ClassAsked }

// A Do is what a step does.
type Do int

// Publish, Figures, Offline and Delete call the shop. Begun writes before the call what it may leave behind.
const (
	Nothing Do = iota // the shop holds what it should, or Refusal says why not
	Stay              // nothing has changed that mends it, or a person is to judge
	Leave             // Removal is carried out without a call
	Forget
	Wait // the marketplace does not show all yet
	Read
	Publish // the shop is to hold Product; Changed is written
	Figures // as Publish, but of figures alone: no more is known
	Offline // for Removal, for Refusal, or since it is sold out
	Delete
)

// A Step is the one thing to do about a publication now.
type Step struct {
	Do      Do
	Product shopadapter.Product // what the shop shall hold
	Rows    []Row               // every variant that was decided upon
	Changed shopadapter.Fields
	Ref     shopadapter.Ref
	Hashes  map[shopadapter.Fields]uint64
	Refusal *shopadapter.Error // why it is not as it should be, with Nothing, Wait and Offline
	Removal store.RemovalReason

	holds    []store.Hold
	awaited  string             // why it is not known yet what the shop shall hold
	problem  *shopadapter.Error // why there is nothing to sell
	withheld bool               // a brake holds the whole product

	in      Input
	rec     store.Record // in.Rec with the reading; without a call it takes the record's place
	content uint64       // hash of what is decided on, see contentOf
	until   time.Time    // end of a Wait; zero: none
	remade  bool         // its listing was deleted, and is made anew
}

// Calls reports whether a step calls the shop.
func (st Step) Calls() bool { return st.Do >= Publish }

// Before returns the record before the step.
func (st Step) Before() store.Record { return st.in.Rec }

// Unchanged reports whether the shop holds what it should.
func (st Step) Unchanged() bool {
	return st.Refusal == nil && (st.Do == Nothing || st.Do == Stay && st.rec.Sale == store.SoldOut)
}

// Creates reports whether a step makes a new listing.
func (st Step) Creates() bool {
	r := st.in.Rec
	// a try that failed may have left a draft; what was taken over is there
	unmade := r.ShopID == "" || r.Sale != store.OnSale && r.Problem.Kind != ""
	return st.Do == Publish && (r.WrittenAt == 0 && unmade || st.remade)
}

// Removed reports whether a step is about a listing whose entry cannot be in the shop, and takes or leaves it.
func (st Step) Removed() bool { return st.Removal != "" && (st.Calls() || st.Do == Leave) }

// FoundRemoval reports whether the brake is to judge a removal.
func (st Step) FoundRemoval() bool {
	return st.Do == Stay && st.Removal != "" && st.rec.Sale == store.OnSale && st.rec.Removal.Reason != ""
}

// Lacks returns what a step waits for, "" for nothing.
func (st Step) Lacks() string {
	if st.Do == Wait {
		return st.Refusal.Error()
	}
	return ""
}

// OwesRest reports whether only figures were read, so that the rest of a change is still to be read.
func (st Step) OwesRest() bool { return st.in.Figures != nil && st.in.Mark.Class != store.ClassRefresh }

func (st Step) does(do Do) Step {
	st.Do = do
	return st
}
