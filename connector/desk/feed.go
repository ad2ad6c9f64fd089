package desk

import (
	"cmp"
	"time"

	"github.com/pubsync/pubsync/store"
)

// Feed is what happened to publications of late, the newest first.
type Feed struct {
	Events []FeedEvent `json:"events"`
}

// A FeedEvent is one event of a publication's history.
type FeedEvent struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	Happened
}

// mostFeed is how many events a feed has at most.
const mostFeed = 200

// A feeder finds the newest events of many records. It keeps at most twice mostFeed.
type feeder struct {
	events []FeedEvent
	oldest time.Time // what is not newer is not among the newest; zero: not known yet
}

func (f *feeder) add(r store.Record) {
	for _, e := range r.History {
		at := e.At.Time()
		if !at.After(f.oldest) {
			continue
		}
		f.events = append(f.events, FeedEvent{ID: r.ID, Title: r.Title, Happened: happened(r, e)})
		if len(f.events) >= 2*mostFeed {
			f.cut()
		}
	}
}

func (f *feeder) cut() {
	places := sortedPlaces(len(f.events), func(i, j int32) int {
		a, b := &f.events[i], &f.events[j]
		return cmp.Or(b.At.Compare(a.At), cmp.Compare(a.ID, b.ID))
	})
	var newest []FeedEvent
	for _, at := range places[:min(len(places), mostFeed)] {
		newest = append(newest, f.events[at])
	}
	if len(f.events) > mostFeed {
		f.oldest = newest[mostFeed-1].At
	}
	f.events = newest
}
