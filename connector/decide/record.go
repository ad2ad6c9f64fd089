package decide

import (
	"cmp"
	"slices"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// A Record is all that is remembered of one publication, beside its mark, the report that is owed
// and its history. Each field has one writer:
//
//	look        what a look read and wrote: all that is not named below
//	person      Reset, and the Verdict and By of Holds
//	lister      ListedAt, Removal and its hold, Lost reports (Reported)
//	reporter    Reported, ReportedURL, ReportedAt, Echo
//	comparison  Seen, Sold, Kept, URLListed, the holds of drift; Dirty of pictures that are lost
//	rules       Dirty of groups that are to be written otherwise
type Record struct {
	ID    string
	State store.State // as [StateOf] derives it: stores count by it

	// The entry, as last read.
	Title, Listing, Product string
	UpdatedAt               string // of that content
	Echo                    string // the updatedAt that our own report made of it; "": none
	Language                string // in which the product was last written
	Unread                  string // the parts of the content that could not be read, in words
	Terms                   store.Terms
	ReadAt                  store.Instant // when the content was last asked for
	FiguresAt               store.Instant // when figures were last asked for alone
	ListedAt                store.Instant // when it came to the list, or came back
	UntitledSince           store.Instant // 0: it has a title

	// The listing in the shop.
	ShopID, URL string
	URLListed   bool // URL is what the shop's list shows; the answer of a write counts no more
	ShopState   []byte
	Sale        Sale
	Hashes      map[shopadapter.Fields]uint64 // of each group as last written
	Variants    []Variant
	Gone        []Gone // the variants that left it, for their prices
	Pictures    Pictures
	WrittenAt   store.Instant
	Attempt     Attempt
	Dirty       shopadapter.Fields // groups to be written again, whatever their hashes say
	Kept        shopadapter.Fields // groups that the merchant edited
	Reset       shopadapter.Fields // groups that the merchant gives back
	Claims      []string           // SKUs beyond those of Variants that an attempt sent

	// What stands between the two.
	Problem Problem
	Holds   []Hold
	Removal store.Removal

	// The report that the marketplace last took.
	Reported    store.Status
	ReportedURL string
	ReportedAt  store.Instant
}

// A Sale says how the listing stands in the shop.
type Sale uint8

// The sales. The zero Sale is that it is not known to be there, or is out of sale.
const (
	Off     Sale = iota
	OnSale       //
	Draft        // complete, and waits for the merchant to put it on sale
	SoldOut      // off sale by the merchant's rule until something of it can be bought
)

// A Variant is three columns of one variant: what the supplier gives, what was written, what the
// shop shows.
type Variant struct {
	ID      string // the marketplace's; "": taken over, and found by its SKU
	ShopID  string
	SKU     string
	Title   string
	Refused string // why it is not on sale
	// Refused is our own word: no price can be made of it now, and Written is from before.
	Unpriced bool

	Supply  store.Supply // as last read
	Written Written
	Seen    Seen
	// Sold is how many pieces the shop has sold that the supplier's figure does not show yet.
	Sold int
	Sent Written // the amounts of an attempt whose end is not known; zero: none
	Day  Day
	// Corrected is what was put right in the shop, which has not shown it as written since.
	Corrected []Corrected
}

// Written is what was last written of a variant.
type Written struct {
	Price, Cost, MSRP string
	// Quantity is before what the shop has sold is taken off: the shop was sent Quantity less Sold.
	Quantity   int
	Backorders bool
	// Offered is the supplier's quantity that Quantity was made from; -1: not known.
	Offered int
}

// Seen is how the shop last showed a variant otherwise than it was written. The zero Seen is as it
// was written.
type Seen struct {
	Price    string // "": as written
	Quantity string // more than was written, or in words; "": as written
	Off      bool   // nobody can choose it
	Gone     bool   // the shop has no such variant
	Since    store.Instant
}

// Differs reports whether the shop shows anything otherwise.
func (s Seen) Differs() bool { return s.Price != "" || s.Quantity != "" || s.Off || s.Gone }

// Corrected is how often one figure was put right in a row.
type Corrected struct {
	Field shopadapter.Fields // price, stock, or variants for one that was made again
	Had   string             // what the shop had in its place
	Tries int
}

// A Day is the price that a variant had before the first change of a day.
type Day struct {
	Price string
	At    store.Instant // of that change
}

// A Gone is a variant that left the product. Its SKU and price stay for thirty days, so that the
// same goods under another id are known.
type Gone struct {
	SKU, Price string
	At         store.Instant
}

// Pictures is how the listing stands with its pictures.
type Pictures struct {
	Shown     int // 0: none, or not known
	Thumbnail string
	Missing   []store.Picture
	// since when some of Missing could not be fetched, and when they are asked for again; 0: none is late
	LateSince, LateAt store.Instant
	Lost              int // how often lost ones were written again in a row
}

// An Attempt is the last call that may change the shop.
type Attempt struct {
	No     uint64
	Until  store.Instant      // it may last until then; 0: it has ended
	Fields shopadapter.Fields // groups that it writes, taken from Dirty; they go back there without an answer
	Reset  shopadapter.Fields // of Reset likewise
	// Lost says that one ended without an answer since the last that had one: the shop may hold
	// what it sent.
	Lost bool
}

// Open reports whether an attempt's end is not known.
func (r Record) Open() bool { return r.Attempt.Until != 0 || r.Attempt.Lost }

// Unsure is the groups that the shop may hold otherwise than the record says.
func (r Record) Unsure() shopadapter.Fields { return r.Dirty | r.Attempt.Fields }

// Variant is the variant with an id.
func (r Record) Variant(id string) (Variant, bool) {
	i := slices.IndexFunc(r.Variants, func(v Variant) bool { return v.ID == id })
	if i < 0 {
		return Variant{}, false
	}
	return r.Variants[i], true
}

// A Problem is what the last look met.
type Problem struct {
	Kind    store.ProblemKind
	Message string
	Wide    bool   // the whole shop's
	Gone    bool   // the listing was deleted by hand
	Hidden  bool   // the listing was taken out of sale by hand
	Overdue bool   // for so long that the marketplace is told
	Content uint64 // a hash of the content that met it: the same is not tried again. 0: it is
	Since   store.Instant
	Last    store.Instant
}

// A Verdict is a person's word on a hold.
type Verdict string

// The verdicts. The zero Verdict is none yet.
const (
	Approved Verdict = "approved" // the change is made at the next look
	Declined Verdict = "declined" // what is in its place stays while the same change would be held
)

// A Hold is a change that a brake withholds, or withheld until a person judged it.
type Hold struct {
	Kind    store.HoldKind
	Variant string
	Old     string // what stays in its place
	New     string // what it would be
	Reason  string
	Below   string // the floor below which Old lies, so that the variant is sold out; "": it does not
	Since   store.Instant
	Verdict Verdict
	By      string // who gave the verdict
}

// Same reports whether two holds are of the same change.
func (h Hold) Same(other Hold) bool {
	return h.Kind == other.Kind && h.Variant == other.Variant && h.New == other.New
}

// Stands reports whether the hold waits for a person: nobody has judged it, or what stays in its
// place is sold out.
func (h Hold) Stands() bool { return h.Verdict == "" || h.Verdict == Declined && h.Below != "" }

// A Report is the status that the marketplace has yet to acknowledge.
type Report struct {
	Seq       uint64 // tells this report from one that takes its place
	Status    store.Status
	URL       string
	UpdatedAt string // of the content that it is about
	Since     store.Instant
	Refusals  int
	RefusedAt store.Instant
	Refused   string // why
}

// A Class orders the due set: work of a lower class goes first.
type Class uint8

// The classes, most urgent first.
const (
	ClassAsked   Class = iota // a person named it by its id
	ClassHook                 // a signed webhook that names it, a first retry
	ClassNew                  // listed by a sweep, and never settled yet
	ClassSweep                // changed upstream
	ClassFull                 // its content is read whatever the list says
	ClassRules                // the record is decided anew, for no points
	ClassRefresh              // not read for a long time
)

// A Mark says that a publication is due.
type Mark struct {
	At    store.Instant
	Class Class
	Seen  string // the newest updatedAt that was announced; "": none
	Tries int    // how often in a row it was put off: by a failure, or since Seen was not shown yet
	Gen   uint64 // counts what came: a settlement ends the mark of its own number alone
}

// Merge is one mark for two: the more urgent class, and the earlier time. A backoff is shortened
// by a person, a signed webhook or a seen change alone.
func (m Mark) Merge(n Mark) Mark {
	out := Mark{Class: min(m.Class, n.Class), At: min(m.At, n.At), Seen: cmp.Or(n.Seen, m.Seen)}
	shortens := func(n Mark) bool { return n.Tries == 0 && (n.Class <= ClassHook || n.Seen != "") }
	switch {
	case m.Tries > 0 && !shortens(n):
		out.At, out.Tries = m.At, m.Tries
	case n.Tries > 0 && !shortens(m):
		out.At, out.Tries = n.At, n.Tries
	case m.Seen == n.Seen || n.Seen == "":
		out.Tries = max(m.Tries, n.Tries)
	}
	out.Gen = max(m.Gen, n.Gen) + 1
	return out
}

// An Entry is all that the store holds of one publication, as one transaction changes it. It is
// loaded anew for each run of a function.
type Entry struct {
	Record Record
	Known  bool    // false: the store has no record
	Mark   *Mark   // nil: it is not due
	Owed   *Report // nil: nothing is
	News   []Event // to be added to its history
	// Removed counts a removal of today, see [Brake.Removals].
	Removed bool
	// Forget removes every trace; with Leave but for that it was ours and the SKUs that the shop may hold.
	Forget, Leave bool
}

// Note merges a mark into the entry's.
func (e *Entry) Note(m Mark) {
	if e.Mark == nil {
		e.Mark = &m
		return
	}
	*e.Mark = e.Mark.Merge(m)
}

// Tell adds an event to the history.
func (e *Entry) Tell(ev Event) { e.News = append(e.News, ev) }

// An Event is one line of a publication's history.
type Event struct {
	At      store.Instant
	What    string // what happened, in a word of the table below or in a sentence
	By      string // the person who asked, approved or declined
	Changes []Change
	More    int // changes that were left out
}

// What an event with changes says.
const (
	WhatCreated  = "created"
	WhatUpdated  = "updated"
	WhatOffSale  = "off sale"
	WhatHeld     = "held"
	WhatApproved = "approved"
	WhatDeclined = "declined"
	WhatState    = "state"
)

// A Change is one changed field of a publication, or of one of its variants. Of long texts only
// the field is named.
type Change struct {
	Field   string `json:"field"`
	Variant string `json:"variant"` // its id; "": of the publication
	Name    string `json:"variantTitle,omitempty"`
	Old     string `json:"old"`
	New     string `json:"new"`
	Why     string `json:"why,omitempty"`
}
