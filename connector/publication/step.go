package publication

import (
	"time"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// An Input is all that one decision goes by.
type Input struct {
	Rec    store.Record
	Mark   store.Mark
	Read   *marketplace.Publication // nil: by the record
	Hint   uint64                   // the number of the hint that was there when it was asked for; 0: none
	Gone   bool                     // the marketplace says that there is no such publication
	Fresh  bool                     // by the record, and its figures were just read, see WithFigures
	Owners map[string]string        // who holds the SKUs that Settings.SKUs names: publication by store.SKUKey
	Lists  bool                     // the shop can list what it holds of ours
	Now    time.Time                // the store's clock, when the reading was asked for
}

func (in Input) asked() bool { return in.Mark.Class == store.ClassAsked }

// A Do is what a step does.
type Do int

// What a step does. Publish, Figures, Offline and Delete call the shop; what a call may leave behind
// is written before it, see Begun.
const (
	Nothing Do = iota // the shop holds what it should, or Refusal says why it does not
	Stay              // what stands stays: nothing has changed that could mend it, or a person is to judge it
	Leave             // Removal is carried out without a call
	Forget            // no trace is kept
	Wait              // the marketplace does not show all of it yet, as Refusal says
	Read              // the record does not tell: the content is to be read
	Publish           // the shop is to hold Product, of which Changed is written
	Figures           // the shop is to hold the figures of Product's variants, of which nothing else is known
	Offline           // the listing is to be out of sale: by Removal, by Refusal, or since it is sold out
	Delete            // the listing is to go
)

// A Step is the one thing that is to be done about a publication now.
type Step struct {
	Do Do
	wish
	Changed shopadapter.Fields
	Ref     shopadapter.Ref
	Hashes  map[shopadapter.Fields]uint64
	Refusal *shopadapter.Error  // why it is not as it should be, beside Nothing, Wait and Offline
	Removal store.RemovalReason // why it leaves

	in      Input
	rec     store.Record // the input's, with the reading taken in; where nothing is called it is so from now on
	content uint64       // of what was refused
	until   time.Time    // of Wait: it ends then; zero: it does not
	remade  bool         // its listing was deleted, and is made anew
}

// Calls reports whether a step calls the shop, so that it is begun and ended by an attempt.
func (st Step) Calls() bool { return st.Do >= Publish }

// Before is the record that the step was decided on.
func (st Step) Before() store.Record { return st.in.Rec }

// Unchanged reports whether a step finds that the shop holds what it should.
func (st Step) Unchanged() bool {
	return st.Refusal == nil && (st.Do == Nothing || st.Do == Stay && st.rec.Sale == store.SoldOut)
}

// Creates reports whether a step makes a listing that the shop does not have.
func (st Step) Creates() bool {
	r := st.in.Rec
	// a try that failed may have left a draft; what was taken over is there
	unmade := r.ShopID == "" || r.Sale != store.OnSale && r.Problem.Kind != ""
	return st.Do == Publish && (r.WrittenAt == 0 && unmade || st.remade)
}

// Removed reports whether a step takes a listing away because its entry cannot be in the shop.
func (st Step) Removed() bool { return st.Removal != "" && st.Calls() }

// FoundRemoval reports whether a removal is to be judged by the brake.
func (st Step) FoundRemoval() bool {
	return st.Do == Stay && st.Removal != "" && st.rec.Sale == store.OnSale && st.rec.Removal.Reason != ""
}

// Lacks is what a step waits for, "" where the marketplace shows all.
func (st Step) Lacks() string {
	if st.Do == Wait {
		return st.Refusal.Error()
	}
	return ""
}

// OwesRest reports whether a step writes figures that were read alone, so that the rest of the change is
// still to be read.
func (st Step) OwesRest() bool { return st.in.Fresh && st.in.Mark.Class != store.ClassRefresh }

func (st Step) does(do Do) Step {
	st.Do = do
	return st
}
