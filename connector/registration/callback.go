package registration

import (
	"slices"
	"sort"
	"strings"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/connector/publication"
)

// Found sorts the marketplace's registrations by whether they serve one address and the wanted
// events.
type Found struct {
	// active ones of the address, which cover every wanted event that is not in Missing
	Kept    []marketplace.Webhook
	Missing []string // wanted events that no active registration of the address covers
	// active ones of the address that add nothing to Kept: their deliveries come twice, or are no
	// longer wanted
	Superfluous []marketplace.Webhook
}

// SameCallback reports whether two callback addresses are one. Marketplaces and the proxies before them change their
// spelling, and drop a fragment.
func SameCallback(a, b string) bool {
	a, _, _ = strings.Cut(a, "#")
	b, _, _ = strings.Cut(b, "#")
	return publication.SameAddress(a, b)
}

// judge finds which of the hooks are ours. own are the registrations that this worker made: they
// are ours under any address that the marketplace shows.
func judge(hooks []marketplace.Webhook, address string, own []made, events []string) Found {
	var ours, unwanted []marketplace.Webhook
	for _, h := range hooks {
		switch {
		case !h.Active || !SameCallback(h.CallbackURL, address) && (h.ID == "" || !has(own, h.ID)):
		case len(covered(h, events)) > 0:
			ours = append(ours, h)
		case has(own, h.ID) || len(h.Events) > 0 &&
			!slices.ContainsFunc(h.Events, func(event string) bool { return !ofList(event) }):
			unwanted = append(unwanted, h)
		}
	}
	sort.SliceStable(ours, func(i, j int) bool { return len(covered(ours[i], events)) > len(covered(ours[j], events)) })
	r := Found{Missing: events, Superfluous: unwanted}
	for _, h := range ours {
		if len(covered(h, r.Missing)) == 0 {
			r.Superfluous = append(r.Superfluous, h)
			continue
		}
		r.Kept = append(r.Kept, h)
		r.Missing = without(r.Missing, h.Events)
	}
	return r
}

// ofList reports whether an event is about the import list or its products. A registration for
// other events may serve another use of the address.
func ofList(event string) bool {
	event = strings.ToUpper(event)
	return strings.HasPrefix(event, "PRODUCT") || strings.HasPrefix(event, "PUBLICATION")
}

func covered(h marketplace.Webhook, events []string) []string {
	return slices.DeleteFunc(slices.Clone(events), func(event string) bool { return !covers(h, event) })
}

func without(events, others []string) []string {
	return slices.DeleteFunc(slices.Clone(events), func(event string) bool { return contains(others, event) })
}

func contains(events []string, event string) bool {
	return slices.ContainsFunc(events, func(e string) bool { return marketplace.SameEvent(e, event) })
}

func covers(h marketplace.Webhook, event string) bool { return contains(h.Events, event) }
