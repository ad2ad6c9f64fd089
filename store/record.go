package store

import (
	"crypto/sha256"
	"encoding/hex"
	"math"
	"slices"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
)

// Instant is a time in milliseconds since 1970, 0 for never: on disk a third of a time.Time.
type Instant int64

// Latest is after every time. MaxID bounds a publication's id, in bytes.
const (
	Latest Instant = math.MaxInt64
	MaxID          = 1 << 10
)

// At returns the instant of t.
func At(t time.Time) Instant {
	if t.IsZero() {
		return 0
	}
	return Instant(t.UnixMilli())
}

// MarshalJSON writes it as a time, and null for never.
func (i Instant) MarshalJSON() ([]byte, error) {
	if i == 0 {
		return []byte("null"), nil
	}
	return i.Time().MarshalJSON()
}

// UnmarshalJSON reads it from a time.
func (i *Instant) UnmarshalJSON(data []byte) error {
	var t time.Time
	err := t.UnmarshalJSON(data)
	*i = At(t)
	return err
}

// Time returns the time in UTC.
func (i Instant) Time() time.Time {
	if i == 0 {
		return time.Time{}
	}
	return time.UnixMilli(int64(i)).UTC()
}

// A Record is what is remembered of one publication. Most fields have one writer:
//
//	look        what a look read and wrote: all that is not named below
//	person      Reset, and the Verdict and By of Holds
//	lister      ListedAt, Removal and its hold, Lost reports (Reported)
//	reporter    Reported, ReportedURL, ReportedAt, Echo
//	comparison  Seen, Sold, Kept, URLListed, the holds of drift; Dirty of pictures that are lost; the price of
//	            Written that is the merchant's
//	rules       Dirty of groups that are to be written otherwise
type Record struct {
	ID    string `cbor:"-" json:"id"`
	State State  `cbor:"1,keyasint,omitempty" json:"state"` // as publication.StateOf derives it

	// The entry, as last read.
	Title         string  `cbor:"2,keyasint,omitempty" json:"title"`
	Listing       string  `cbor:"3,keyasint,omitempty" json:"listingId"`
	Product       string  `cbor:"4,keyasint,omitempty" json:"productId"`
	UpdatedAt     string  `cbor:"5,keyasint,omitempty" json:"updatedAt"`          // of that content
	Echo          string  `cbor:"6,keyasint,omitempty" json:"-"`                  // the updatedAt that our own report made
	Language      string  `cbor:"7,keyasint,omitempty" json:"language,omitempty"` // of the product as last written
	Unread        string  `cbor:"8,keyasint,omitempty" json:"unread,omitempty"`   // what could not be read, in words
	Terms         Terms   `cbor:"9,keyasint,omitzero" json:"terms,omitzero"`
	Made          Terms   `cbor:"40,keyasint,omitzero" json:"-"`                   // by which the settled prices were made
	ReadAt        Instant `cbor:"10,keyasint,omitempty" json:"readAt,omitzero"`    // last request for the content
	FiguresAt     Instant `cbor:"11,keyasint,omitempty" json:"figuresAt,omitzero"` // last request for figures alone
	ListedAt      Instant `cbor:"12,keyasint,omitempty" json:"listedAt,omitzero"`  // when it last came to the list
	UntitledSince Instant `cbor:"13,keyasint,omitempty" json:"untitledSince,omitzero"`

	// The listing in the shop.
	ShopID    string                        `cbor:"14,keyasint,omitempty" json:"shopId"`
	URL       string                        `cbor:"15,keyasint,omitempty" json:"url"`
	URLListed bool                          `cbor:"16,keyasint,omitempty" json:"-"` // URL is of the shop's list
	ShopState []byte                        `cbor:"17,keyasint,omitempty" json:"-"`
	Sale      Sale                          `cbor:"18,keyasint,omitempty" json:"-"`
	Hashes    map[shopadapter.Fields]uint64 `cbor:"19,keyasint,omitempty" json:"-"` // of each group as last written
	Variants  []Variant                     `cbor:"20,keyasint,omitempty" json:"-"`
	Gone      []Gone                        `cbor:"21,keyasint,omitempty" json:"-"`
	Pictures  Pictures                      `cbor:"22,keyasint,omitzero" json:"pictures,omitzero"`
	WrittenAt Instant                       `cbor:"23,keyasint,omitempty" json:"writtenAt,omitzero"` // not pictures alone
	Attempt   Attempt                       `cbor:"24,keyasint,omitzero" json:"-"`
	Dirty     shopadapter.Fields            `cbor:"25,keyasint,omitempty" json:"-"`    // groups that the shop may lack
	Kept      shopadapter.Fields            `cbor:"26,keyasint,omitempty" json:"kept"` // groups that the merchant edited
	Reset     shopadapter.Fields            `cbor:"27,keyasint,omitempty" json:"-"`    // groups that a person gives back
	Claims    []string                      `cbor:"28,keyasint,omitempty" json:"-"`    // sent SKUs, beside Variants'

	// What stands between the two.
	Problem Problem `cbor:"29,keyasint,omitzero" json:"problem,omitzero"`
	Holds   []Hold  `cbor:"30,keyasint,omitempty" json:"-"`
	Removal Removal `cbor:"31,keyasint,omitzero" json:"removal,omitzero"`

	// The report that the marketplace last took.
	Reported    Status  `cbor:"32,keyasint,omitempty" json:"reported"`
	ReportedURL string  `cbor:"33,keyasint,omitempty" json:"reportedUrl,omitempty"`
	ReportedAt  Instant `cbor:"34,keyasint,omitempty" json:"reportedAt,omitzero"`
}

// Sale says how the listing stands in the shop.
type Sale uint8

// The sales.
const (
	Off Sale = iota // out of sale, or not known to be there
	OnSale
	Draft   // complete, and waits for the merchant
	SoldOut // off sale by the merchant's rule until it can be bought
)

// A Variant is what the supplier gives, what was written, and what the shop shows.
type Variant struct {
	ID      string `cbor:"1,keyasint,omitempty" json:"id"` // the marketplace's; "": taken over, and found by its SKU
	ShopID  string `cbor:"2,keyasint,omitempty" json:"shopId,omitempty"`
	SKU     string `cbor:"3,keyasint,omitempty" json:"sku"`
	Title   string `cbor:"4,keyasint,omitempty" json:"title"`
	Refused string `cbor:"5,keyasint,omitempty" json:"refused,omitempty"` // why it is not on sale
	// Unpriced: Refused is ours, no price can be made now, and Written is from before.
	Unpriced bool    `cbor:"6,keyasint,omitempty" json:"-"`
	Supply   Supply  `cbor:"7,keyasint,omitzero" json:"-"`
	Written  Written `cbor:"8,keyasint,omitzero" json:"-"`
	Seen     Seen    `cbor:"9,keyasint,omitzero" json:"-"`
	Sold     int     `cbor:"10,keyasint,omitempty" json:"-"` // by the shop, not yet in the supplier's figure
	Sent     Written `cbor:"11,keyasint,omitzero" json:"-"`  // by an attempt without a known end
	Past     []Past  `cbor:"15,keyasint,omitempty" json:"-"` // prices of the last day, oldest first
	// how often price, stock, or the variant itself was put right in a row
	Corrected map[shopadapter.Fields]int `cbor:"14,keyasint,omitempty" json:"-"`
}

// Written is what was last written of a variant.
type Written struct {
	Price      string `cbor:"1,keyasint,omitempty"`
	Cost       string `cbor:"2,keyasint,omitempty"`
	MSRP       string `cbor:"3,keyasint,omitempty"`
	Quantity   int    `cbor:"4,keyasint,omitempty"` // the shop was sent Quantity less Sold
	Backorders bool   `cbor:"5,keyasint,omitempty"`
	Offered    int    `cbor:"6,keyasint,omitempty"` // the supplier's figure behind Quantity; -1: not known
}

// Seen is how the shop last showed a variant, where that differs from Written.
type Seen struct {
	Price    string `cbor:"1,keyasint,omitempty"` // "": as written
	Quantity string `cbor:"2,keyasint,omitempty"` // more than was written, or in words; "": as written
	Off      bool   `cbor:"3,keyasint,omitempty"` // buyers cannot choose it
	Gone     bool   `cbor:"4,keyasint,omitempty"`
}

// A Past is a price that a variant had until At.
type Past struct {
	Price string  `cbor:"1,keyasint,omitempty"`
	At    Instant `cbor:"2,keyasint,omitempty"`
}

// A Gone is a variant that left the product. For thirty days it identifies the same goods under another id.
type Gone struct {
	SKU   string  `cbor:"1,keyasint,omitempty"`
	Price string  `cbor:"2,keyasint,omitempty"`
	At    Instant `cbor:"3,keyasint,omitempty"`
	Past  []Past  `cbor:"5,keyasint,omitempty"`
}

// Pictures is the state of a listing's pictures.
type Pictures struct {
	Shown     int       `cbor:"1,keyasint,omitempty" json:"-"` // 0: none, or not known
	Thumbnail string    `cbor:"2,keyasint,omitempty" json:"thumbnail,omitempty"`
	Missing   []Picture `cbor:"3,keyasint,omitempty" json:"missing,omitempty"`
	LateSince Instant   `cbor:"4,keyasint,omitempty" json:"lateSince,omitzero"` // since when some cannot be fetched
	LateAt    Instant   `cbor:"5,keyasint,omitempty" json:"lateAt,omitzero"`    // when they are asked for again
	Lost      int       `cbor:"6,keyasint,omitempty" json:"-"`                  // 1: not shown since the write
}

// An Attempt is the last call that may change the shop.
type Attempt struct {
	No    uint64  `cbor:"1,keyasint,omitempty"`
	Until Instant `cbor:"2,keyasint,omitempty"` // 0: it has ended
	Lost  bool    `cbor:"5,keyasint,omitempty"` // one has ended without an answer: the shop may hold what it sent
}

// Open reports whether the end of an attempt is not known.
func (r Record) Open() bool { return r.Attempt.Until != 0 || r.Attempt.Lost }

func (r Record) left() Record {
	left := Record{ID: r.ID, ReportedAt: r.ReportedAt, Claims: slices.Clone(r.Claims)}
	for _, v := range r.Variants {
		if v.SKU != "" && !slices.Contains(left.Claims, v.SKU) {
			left.Claims = append(left.Claims, v.SKU)
		}
	}
	return left
}

// Variant returns the variant with an id.
func (r Record) Variant(id string) (Variant, bool) {
	for _, v := range r.Variants {
		if v.ID == id {
			return v, true
		}
	}
	return Variant{}, false
}

// A Problem is what the last look met.
type Problem struct {
	Kind    ProblemKind `cbor:"1,keyasint,omitempty" json:"kind"`
	Message string      `cbor:"2,keyasint,omitempty" json:"message"`
	Wide    bool        `cbor:"3,keyasint,omitempty" json:"-"` // the whole shop's
	Gone    bool        `cbor:"4,keyasint,omitempty" json:"-"` // the listing, deleted by hand
	Hidden  bool        `cbor:"5,keyasint,omitempty" json:"-"` // the listing, taken out of sale by hand
	Overdue bool        `cbor:"6,keyasint,omitempty" json:"-"` // for so long that the marketplace is told
	Content uint64      `cbor:"7,keyasint,omitempty" json:"-"` // hash of the content that is not tried again; 0: none
	Since   Instant     `cbor:"8,keyasint,omitempty" json:"since"`
	Last    Instant     `cbor:"9,keyasint,omitempty" json:"last"`
}

// A Verdict is a person's word on a hold.
type Verdict string

// The verdicts.
const (
	Approved Verdict = "approved" // the change is made at the next look
	Declined Verdict = "declined" // Old stays while the same change would be held
)

// A Hold is a change that a brake withholds, or withheld until a person judged it.
type Hold struct {
	Kind    HoldKind `cbor:"1,keyasint,omitempty" json:"kind"`
	Variant string   `cbor:"2,keyasint,omitempty" json:"variant,omitempty"`
	Old     string   `cbor:"3,keyasint,omitempty" json:"old,omitempty"`
	New     string   `cbor:"4,keyasint,omitempty" json:"new,omitempty"`
	Reason  string   `cbor:"5,keyasint,omitempty" json:"reason"`
	Below   string   `cbor:"6,keyasint,omitempty" json:"-"` // the floor, if Old is below it and so sold out; "": not
	Since   Instant  `cbor:"7,keyasint,omitempty" json:"since"`
	Verdict Verdict  `cbor:"8,keyasint,omitempty" json:"-"`
	By      string   `cbor:"9,keyasint,omitempty" json:"-"`
}

// Same reports whether two holds are of the same change.
func (h Hold) Same(other Hold) bool {
	return h.Kind == other.Kind && h.Variant == other.Variant && h.New == other.New
}

// Stands reports whether the hold waits for a person: it is not judged, or was declined and Old is sold out.
func (h Hold) Stands() bool { return h.Verdict == "" || h.Verdict == Declined && h.Below != "" }

// Key names a hold by its change: another figure is another hold.
func (h Hold) Key() string {
	sum := sha256.Sum256([]byte(string(h.Kind) + "\x00" + h.Variant + "\x00" + h.Old + "\x00" + h.New))
	return hex.EncodeToString(sum[:8])
}

// A Report is the status that the marketplace has yet to acknowledge.
type Report struct {
	ID        string  `cbor:"-" json:"-"`
	Seq       uint64  `cbor:"1,keyasint,omitempty" json:"-"` // tells it from one that replaces it
	Status    Status  `cbor:"2,keyasint,omitempty" json:"status"`
	URL       string  `cbor:"3,keyasint,omitempty" json:"url,omitempty"`
	UpdatedAt string  `cbor:"4,keyasint,omitempty" json:"-"` // of its content
	Since     Instant `cbor:"5,keyasint,omitempty" json:"since"`
	Tries     int     `cbor:"6,keyasint,omitempty" json:"tries,omitempty"`   // that were refused, or brought no answer
	TriedAt   Instant `cbor:"7,keyasint,omitempty" json:"triedAt,omitzero"`  // 0: it is due
	Refused   string  `cbor:"8,keyasint,omitempty" json:"refused,omitempty"` // why, when an answer last came; "": none did
	Lost      bool    `cbor:"9,keyasint,omitempty" json:"lost,omitempty"`    // the last try brought no answer
}

// A Supply is what the supplier gives for one variant, kept so that other rules of the merchant need no reading.
type Supply struct {
	Known      bool   `cbor:"1,keyasint,omitempty"` // false: not read since it entered the record
	Cost       string `cbor:"2,keyasint,omitempty"`
	MSRP       string `cbor:"3,keyasint,omitempty"`
	Quantity   int    `cbor:"4,keyasint,omitempty"`
	Backorders bool   `cbor:"5,keyasint,omitempty"`
}

// Terms are what price rules go by, beside a Supply.
type Terms struct {
	Known    bool       `cbor:"1,keyasint,omitempty" json:"known"`
	Branch   []string   `cbor:"2,keyasint,omitempty" json:"branch,omitempty"`   // the categories' paths, its own last
	Rootless bool       `cbor:"3,keyasint,omitempty" json:"rootless,omitempty"` // Branch has its own category alone
	Delivery []Delivery `cbor:"4,keyasint,omitempty" json:"delivery,omitempty"`
}

// A Delivery is what the supplier asks for sending to a group of countries.
type Delivery struct {
	Group string `cbor:"1,keyasint,omitempty" json:"countryGroup"`
	Costs string `cbor:"2,keyasint,omitempty" json:"fixedCosts"`    // a decimal; "": not known
	Days  string `cbor:"3,keyasint,omitempty" json:"estimatedDays"` // in the marketplace's words
}

// A Picture is an image that the listing does not show.
type Picture struct {
	URL    string `cbor:"1,keyasint,omitempty" json:"url"`
	Reason string `cbor:"2,keyasint,omitempty" json:"reason"`
	Later  bool   `cbor:"3,keyasint,omitempty" json:"later"` // false: the shop refuses it
}

// A Removal is how far the listing is taken out of sale.
type Removal struct {
	Reason RemovalReason `cbor:"1,keyasint,omitempty" json:"reason"`
	Go     bool          `cbor:"2,keyasint,omitempty" json:"-"`    // judged: to be carried out
	At     Instant       `cbor:"3,keyasint,omitempty" json:"at"`   // when found, and later when done
	Done   bool          `cbor:"4,keyasint,omitempty" json:"done"` // the tombstone
	Begun  bool          `cbor:"5,keyasint,omitempty" json:"-"`    // the shop has been asked, and may have done it
}

// State is where a publication stands, as its record says.
type State string

// The states: a publication is in the first that fits. Behind the semicolon stands when it is tried again.
const (
	StateBlocked   State = "blocked"   // the merchant must mend something; when asked, or when the check passes
	StateRejected  State = "rejected"  // the shop refuses it as the supplier gives it; when that changes, or when asked
	StateHeld      State = "held"      // a brake holds a change; when approved, or when it is taken back upstream
	StatePending   State = "pending"   // new, a draft, about to leave, or failed for now; at once, then with backoff
	StatePartial   State = "partial"   // on sale without some variants or pictures; when that changes, or when asked
	StateLive      State = "live"      // on sale as last read, or off sale by the merchant's rule; when it changes
	StateWithdrawn State = "withdrawn" // gone from the list, and out of sale; when it is listed again
)

// States lists the states in that order.
func States() []State {
	return []State{StateBlocked, StateRejected, StateHeld, StatePending, StatePartial, StateLive, StateWithdrawn}
}

// Status is what the marketplace holds of a publication or is told; "" is nothing. The marketplace has others, too.
type Status string

// The statuses that are reported.
const (
	StatusSuccess Status = "success"
	StatusFailed  Status = "failed"
)

// ProblemKind says who can mend a problem; "" is none.
type ProblemKind string

// The kinds of problem.
const (
	ProblemTransient ProblemKind = "transient" // time
	ProblemRejected  ProblemKind = "rejected"  // the supplier
	ProblemBlocked   ProblemKind = "blocked"   // the merchant
	ProblemWaiting   ProblemKind = "waiting"   // the marketplace, which has nothing to show yet
)

// HoldKind is what a brake withholds.
type HoldKind string

// The kinds of hold.
const (
	HoldPrice      HoldKind = "price"
	HoldFirstPrice HoldKind = "first-price"
	HoldRemoval    HoldKind = "removal"
	HoldForeign    HoldKind = "foreign" // taking over what another tool made
	HoldRules      HoldKind = "rules"   // a price by other rules, though no setting has changed
	HoldDrift      HoldKind = "drift"   // restoring a price that was changed in the shop, as many others were
)

// HoldKinds lists the kinds of hold.
func HoldKinds() []HoldKind {
	return []HoldKind{HoldPrice, HoldFirstPrice, HoldRemoval, HoldForeign, HoldRules, HoldDrift}
}

// RemovalReason is why a publication leaves the shop; "" is that it stays.
type RemovalReason string

// The reasons for a removal.
const (
	RemovalAbsent     RemovalReason = "absent" // gone from the import list
	RemovalNoListing  RemovalReason = "no-listing"
	RemovalNoVariants RemovalReason = "no-variants"
)
