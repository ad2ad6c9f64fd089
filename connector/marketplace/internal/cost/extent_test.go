package cost

import "testing"

func TestPagesFollowTheListings(t *testing.T) {
	type listings struct{ of, times int }
	for _, row := range []struct {
		name string
		seen []listings
		page int // of a listing of which nothing was read
		next int // of a listing of which as many were read as that page holds
	}{
		{"nothing seen: what is assumed, and as much again", nil, 10, 10},
		{"a few: at once larger", []listings{{12, 1}}, 12, 12},
		{"a few: not yet smaller", []listings{{1, enough - 1}}, 10, 10},
		{"enough: smaller", []listings{{1, enough}}, leastPage, leastPage},
		{"none at all", []listings{{0, enough}}, leastPage, leastPage},
		{"one in twenty-five is long", []listings{{6, 96}, {60, 4}}, 6, 54},
		{"one in ten is long", []listings{{3, 90}, {60, 10}}, 60, 60},
		{"longer than any page", []listings{{5000, 30}}, LargestPage, LargestPage},
		{"what is long ago is forgotten", []listings{{60, 300}, {6, remembered}}, 6, 6},
	} {
		t.Run(row.name, func(t *testing.T) {
			e := Extent{Assumed: 10}
			for _, l := range row.seen {
				for range l.times {
					e.Saw(l.of)
				}
			}
			if got := e.Page(0); got != row.page {
				t.Errorf("a first page of %d, want %d", got, row.page)
			}
			if got := e.Page(row.page); got != row.next {
				t.Errorf("a next page of %d, want %d", got, row.next)
			}
		})
	}
}
