package marketplace

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
)

// TestTrail follows listings given as cursor and entries of each page.
func TestTrail(t *testing.T) {
	type page struct {
		next    string // "" ends the listing
		entries string // ids with their updatedAt, a letter each
	}
	for _, row := range []struct {
		name  string
		pages []page
		ends  int // the page at which it is ended; 0: it is not
		says  string
	}{
		{"one page", []page{{"", "a1"}}, 0, ""},
		{"pages", []page{{"A", "a1"}, {"B", "b1"}, {"C", "c1"}, {"", "d1"}}, 0, ""},
		{"the cursor before", []page{{"A", "a1"}, {"B", "b1"}, {"A", "a2"}}, 3, "a cursor came back after 3 pages"},
		{"the cursor at once", []page{{"A", "a1"}, {"A", "b1"}}, 2, "a cursor came back"},
		{"a long circle", []page{{"A", "a1"}, {"B", "b1"}, {"C", "c1"}, {"D", "d1"}, {"B", "e1"}}, 5, "a cursor came " +
			"back after 5 pages"},
		{"the last page repeats a cursor", []page{{"A", "a1"}, {"", "b1"}}, 0, ""},
		{"nothing new, three times", []page{{"A", "a1"}, {"B", "a1"}, {"C", "a1"}, {"D", "a1"}}, 4, "3 pages in a " +
			"row showed nothing new"},
		{
			"nothing new, twice, and twice again",
			[]page{{"A", "a1"}, {"B", "a1"}, {"C", "a1"}, {"D", "b1"}, {"E", "a1"}, {"F", "b1"}, {"", "c1"}},
			0, "",
		},
		{"what moved is new", []page{{"A", "a1"}, {"B", "a2"}, {"C", "a3"}, {"D", "a4"}, {"E", "a5"}, {"", "a6"}}, 0, ""},
		{"empty pages", []page{{"A", ""}, {"B", ""}, {"C", ""}}, 3, "showed nothing new"},
	} {
		t.Run(row.name, func(t *testing.T) {
			var trail Trail
			after := ""
			for i, p := range row.pages {
				made := Page{End: p.next, More: p.next != ""}
				if p.entries != "" {
					made.Entries = []Entry{{ID: p.entries[:1], UpdatedAt: p.entries[1:]}}
				}
				err := trail.Follow(after, made)
				if (err != nil) != (i+1 == row.ends) {
					t.Fatalf("page %d: %v; (err != nil): got %v, want %v", i+1, err, (err != nil), (i+1 == row.ends))
				}
				if err != nil {
					contains(t, "error", err.Error(), row.says)
					return
				}
				after = p.next
			}
			if row.ends > 0 {
				t.Errorf("the listing was not ended; row.ends: got %v, want at most %v", row.ends, 0)
			}
		})
	}
}

// TestTrailTakesBoundedMemory follows a listing that is longer than what is remembered.
func TestTrailTakesBoundedMemory(t *testing.T) {
	var trail Trail
	for i := range 2*mostSteps + 10 {
		if err := trail.step(fmt.Sprint(i), fmt.Sprint(i+1), true, []string{fmt.Sprint(i)}); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(trail.cursors) + len(trail.items); n > 2*mostSteps {
		t.Errorf("%d steps are remembered; n: got %v, want at most %v", n, n, 2*mostSteps)
	}
}

// TestNestedListsThatGoInCircles has variants, images and webhooks lead back to where they came
// from.
func TestNestedListsThatGoInCircles(t *testing.T) {
	page := func(what, node, next string) string {
		return fmt.Sprintf(`%q:{"nodes":[%s],"pageInfo":{"hasNextPage":true,"endCursor":%q}}`, what, node, next)
	}
	turn := func(n int) string { return string("AB"[n%2]) }
	for _, row := range []struct {
		name string
		body func(n int) string
		call func(*testing.T, *Client) error
		most int
	}{
		{"variants", func(n int) string {
			return `{"publication":{"updatedAt":"u","listing":{` + page(
				"variants", fmt.Sprintf(`{"id":"%d"}`, n), turn(n),
			) + `}}}`
		}, content, 4},
		{"images", func(n int) string {
			return `{"publication":{"updatedAt":"u","listing":{` + page(
				"images", fmt.Sprintf(`{"transformedUrl":"%d"}`, n), turn(n),
			) + `}}}`
		}, content, 4},
		{"the same variant for ever", func(n int) string {
			return `{"publication":{"updatedAt":"u","listing":{` + page("variants", `{"id":"1"}`, fmt.Sprint(n)) + `}}}`
		}, content, 5},
		{
			"webhooks", func(n int) string { return `{` + page("webhooks", fmt.Sprintf(`{"id":"%d"}`, n), turn(n)) + `}` },
			webhooks, 4,
		},
		{
			"the same webhook for ever",
			func(n int) string { return `{` + page("webhooks", `{"id":"1"}`, fmt.Sprint(n)) + `}` }, webhooks, 5,
		},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := &fakeWire{answer: func(n int, _ sent) (int, string) { return 200, data(row.body(n)) }}
				c := known(t, w)
				err := row.call(t, c)
				switch {
				case err == nil:
					t.Errorf("%v; err: got nil, want an error", err)
				case KindOf(err) != Transient:
					t.Errorf("%v; KindOf(err): got %v, want %v", err, KindOf(err), Transient)
				case !strings.Contains(err.Error(), "goes in circles"):
					t.Errorf("%v; strings.Contains(err.Error(), \"goes in circles\"): got false, want true", err)
				}
				if n := len(w.seen); n > row.most {
					t.Errorf("%d requests, want at most %d", n, row.most)
				}
			})
		})
	}
}

func content(t *testing.T, c *Client) error {
	_, err := read1(t, c, 0)
	return err
}

func webhooks(t *testing.T, c *Client) error {
	_, err := c.Webhooks(t.Context())
	return err
}

// TestEntriesThatSayTooLittle are passed over and told apart: what has an id is on the list.
func TestEntriesThatSayTooLittle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := known(
			t,
			always(
				200,
				data(
					`{"publications":{"nodes":[{"id":"1","updatedAt":"u","status":"SYNCING"},null,{"updatedAt":"u"},{"id":"",`+
						`"updatedAt":"u"},`+
						`{"id":null,"updatedAt":null},{"id":"2","updatedAt":null},{"id":"3","updatedAt":""},{"id":"4"},{"id":5,`+
						`"updatedAt":7}],"pageInfo":{"hasNextPage":false}}}`,
				),
			),
		)
		page, err := c.List(t.Context(), Urgent, IDDesc, "")
		if err != nil {
			t.Fatal(err)
		}
		want := Page{
			Entries: []Entry{{ID: "1", UpdatedAt: "u", Status: "syncing"}, {ID: "5", UpdatedAt: "7"}},
			Undated: []string{"2", "3", "4"}, Nameless: 4, Asked: page.Asked, Answered: page.Answered,
		}
		if diff := cmp.Diff(want, page); diff != "" {
			t.Error(diff)
		}
	})
}
