package registration

import (
	"context"
	"slices"
	"strings"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/connector/publication"
)

// Found is the marketplace's registrations as far as they serve one address and the wanted events.
type Found struct {
	Kept        []marketplace.Webhook // active ones, which cover every wanted event that is not in Missing
	Missing     []string              // wanted events that none of them covers
	Superfluous []marketplace.Webhook // active ones of the address that add nothing to Kept
	Unknown     []string              // wanted events that the marketplace does not know

	made []marketplace.Webhook // registered now, switched on or not
	off  []string              // ids of own ones that the marketplace never switched on
}

// own is the registrations that workers with this store made, by their ids: they are ours under any
// address that the marketplace shows. The value is true for one that was never switched on, which is
// not made again.
type own map[string]bool

// Find reads the marketplace's registrations, and sorts them by whether they serve an address and
// the wanted events.
func Find(ctx context.Context, market *marketplace.Client, address string, events []string) (Found, error) {
	return find(ctx, market, address, nil, events)
}

func find(
	ctx context.Context, market *marketplace.Client, address string, ours own, events []string,
) (f Found, err error) {
	hooks, err := market.Webhooks(ctx)
	if err != nil {
		return f, err
	}
	dialect, err := market.Probe(ctx)
	if err != nil {
		return f, err
	}
	f.Unknown = slices.DeleteFunc(slices.Clone(events), dialect.TakesEvent)
	f.Missing = without(events, f.Unknown)
	wanted := f.Missing
	// one that covers more counts first
	slices.SortStableFunc(hooks, func(a, b marketplace.Webhook) int {
		return len(without(wanted, a.Events)) - len(without(wanted, b.Events))
	})
	for _, h := range hooks {
		off, made := ours[h.ID]
		left := without(f.Missing, h.Events)
		switch {
		case !h.Active && off:
			f.off = append(f.off, h.ID)
			if f.Missing = left; len(h.Events) == 0 { // it does not say what it is for
				f.Missing = nil
			}
		case !h.Active, !made && !sameCallback(h.CallbackURL, address):
		case len(left) < len(f.Missing):
			f.Kept, f.Missing = append(f.Kept, h), left
		case made || len(without(wanted, h.Events)) < len(wanted):
			f.Superfluous = append(f.Superfluous, h)
		}
	}
	return f, nil
}

// ensure registers an address for the missing events. One that the marketplace does not know keeps no
// other from being registered: those that a refusal names are left out, and where that does not help
// each gets a registration of its own. An error leaves in the result what was made before it.
func (f *Found) ensure(ctx context.Context, market *marketplace.Client, address string) error {
	var refusal error
	if len(f.Missing) > 0 {
		refusal = f.register(ctx, market, address, f.Missing)
	}
	if named := f.named(refusal); len(named) > 0 && len(named) < len(f.Missing) {
		left := without(f.Missing, named)
		if err := f.register(ctx, market, address, left); !refuses(err) { // else it may have named those that it knows
			f.Unknown, f.Missing, refusal = append(f.Unknown, named...), left, err
		}
	}
	if refuses(refusal) && !strings.Contains(refusal.Error(), "callbackUrl") { // else no event is at fault
		for _, event := range f.Missing {
			err := refusal
			if len(f.Missing) > 1 {
				err = f.register(ctx, market, address, []string{event})
			}
			switch {
			case err == nil:
				refusal = nil
			case refuses(err):
				f.Unknown = append(f.Unknown, event)
			default:
				return err
			}
		}
		if len(f.Kept) > 0 { // else it may be about the address
			refusal = nil
		}
	}
	switch {
	case refusal != nil:
		return refusal
	case len(f.Kept)+len(f.made)+len(f.off) == 0:
		return refused("the marketplace knows none of the wanted events")
	case len(f.off) > 0:
		return refused("the marketplace has made webhook " + strings.Join(f.off, " and ") +
			" and not switched it on: switch it on in its admin")
	}
	return nil
}

// named is those of the missing events that a refusal names.
func (f *Found) named(refusal error) []string {
	return slices.DeleteFunc(slices.Clone(f.Missing), func(event string) bool {
		return !refuses(refusal) || !strings.Contains(refusal.Error(), event)
	})
}

func refuses(err error) bool {
	kind := marketplace.KindOf(err) // Transient for no error
	return kind == marketplace.Refused || kind == marketplace.Invalid
}

func refused(why string) error {
	return &marketplace.Error{Op: "register webhook", Kind: marketplace.Refused, Message: why}
}

func (f *Found) register(ctx context.Context, market *marketplace.Client, address string, events []string) error {
	h, err := market.RegisterWebhook(ctx, address, events)
	if err != nil {
		return err
	}
	f.made = append(f.made, h)
	if !h.Active {
		f.off = append(f.off, h.ID)
	}
	return nil
}

// sameCallback reports whether two callback addresses are one. Marketplaces and the proxies before
// them change their spelling, and drop a fragment.
func sameCallback(a, b string) bool {
	a, _, _ = strings.Cut(a, "#")
	b, _, _ = strings.Cut(b, "#")
	return publication.SameAddress(a, b)
}

func without(events, others []string) []string {
	return slices.DeleteFunc(slices.Clone(events), func(event string) bool {
		return slices.ContainsFunc(others, func(other string) bool { return strings.EqualFold(other, event) })
	})
}
