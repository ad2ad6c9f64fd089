package store

import "strings"

// An Event is one entry of a publication's history: something that happened to it or was decided
// about it at one moment. What it says in words is made when it is shown.
type Event struct {
	At Instant `cbor:"1,keyasint,omitempty"`
	// What is a text from elsewhere, such as the shop's message or the kind of a hold. An event
	// without a kind, as earlier versions wrote them, is this text alone.
	What string    `cbor:"2,keyasint,omitempty"`
	Kind EventKind `cbor:"3,keyasint,omitempty"`
	Why  Why       `cbor:"4,keyasint,omitempty"`
	// By is the person who approved, declined or retried it, or approved its cause.
	By string `cbor:"5,keyasint,omitempty"`
	// Moved is what changed from what to what, see [PackMoves].
	Moved string `cbor:"6,keyasint,omitempty"`
	More  int    `cbor:"7,keyasint,omitempty"` // moves that were left out
}

// An EventKind is what happened. The numbers stand in stores: none is used again for something
// else.
type EventKind uint8

// The kinds of event. Of one that says "moves", Moves tells from what to what, a variant each.
const (
	EventText      EventKind = 0  // What says it all
	EventCreated   EventKind = 1  // the listing was made
	EventPrice     EventKind = 2  // moves: prices
	EventStock     EventKind = 3  // moves: quantities
	EventTitle     EventKind = 4  // a move without a variant: the title
	EventWritten   EventKind = 5  // further field groups were written: What names them
	EventVariants  EventKind = 6  // moves: the names of variants that came, went or were renamed
	EventAddress   EventKind = 7  // a move without a variant: the listing's address
	EventState     EventKind = 8  // a move without a variant: the state. What is the reason
	EventHeld      EventKind = 9  // moves: what a brake holds. What is the kind of hold
	EventApproved  EventKind = 10 // moves: what By approved. What is the kind of hold
	EventDeclined  EventKind = 11 // moves: what By declined. What is the kind of hold
	EventTransient EventKind = 12 // What is a transient error; of several in a row the last is kept
	EventRetried   EventKind = 13 // By asked to try it again. What says with whose texts, where they are reset
)

// kindNames are how programs that read a history know the kinds.
var kindNames = [...]string{
	EventCreated: "created", EventPrice: "price", EventStock: "stock", EventTitle: "title", EventWritten: "written",
	EventVariants: "variants", EventAddress: "address", EventState: "state", EventHeld: "held",
	EventApproved: "approved", EventDeclined: "declined", EventTransient: "error", EventRetried: "retried",
}

// String is the name of the kind; "" of EventText, and of a kind of a later version.
func (k EventKind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return ""
}

// Why is the reasons for a change: several may apply. Zero is none that is known.
type Why uint32

// The reasons for a change. The numbers stand in stores, as those of EventKind do.
const (
	WhyMSRPRose    Why = 1 << iota // the supplier's msrp
	WhyMSRPFell                    //
	WhyCostRose                    // the supplier's cost
	WhyCostFell                    //
	WhySupplier                    // the supplier changed something else of it
	WhyRules                       // rules of prices and stock, or other settings, have changed
	WhyHeld                        // a brake holds a price, so that stock is not shown below the floor
	WhyReleased                    // a brake holds it no longer
	WhyShop                        // somebody changed it in the shop
	WhyAsked                       // a person asked for it
	WhyUnsettled                   // an earlier write of it was not known to be in the shop
	WhyOffered                     // the supplier's stock
	WhyListedAgain                 // its entry came back
	WhyRemade                      // its listing was made anew
)

// A Move is a change from one value to another.
type Move struct {
	Variant string // its id; "": of the publication
	Old     string // "": there was none
	New     string // "": there is none any longer
}

const (
	mostMoves   = 40 // of one event
	longestMove = 96 // bytes of each of the three texts

	moveEnd, partEnd = "\x1e", "\x1f" // a text has neither of them
)

// PackMoves is the short form in which an event keeps moves, and how many it leaves out.
func PackMoves(moves []Move) (packed string, more int) {
	var b strings.Builder
	for i, m := range moves[:min(len(moves), mostMoves)] {
		if i > 0 {
			b.WriteString(moveEnd)
		}
		for j, part := range []string{m.Variant, m.Old, m.New} {
			if j > 0 {
				b.WriteString(partEnd)
			}
			b.WriteString(movePart(part))
		}
	}
	return b.String(), max(len(moves)-mostMoves, 0)
}

// MovedVariant is how a move names the variant with an id: a long one is cut.
func MovedVariant(id string) string { return movePart(id) }

// movePart is a text as a move keeps it.
func movePart(s string) string {
	if strings.ContainsAny(s, moveEnd+partEnd) {
		s = strings.NewReplacer(moveEnd, " ", partEnd, " ").Replace(s)
	}
	if len(s) > longestMove {
		s = strings.ToValidUTF8(s[:longestMove-len("…")], "") + "…"
	}
	return s
}

// Moves are what changed from what to what.
func (e Event) Moves() (moves []Move) {
	if e.Moved == "" {
		return nil
	}
	for packed := range strings.SplitSeq(e.Moved, moveEnd) {
		variant, values, _ := strings.Cut(packed, partEnd)
		old, now, _ := strings.Cut(values, partEnd)
		moves = append(moves, Move{Variant: variant, Old: old, New: now})
	}
	return moves
}

// Repeats reports whether an event says again what one before it says, so that only the later one
// is kept: the same failure, the same report. A change says something each time.
func (e Event) Repeats(before Event) bool {
	switch e.Kind {
	case EventText, EventCreated, EventTransient, EventRetried:
	default:
		return false
	}
	before.At = e.At
	return e == before
}
