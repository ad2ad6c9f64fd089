package publication

import (
	"slices"
	"strconv"
	"strings"

	"github.com/pubsync/pubsync/store"
)

// Tell is an event of a publication as a sentence with numbers. Variants have the names that the
// record knows them by. Of moves that differ it tells the first ones.
func Tell(e store.Event, r store.Record) string {
	what := tellKind(e, func(id string) string { return MovedTitle(r, id) })
	because := tellWhy(e.Why)
	if e.By != "" && e.Kind != store.EventApproved && e.Kind != store.EventDeclined && e.Kind != store.EventRetried {
		because = append(because, "approved by "+e.By)
	}
	if len(because) == 0 {
		return what
	}
	between := ": "
	if strings.Contains(what, ": ") {
		between = "; "
	}
	return what + between + strings.Join(because, "; ")
}

// MovedTitle is the name by which a record knows the variant that a move names, or else what the move
// calls it.
func MovedTitle(r store.Record, id string) string {
	for _, v := range r.Variants {
		if store.MovedVariant(v.ID) == id && v.Title != "" {
			return v.Title
		}
	}
	return id
}

func tellKind(e store.Event, name func(id string) string) string {
	switch e.Kind {
	case store.EventCreated:
		return joined(joined("created", "; ", tellMoves(e, "price of ", name)), "; ", e.What)
	case store.EventPrice:
		return tellMoves(e, "price of ", name)
	case store.EventStock:
		return tellMoves(e, "stock of ", name)
	case store.EventTitle:
		return tellMoves(e, "title", name)
	case store.EventAddress:
		return tellMoves(e, "address", name)
	case store.EventState:
		return joined(tellMoves(e, "state", name), ": ", e.What)
	case store.EventVariants:
		return tellMoves(e, "variant ", name)
	case store.EventWritten:
		return joined("updated", " ", e.What)
	case store.EventHeld:
		return "held: " + tellHolds(e, name)
	case store.EventApproved:
		return joined("approved", " by ", e.By) + ": " + tellHolds(e, name)
	case store.EventDeclined:
		return joined("declined", " by ", e.By) + ": " + tellHolds(e, name)
	case store.EventRetried:
		return joined(joined("retried", " by ", e.By), ", ", e.What)
	default:
		return e.What
	}
}

// tellHolds says what a brake holds, or held until a person judged it.
func tellHolds(e store.Event, name func(id string) string) string {
	if e.Moved != "" {
		return tellMoves(e, "price of ", name)
	}
	switch store.HoldKind(e.What) {
	case store.HoldRemoval:
		return "the removal"
	case store.HoldForeign:
		return "publishing what another tool made"
	case store.HoldRules:
		return "prices by other rules"
	default:
		return e.What
	}
}

// tellMoves tells from what to what the variants moved; those that moved alike are told together.
func tellMoves(e store.Event, of string, name func(id string) string) string {
	type step struct{ old, now string }
	var steps []step
	movers := map[step][]string{}
	for _, m := range e.Moves() {
		s := step{m.Old, m.New}
		if !slices.Contains(steps, s) {
			steps = append(steps, s)
		}
		if m.Variant != "" {
			movers[s] = append(movers[s], name(m.Variant))
		}
	}
	var parts []string
	more := e.More
	if len(steps) > mostSteps {
		for _, s := range steps[mostSteps:] {
			more += len(movers[s])
		}
		steps = steps[:mostSteps]
	}
	for _, s := range steps {
		who := of + someOf(movers[s])
		if e.Kind == store.EventVariants { // the name is what moves
			who = strings.TrimSpace(of)
		}
		switch {
		case s.old == "" && s.now == "":
			parts = append(parts, who)
		case s.old == "":
			parts = append(parts, who+" "+s.now+added(e.Kind, " added"))
		case s.now == "":
			parts = append(parts, who+" "+s.old+" removed")
		case s.old == s.now:
			parts = append(parts, who+" stays "+s.now)
		default:
			parts = append(parts, who+" "+s.old+" -> "+s.now)
		}
	}
	if more > 0 {
		parts = append(parts, "and of "+strconv.Itoa(more)+" more")
	}
	return strings.Join(parts, ", ")
}

// added is a word that is said of variants alone.
func added(kind store.EventKind, word string) string {
	if kind == store.EventVariants {
		return word
	}
	return ""
}

const (
	mostNamed = 4 // variants that moved alike
	mostSteps = 3 // moves of a sentence that differ
)

// someOf is names in a sentence: a few, and how many more there are.
func someOf(names []string) string {
	if len(names) <= mostNamed {
		return strings.Join(names, ", ")
	}
	return strings.Join(names[:mostNamed-1], ", ") + " and " + strconv.Itoa(len(names)-mostNamed+1) + " more"
}

// joined is two texts with a third between them, or the one that is not empty.
func joined(a, between, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + between + b
}

// tellWhy says the reasons for a change.
func tellWhy(why store.Why) (because []string) {
	for _, reason := range []struct {
		why  store.Why
		text string
	}{
		{store.WhyMSRPRose, "the supplier's msrp rose"},
		{store.WhyMSRPFell, "the supplier's msrp fell"},
		{store.WhyCostRose, "the supplier's cost rose"},
		{store.WhyCostFell, "the supplier's cost fell"},
		{store.WhyOffered, "the supplier's stock moved"},
		{store.WhySupplier, "the supplier changed it"},
		{store.WhyRules, "the rules have changed"},
		{store.WhyHeld, "its price is held below the floor"},
		{store.WhyReleased, "its price is held no longer"},
		{store.WhyShop, "somebody changed it in the shop"},
		{store.WhyUnsettled, "it was not known to be in the shop"},
		{store.WhyListedAgain, "its entry is listed again"},
		{store.WhyRemade, "its listing was made anew"},
		{store.WhyAsked, "somebody asked for it"},
	} {
		if why&reason.why != 0 {
			because = append(because, reason.text)
		}
	}
	return because
}
