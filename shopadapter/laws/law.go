package laws

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/pubsync/pubsync/shopadapter"
)

// A Law is one thing that holds for every shop.
type Law struct {
	ID       string // lower case, hyphenated: the name of the subtest
	Sentence string // what holds

	needs []ability // what the harness or the adapter must have for it
	core  bool      // no adapter in Go is excused
	// the law that needs the same ability: its reason in Without is good for this one too
	likewise string
	check    func(ctx context.Context, b *bench) error
}

// OfProtocol says that the law is one of the http protocol alone.
func (l Law) OfProtocol() bool {
	return slices.ContainsFunc(l.needs, func(a ability) bool { return a.name == endpoint().name })
}

// A Skip is the error of a law that was not exercised.
type Skip struct{ Reason string }

func (s *Skip) Error() string { return s.Reason }

// A Breach is the error of a law that is broken: where, what was expected and got, and what the
// last call left to the merchant.
type Breach struct {
	Step string             // the last step of the law: "step 3, publish of "lamp" (changed title)"
	Kept shopadapter.Fields // text groups that the last publish kept for the merchant
	Err  error              // what was expected and got
}

func (b *Breach) Error() string {
	return fmt.Sprintf("%s: %v; kept for the merchant: %s", b.Step, b.Err, b.Kept)
}

func (b *Breach) Unwrap() error { return b.Err }

// Book lists every law, from the plain to the unlikely.
func Book() []Law {
	return slices.Concat(
		doorLaws(),
		publishLaws(),
		variantLaws(),
		choiceLaws(),
		unpublishLaws(),
		draftLaws(),
		ownershipLaws(),
		adoptionLaws(),
		refusalLaws(),
		editLaws(),
		detailLaws(),
		imageLaws(),
		pictureLaws(),
		faultLaws(),
		errorLaws(),
		callLaws(),
		capabilityLaws(),
		observedLaws(),
		observedHandLaws(),
		observedEditLaws(),
		mendedLaws(),
		restockLaws(),
		protocolLaws(),
		protocolObservedLaws(),
		bodyLaws(),
	)
}

// Check exercises the law once. It returns nil when the law held, a [Skip] when it was not
// exercised, and otherwise what went wrong.
func (l Law) Check(ctx context.Context, h Harness) (err error) {
	if err := knownLaws(h.Without); err != nil {
		return err
	}
	reason := h.Without[l.ID]
	if reason != "" && l.core && h.Endpoint == nil {
		return fmt.Errorf("no adapter is excused from this law, yet Without says: %s", reason)
	}
	if reason != "" {
		return &Skip{Reason: reason}
	}
	b := newBench(l.ID, h)
	defer func() { err = errors.Join(err, b.close()) }()
	if err := b.restart(); err != nil {
		return err
	}
	for _, need := range l.needs {
		switch {
		case need.met(h, b.adapter):
		case need.reason != "":
			return &Skip{Reason: need.reason}
		case h.Without[l.likewise] != "":
			return &Skip{Reason: h.Without[l.likewise]}
		default:
			return fmt.Errorf("this law needs %s, and Without gives no reason for %q", need.name, l.ID)
		}
	}
	return b.breach(l.check(ctx, b))
}

func knownLaws(without map[string]string) error {
	laws := Book()
	for id, reason := range without {
		if !slices.ContainsFunc(laws, func(l Law) bool { return l.ID == id }) {
			return fmt.Errorf("field Without names %q, which is no law", id)
		}
		if reason == "" {
			return fmt.Errorf("field Without gives no reason for %q", id)
		}
	}
	return nil
}

// An ability is what a law needs beyond Open and Observe.
type ability struct {
	name   string
	met    func(Harness, shopadapter.Adapter) bool
	reason string // why the law is skipped without it; "": Without must say
}

func needs(abilities ...ability) []ability { return abilities }

// given is an ability of the harness's.
func given(name string, met func(h Harness) bool) ability {
	return ability{name: name, met: func(h Harness, _ shopadapter.Adapter) bool { return met(h) }}
}

func transport() ability {
	return given("an adapter that makes HTTP requests", func(h Harness) bool { return !h.NoTransport })
}

func faults() ability {
	return given("a transport or Interrupt", func(h Harness) bool { return !h.NoTransport || h.Interrupt != nil })
}

func boundaries() ability {
	return given("a transport or Watch", func(h Harness) bool { return !h.NoTransport || h.Watch != nil })
}

func edit() ability { return given("Edit", func(h Harness) bool { return h.Edit != nil }) }

func visit() ability { return given("Visit", func(h Harness) bool { return h.Visit != nil }) }

func rename() ability {
	return given("RenameOption and RenameValue", func(h Harness) bool {
		return h.RenameOption != nil && h.RenameValue != nil
	})
}

func deleteByHand() ability {
	return given("DeleteByHand", func(h Harness) bool { return h.DeleteByHand != nil })
}

func hideByHand() ability {
	return given("HideByHand", func(h Harness) bool { return h.HideByHand != nil })
}

func deleteStamp() ability {
	return ability{
		name: "DeleteStamp", met: func(h Harness, _ shopadapter.Adapter) bool { return h.DeleteStamp != nil },
		reason: "nobody but the adapter can delete a stamp of this shop",
	}
}

func addForeign() ability {
	return given("AddForeign", func(h Harness) bool { return h.AddForeign != nil })
}

func refuseVariant() ability {
	return given("RefuseVariant", func(h Harness) bool { return h.RefuseVariant != nil })
}

func refuseProduct() ability {
	return given("RefuseProduct", func(h Harness) bool { return h.RefuseProduct != nil })
}

func breakCredentials() ability {
	return given("BreakCredentials", func(h Harness) bool { return h.BreakCredentials != nil })
}

func secrets() ability { return given("Secrets", func(h Harness) bool { return len(h.Secrets) > 0 }) }

func uploads() ability { return given("Uploads", func(h Harness) bool { return h.Uploads != nil }) }

func losePicture() ability {
	return given("LosePicture", func(h Harness) bool { return h.LosePicture != nil })
}

func spoilPicture() ability {
	return given("SpoilPicture", func(h Harness) bool { return h.SpoilPicture != nil })
}

// endpoint is what a law of the protocol alone needs.
func endpoint() ability {
	return ability{
		name:   "an endpoint",
		met:    func(h Harness, _ shopadapter.Adapter) bool { return h.Endpoint != nil },
		reason: "this is a law of the http protocol: an adapter in Go is called, and is sent no request",
	}
}

// restarts is what an endpoint lacks that nobody can start anew. An adapter in Go is opened anew.
func restarts() ability {
	return given("Restart", func(h Harness) bool { return h.Endpoint == nil || h.Restart != nil })
}

// notObserved is why the laws of what stands in the shop are skipped where its list does not tell.
const notObserved = "the shop does not list what stands in it: nothing tells what somebody changed there"

func setPriceByHand() ability {
	return given("SetPriceByHand", func(h Harness) bool { return h.SetPriceByHand != nil })
}

func setQuantityByHand() ability {
	return given("SetQuantityByHand", func(h Harness) bool { return h.SetQuantityByHand != nil })
}

func reduceByHand() ability {
	return given("ReduceByHand", func(h Harness) bool { return h.ReduceByHand != nil })
}

func removeVariantByHand() ability {
	return given("RemoveVariantByHand", func(h Harness) bool { return h.RemoveVariantByHand != nil })
}

func hideVariantByHand() ability {
	return given("HideVariantByHand", func(h Harness) bool { return h.HideVariantByHand != nil })
}
