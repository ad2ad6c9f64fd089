package registration

import (
	"context"
	"slices"
	"strings"

	"github.com/pubsync/pubsync/connector/marketplace"
)

type Result struct {
	Found
	Made    []marketplace.Webhook // registered now, each for events that nothing else covers
	Unknown []string              // wanted events that the marketplace does not know
	Off     []string              // ids of registrations that the marketplace made and never switched on

	listed []marketplace.Webhook
}

// Find reads the marketplace's registrations, and sorts them by whether they serve url and the
// wanted events.
func Find(ctx context.Context, market *marketplace.Client, url string, events []string) (Result, error) {
	return find(ctx, market, url, nil, events)
}

func find(
	ctx context.Context, market *marketplace.Client, url string, own []made, events []string,
) (r Result, err error) {
	if r.listed, err = market.Webhooks(ctx); err != nil {
		return r, err
	}
	forms, err := market.Probe(ctx)
	if err != nil {
		return r, err
	}
	r.Unknown = slices.DeleteFunc(slices.Clone(events), forms.TakesEvent)
	r.Found = judge(r.listed, url, own, without(events, r.Unknown))
	return r, nil
}

// ensure registers url for those of the wanted events that no active registration of the address
// covers. own are the registrations that the worker made itself. They are read just before, so that a
// lost answer leads to no second one. An error leaves in the result what was made before it.
func ensure(ctx context.Context, market *marketplace.Client, url string, own []made, events []string) (Result, error) {
	r, err := find(ctx, market, url, own, events)
	if err != nil {
		return r, err
	}
	wanted := r.Missing
	for _, h := range r.listed { // another one would be made as these were
		if !h.Active && slices.ContainsFunc(own, func(m made) bool { return m.Off && m.ID == h.ID }) {
			r.Off = append(r.Off, h.ID)
			if wanted = without(wanted, h.Events); len(h.Events) == 0 { // it does not say what it is for
				wanted = nil
			}
		}
	}
	if len(wanted) > 0 {
		err = r.register(ctx, market, url, wanted)
	}
	r.Missing = without(r.Missing, r.Unknown)
	for _, h := range r.Made {
		if !h.Active {
			r.Off = append(r.Off, h.ID)
		}
		r.Missing = without(r.Missing, h.Events)
	}
	switch {
	case err != nil:
		return r, err
	case len(r.Kept)+len(r.Made)+len(r.Off) == 0:
		return r, &marketplace.Error{
			Op: "register webhook", Kind: marketplace.Refused,
			Message: "the marketplace knows none of the events " + strings.Join(events, ", "),
		}
	}
	return r, nil
}

// register registers url for events. An event that the marketplace does not know does not keep the
// others from being registered: where its refusal does not name the unknown one, each event gets a
// registration of its own.
func (r *Result) register(ctx context.Context, market *marketplace.Client, url string, events []string) error {
	refused := r.make(ctx, market, url, events)
	if !marketplace.IsAboutEvents(refused, events) {
		return refused
	}
	if named := marketplace.EventsNamed(refused, events); len(named) > 0 && len(named) < len(events) {
		err := r.make(ctx, market, url, without(events, named))
		if err == nil {
			r.Unknown = append(r.Unknown, named...)
			return nil
		}
		if !marketplace.IsAboutEvents(err, events) {
			return err
		}
	}
	if len(events) > 1 {
		for _, event := range events {
			err := r.make(ctx, market, url, []string{event})
			if err != nil && !marketplace.IsAboutEvents(err, events) {
				return err
			}
		}
	}
	left := events
	for _, h := range r.Made {
		left = without(left, h.Events)
	}
	if len(left) == len(events) && len(r.Kept) == 0 {
		return refused // it may not be about the events
	}
	r.Unknown = append(r.Unknown, left...)
	return nil
}

func (r *Result) make(ctx context.Context, market *marketplace.Client, url string, events []string) error {
	h, err := market.RegisterWebhook(ctx, url, events)
	if err != nil {
		return err
	}
	if len(h.Events) == 0 { // an answer without events: it accepted those that it was given
		h.Events = events
	}
	r.Made = append(r.Made, h)
	return nil
}

// switchedOff is the error of registrations that the marketplace made without switching them on,
// nil for none.
func switchedOff(ids []string) error {
	if len(ids) == 0 {
		return nil
	}
	return &marketplace.Error{
		Op: "register webhook", Kind: marketplace.Refused,
		Message: "the marketplace has made webhook " + strings.Join(
			ids, " and ",
		) + " and not switched it on: switch it on in its admin",
	}
}
