package marketplace

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
)

func TestLook(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := known(
			t,
			always(
				200,
				`{"data":{"a0":{"updatedAt":"u","status":"SUCCESS","productUrl":"https://shop.test"},"a1":null,"a2":null,"a3":{}},
			"errors":[{"message":"Internal server error","path":["a2"]}]}`,
			),
		)
		got, err := c.Look(t.Context(), Sweep, []string{"ok", "gone", "broken", "odd", "missing"}, true)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(&Entry{
			ID: "ok", UpdatedAt: "u", Status: "success", ProductURL: "https://shop.test",
		}, got["ok"]); diff != "" {
			t.Error(diff)
		}
		switch e, there := got["gone"]; {
		case !there:
			t.Errorf("gone is %+v; there: got false, want true", e)
		case e != nil:
			t.Errorf("gone is %+v; e: got %v, want nil", e, e)
		}
		for _, id := range []string{"broken", "odd", "missing"} {
			switch e := got[id]; {
			case e == nil:
				t.Errorf("%s is %+v: not known is not gone; e: got nil, want a value", id, e)
			case e.Err == nil:
				t.Errorf("%s is %+v: not known is not gone; e.Err: got nil, want an error", id, e)
			case KindOf(e.Err) != Transient:
				t.Errorf("%s is %+v: not known is not gone; KindOf(e.Err): got %v, want %v", id, e, KindOf(e.Err), Transient)
			}
		}
	})
}

// TestOneBadIdDoesNotStandInTheWay has a server that refuses a whole request for one of its ids.
func TestOneBadIdDoesNotStandInTheWay(t *testing.T) {
	for _, message := range []string{"Argument id has an invalid value", "No such thing"} {
		t.Run(message, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := &fakeWire{answer: func(_ int, s sent) (int, string) {
					var fields []string
					for name, id := range s.Variables {
						if id == "bad" {
							return 200, fmt.Sprintf(`{"data":null,"errors":[{"message":%q}]}`, message)
						}
						fields = append(
							fields, fmt.Sprintf(`"a%s":{"updatedAt":%q}`, strings.TrimPrefix(name, "id"), id),
						)
					}
					return 200, data("{" + strings.Join(fields, ",") + "}")
				}}
				got, err := known(t, w).Look(t.Context(), Sweep, []string{"1", "2", "bad", "4", "5"}, false)
				if err != nil {
					t.Fatal(err)
				}
				for _, id := range []string{"1", "2", "4", "5"} {
					switch e := got[id]; {
					case e == nil:
						t.Errorf("%s is %+v; e: got nil, want a value", id, e)
					case e.Err != nil:
						t.Errorf("%s is %+v; e.Err: got %v, want nil", id, e, e.Err)
					case e.UpdatedAt != id:
						t.Errorf("%s is %+v; e.UpdatedAt: got %v, want %v", id, e, e.UpdatedAt, id)
					}
				}
				switch e := got["bad"]; {
				case e == nil:
					t.Errorf("bad is %+v; e: got nil, want a value", e)
				case e.Err == nil:
					t.Errorf("bad is %+v; e.Err: got nil, want an error", e)
				}
			})
		})
	}
}

// TestEverythingIsRefused ends soon although every part of a batch is refused. A look that is too
// expensive cannot be made smaller but by taking fewer ids, so it is not sent a second time as it
// is.
func TestEverythingIsRefused(t *testing.T) {
	for _, message := range []string{"Nope", "Unknown argument id", "Query cost exceeds the maximum"} {
		t.Run(message, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var ids []string
				for i := range 50 {
					ids = append(ids, fmt.Sprint(i))
				}
				w := always(200, `{"errors":[{"message":"`+message+`"}],`+throttled(0, 0, 1000)+`}`)
				if _, err := known(t, w).Look(t.Context(), Sweep, ids, false); err == nil {
					t.Error("no error")
				}
				if n := len(w.seen); n > mostNarrowing+1 {
					t.Errorf("%d requests; n: got %v, want at most %v", n, n, mostNarrowing+1)
				}
			})
		})
	}
}
