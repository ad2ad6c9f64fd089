package store

import (
	"math"
	"slices"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
)

// Instant is a point in time in milliseconds since 1970, 0 for never: a third of the bytes of a
// time.Time on disk.
type Instant int64

// MaxID bounds a publication's id, in bytes: a longer one is not kept.
const MaxID = 1 << 10

// Latest is after every time.
const Latest Instant = math.MaxInt64

// At is the instant of t; the zero time is 0.
func At(t time.Time) Instant {
	if t.IsZero() {
		return 0
	}
	return Instant(t.UnixMilli())
}

// Time is the instant in UTC, or the zero time.
func (i Instant) Time() time.Time {
	if i == 0 {
		return time.Time{}
	}
	return time.UnixMilli(int64(i)).UTC()
}

// A Record is all that is remembered of one publication. State follows from the rest; the store
// only counts by it.
type Record struct {
	ID    string `cbor:"-"`
	State State  `cbor:"1,keyasint,omitempty"`

	// The source.
	Title   string `cbor:"2,keyasint,omitempty"`
	Listing string `cbor:"3,keyasint,omitempty"`
	Product string `cbor:"4,keyasint,omitempty"`
	// the marketplace's, of the content last taken in or of our own report
	UpdatedAt string  `cbor:"5,keyasint,omitempty"`
	ReadAt    Instant `cbor:"6,keyasint,omitempty"` // when content was last asked for
	ListedAt  Instant `cbor:"7,keyasint,omitempty"` // when it entered the store, or came back after a removal
	// ContentAt is the updatedAt of the content last taken in, where that of our own report stands
	// in UpdatedAt; "" where UpdatedAt is the content's.
	ContentAt string `cbor:"8,keyasint,omitempty"`
	// RemainderSince is since when the figures of a change are taken in, and the remainder is still
	// to be read; 0: there is none.
	RemainderSince Instant `cbor:"9,keyasint,omitempty"`
	// FiguresAt is when figures were last asked for alone, 0 where the content has been read since.
	FiguresAt Instant `cbor:"10,keyasint,omitempty"`
	// UntitledSince is when its listing was first read without a title in the languages asked for,
	// 0 while it has one.
	UntitledSince Instant `cbor:"11,keyasint,omitempty"`

	// Unread is the fields of its listing that were last read in a shape that cannot be read, in
	// words; what was written of them before stays.
	Unread string `cbor:"40,keyasint,omitempty"`

	// The shop.
	ShopID string `cbor:"12,keyasint,omitempty"`
	URL    string `cbor:"13,keyasint,omitempty"`
	// AddressListed says that URL is what the shop's list shows, and the answer of a write said another.
	AddressListed bool               `cbor:"66,keyasint,omitempty"`
	ShopState     []byte             `cbor:"14,keyasint,omitempty"`
	OnSale        bool               `cbor:"15,keyasint,omitempty"`
	Hashes        []byte             `cbor:"16,keyasint,omitempty"` // of each field group as last written; the connector's
	HashRule      int                `cbor:"17,keyasint,omitempty"` // the version of the rule that made them
	Attempted     shopadapter.Fields `cbor:"18,keyasint,omitempty"` // field groups sent since the last settled write
	// an attempt was begun whose outcome is not known: the shop may hold what it sent
	Open bool `cbor:"19,keyasint,omitempty"`
	// the prices of that attempt, where they are not those of Variants
	Sent      []Sent             `cbor:"38,keyasint,omitempty"`
	Kept      shopadapter.Fields `cbor:"20,keyasint,omitempty"` // field groups the merchant edited
	Reset     shopadapter.Fields `cbor:"21,keyasint,omitempty"` // field groups the merchant gives back
	Variants  []Variant          `cbor:"22,keyasint,omitempty"`
	WrittenAt Instant            `cbor:"23,keyasint,omitempty"`
	Missing   []Picture          `cbor:"24,keyasint,omitempty"` // images of the product that the listing does not show
	// since when some of them could not be fetched; 0: none is late
	LateSince Instant `cbor:"25,keyasint,omitempty"`
	LateAt    Instant `cbor:"26,keyasint,omitempty"` // when those are asked for again
	// the product's as last written; "" where that is not known
	Language string `cbor:"27,keyasint,omitempty"`
	// Images is how many pictures the listing showed when they were last written; 0: none, or not
	// known.
	Images int `cbor:"41,keyasint,omitempty"`
	// Pictured is how the addresses of those pictures were asked of the marketplace; "" where that
	// is not known.
	Pictured string `cbor:"45,keyasint,omitempty"`
	// Thumbnail is the marketplace's address of the first of those pictures as last written; ""
	// where there is none, or none is known.
	Thumbnail string `cbor:"64,keyasint,omitempty"`
	// Given is the fields of the marketplace's schema that gave brand and details of what was last
	// written, see marketplace.DetailFields.
	Given uint32 `cbor:"65,keyasint,omitempty"`
	// Drift is what was seen in the shop in place of what was written, a row for each variant that
	// differs.
	Drift []Drift `cbor:"42,keyasint,omitempty"`
	// Lost says that the shop has lost pictures, which are to be written again.
	Lost bool `cbor:"43,keyasint,omitempty"`
	// Repictured says that they were, so that they are not a second time.
	Repictured bool `cbor:"44,keyasint,omitempty"`
	// Corrections is what was put right in the shop, which has not shown it as written since.
	Corrections []Correction `cbor:"47,keyasint,omitempty"`

	// The outcome of the last attempt.
	Problem  Problem `cbor:"28,keyasint,omitzero"`
	Holds    []Hold  `cbor:"29,keyasint,omitempty"`
	Approved []Hold  `cbor:"30,keyasint,omitempty"`
	// Declined is the changes that a person declined, Since then. Each stays declined while the
	// same change would be held again.
	Declined []Hold  `cbor:"58,keyasint,omitempty"`
	History  []Event `cbor:"31,keyasint,omitempty"`
	Removal  Removal `cbor:"32,keyasint,omitzero"`
	// ApprovedBy names who approved what is to be carried out; "" where that is nothing.
	ApprovedBy string `cbor:"55,keyasint,omitempty"`
	// Unsellable is why it is off sale until something of it can be bought; "" where it is not.
	Unsellable string `cbor:"51,keyasint,omitempty"`
	// Draft says that the listing is complete, and waits for the merchant to put it on sale.
	Draft bool `cbor:"52,keyasint,omitempty"`
	// Offers is what the supplier gives for the variants of an entry that a rule keeps out, which has
	// none in Variants.
	Offers []Supply `cbor:"53,keyasint,omitempty"`
	// Terms is what the supplier gives for the product as a whole, as last read.
	Terms Terms `cbor:"50,keyasint,omitzero"`
	// Unasked says that the rules of prices have changed since the variants were written, and no
	// setting of the merchant's: each price that they move is held.
	Unasked bool `cbor:"39,keyasint,omitempty"`
	// Ruling is where a change of the rules of prices stands that is held as one, until a look has
	// made the prices anew.
	Ruling Ruling `cbor:"59,keyasint,omitempty"`

	// The report.
	Reported    Status  `cbor:"33,keyasint,omitempty"` // the status last acknowledged
	ReportedURL string  `cbor:"34,keyasint,omitempty"` // and its address, when it differs from URL
	ReportedAt  Instant `cbor:"35,keyasint,omitempty"` // when it was acknowledged
	ReportError string  `cbor:"36,keyasint,omitempty"` // why the marketplace refuses the report that is owed

	// Claims is the store's own: SKUs, beyond those of Variants, that an attempt claimed which no
	// settlement has ended yet.
	Claims []Claim `cbor:"37,keyasint,omitempty"`
}

// Left is what the store keeps of a record whose publication is forgotten: that it was ours, and
// the SKUs that the shop may hold.
func (r Record) Left() Record {
	left := Record{ID: r.ID, ReportedAt: r.ReportedAt, Claims: slices.Clone(r.Claims)}
	for _, v := range r.Variants {
		left.AddClaim(Claim{Variant: v.ID, SKU: v.SKU})
	}
	return left
}

// A Variant is what was last written of one variant.
type Variant struct {
	ID         string `cbor:"1,keyasint,omitempty"`
	ShopID     string `cbor:"2,keyasint,omitempty"`
	SKU        string `cbor:"3,keyasint,omitempty"`
	Title      string `cbor:"4,keyasint,omitempty"`
	Price      string `cbor:"5,keyasint,omitempty"`
	Cost       string `cbor:"6,keyasint,omitempty"`
	MSRP       string `cbor:"7,keyasint,omitempty"`
	Quantity   int    `cbor:"8,keyasint,omitempty"`
	Backorders bool   `cbor:"9,keyasint,omitempty"`
	Refused    string `cbor:"10,keyasint,omitempty"` // why it is not on sale
	// no price can be made for it now: its figures are those last written
	Unpriced bool   `cbor:"11,keyasint,omitempty"`
	Supplied Supply `cbor:"12,keyasint,omitzero"` // beside them, the supplier's own figures as last read
	// Offered is the supplier's quantity that Quantity was made from; 0: none, or not known.
	Offered int `cbor:"13,keyasint,omitempty"`
}

// A Sent is the price of a variant that was sent to the shop, which may show it.
type Sent struct {
	Variant string `cbor:"1,keyasint,omitempty"`
	Price   string `cbor:"2,keyasint,omitempty"`
	Cost    string `cbor:"3,keyasint,omitempty"`
	MSRP    string `cbor:"4,keyasint,omitempty"`
}

// A Drift is what a variant was seen to have in the shop in place of what was written.
type Drift struct {
	Variant  string  `cbor:"1,keyasint,omitempty"`
	Price    string  `cbor:"2,keyasint,omitempty"` // "": as it was written
	Quantity string  `cbor:"3,keyasint,omitempty"` // more than were written, or in words; "": no more
	Sold     int     `cbor:"4,keyasint,omitempty"` // so many were sold that the supplier's figure does not show yet
	Off      bool    `cbor:"5,keyasint,omitempty"` // nobody can choose it
	Gone     bool    `cbor:"6,keyasint,omitempty"` // the shop has no such variant
	Since    Instant `cbor:"7,keyasint,omitempty"` // when it was first seen, or by the shop's word changed
}

// Differs reports whether there is anything to say of the variant.
func (d Drift) Differs() bool {
	return d.Price != "" || d.Quantity != "" || d.Sold > 0 || d.Off || d.Gone
}

// A Correction is how often one figure of a variant was put right in the shop in a row.
type Correction struct {
	Variant string             `cbor:"1,keyasint,omitempty"`
	Field   shopadapter.Fields `cbor:"2,keyasint,omitempty"` // price, stock, or variants for one that was made again
	Had     string             `cbor:"3,keyasint,omitempty"` // what the shop had in its place
	Tries   int                `cbor:"4,keyasint,omitempty"`
}

// A Supply is what the supplier gives for one variant, before any rule of the merchant's. With it
// the figures can be made anew by other rules, without another reading.
type Supply struct {
	Known      bool   `cbor:"1,keyasint,omitempty"` // else the variant was not read since it entered the record
	Cost       string `cbor:"2,keyasint,omitempty"`
	MSRP       string `cbor:"3,keyasint,omitempty"`
	Quantity   int    `cbor:"4,keyasint,omitempty"`
	Backorders bool   `cbor:"5,keyasint,omitempty"`
	// the day from which it can be had, YYYY-MM-DD; "": it can be had
	AvailableAt string `cbor:"6,keyasint,omitempty"`
}

// Terms are the supplier's terms that rules of prices go by, beside the figures of the variants.
// With them other rules cost no reading.
type Terms struct {
	// Known says that they were read; else the content was last read by a version that kept none.
	Known bool `cbor:"1,keyasint,omitempty"`
	// Branch is the paths of the product's categories from the root, its own last; empty: it has
	// none.
	Branch   []string   `cbor:"2,keyasint,omitempty"`
	Rootless bool       `cbor:"3,keyasint,omitempty"` // Branch has its own category alone: those above are not known
	Delivery []Delivery `cbor:"4,keyasint,omitempty"`
}

// A Delivery is what the supplier asks for sending to a group of countries.
type Delivery struct {
	Group string `cbor:"1,keyasint,omitempty"` // of countries, as the marketplace names it
	Costs string `cbor:"2,keyasint,omitempty"` // the fixed costs: a decimal; "": not known
	Days  string `cbor:"3,keyasint,omitempty"` // until it arrives, as the marketplace says it
}

// A Picture is an image of the product that its listing does not show.
type Picture struct {
	URL    string `cbor:"1,keyasint,omitempty"`
	Reason string `cbor:"2,keyasint,omitempty"`
	// it could not be fetched, and is asked for again; false: the shop refuses it
	Later bool `cbor:"3,keyasint,omitempty"`
}

// A Claim is a SKU that a variant holds.
type Claim struct {
	Variant string `cbor:"1,keyasint,omitempty"`
	SKU     string `cbor:"2,keyasint,omitempty"`
}

// A Problem is what the last attempt met.
type Problem struct {
	Kind     ProblemKind `cbor:"1,keyasint,omitempty"`
	Message  string      `cbor:"2,keyasint,omitempty"`
	Wide     bool        `cbor:"3,keyasint,omitempty"` // the whole shop's
	Gone     bool        `cbor:"4,keyasint,omitempty"` // the listing was deleted by hand
	Hidden   bool        `cbor:"5,keyasint,omitempty"` // the listing was taken out of sale by hand
	Overdue  bool        `cbor:"6,keyasint,omitempty"` // for so long that the marketplace is told
	Content  []byte      `cbor:"7,keyasint,omitempty"` // a hash of the content that met it
	Attempts int         `cbor:"8,keyasint,omitempty"` // in a row
	Since    Instant     `cbor:"9,keyasint,omitempty"` // the first of them
	Last     Instant     `cbor:"10,keyasint,omitempty"`
}

// A Hold is a change that a brake withholds: of a variant's price, of the removal, or of the taking
// over of what another tool made.
type Hold struct {
	Kind    HoldKind `cbor:"1,keyasint,omitempty"`
	Variant string   `cbor:"2,keyasint,omitempty"`
	Old     string   `cbor:"3,keyasint,omitempty"`
	New     string   `cbor:"4,keyasint,omitempty"`
	Reason  string   `cbor:"5,keyasint,omitempty"`
	Since   Instant  `cbor:"6,keyasint,omitempty"`
	Cause   string   `cbor:"7,keyasint,omitempty"` // of a price: what moved it, "" where that is not known
	// Below names the floor that the price in its place lies below, so that the variant is sold out; "": it does not.
	Below string `cbor:"8,keyasint,omitempty"`
}

// A Removal is where the taking out of sale stands.
type Removal struct {
	Reason RemovalReason `cbor:"1,keyasint,omitempty"` // why it must go
	Go     bool          `cbor:"2,keyasint,omitempty"` // judged: to be carried out
	At     Instant       `cbor:"3,keyasint,omitempty"` // found, and once done: done
	Done   bool          `cbor:"4,keyasint,omitempty"` // the tombstone
	Begun  bool          `cbor:"5,keyasint,omitempty"` // the shop has been asked, and may have done it
}

// A Report is the status the marketplace has yet to acknowledge.
type Report struct {
	ID        string  `cbor:"-"`
	Seq       uint64  `cbor:"1,keyasint,omitempty"` // the store's own: tells this report from one that takes its place
	Status    Status  `cbor:"2,keyasint,omitempty"`
	URL       string  `cbor:"3,keyasint,omitempty"`
	UpdatedAt string  `cbor:"4,keyasint,omitempty"` // of the content that the report is about
	Since     Instant `cbor:"5,keyasint,omitempty"`
	Refusals  int     `cbor:"6,keyasint,omitempty"` // how often the marketplace refused it
	RefusedAt Instant `cbor:"7,keyasint,omitempty"` // the last time, 0 once it is due again whatever the backoff says
}
