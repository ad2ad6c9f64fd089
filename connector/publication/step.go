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
	Hint   uint64                   // number of the hint when Read was asked for; 0: none
	Gone   bool                     // the marketplace does not have it
	Fresh  bool                     // Rec's figures were just read, see WithFigures
	Owners map[string]string        // holders of Settings.SKUs, by store.SKUKey
	Lists  bool                     // the shop can list what it holds of ours
	Ruled  bool                     // no setting made the price rules: what they move is held
	Now    time.Time                // when the reading was asked for
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
	Do Do
	wish
	Changed shopadapter.Fields
	Ref     shopadapter.Ref
	Hashes  map[shopadapter.Fields]uint64
	Refusal *shopadapter.Error // why it is not as it should be, with Nothing, Wait and Offline
	Removal store.RemovalReason

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

// Removed reports whether a step takes away a listing whose entry cannot be in the shop.
func (st Step) Removed() bool { return st.Removal != "" && st.Calls() }

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

func (st Step) does(do Do) Step {
	st.Do = do
	return st
}
