package marketplace

import (
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
)

func TestLook(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		answers := map[string]string{
			"ok":   data(`{"publication":{"updatedAt":"u","status":"SUCCESS","productUrl":"https://shop.test"}}`),
			"gone": data(`{"publication":null}`),
			"broken": `{"data":{"publication":null},"errors":[{"message":"Internal server error",` +
				`"path":["publication"]}]}`,
			"odd":     data(`{"publication":{}}`),
			"missing": data(`{}`),
			"bad":     `{"data":null,"errors":[{"message":"Argument id has an invalid value"}]}`,
			"unknown": `{"data":null,"errors":[{"message":"No such thing"}]}`,
		}
		c := known(t, &fakeWire{answer: func(_ int, s sent) (int, string) { return 200, answers[s.id()] }})
		got, err := c.Look(
			t.Context(), Sweep, []string{"ok", "gone", "odd", "missing", "bad", "unknown", "ok"}, true,
		)
		if err != nil {
			t.Fatal(err)
		}
		want := &Entry{ID: "ok", UpdatedAt: "u", Status: "success", ProductURL: "https://shop.test"}
		if diff := cmp.Diff(want, got["ok"]); diff != "" {
			t.Error(diff)
		}
		if e, there := got["gone"]; !there || e != nil {
			t.Errorf("gone: got %+v, %t, want nil", e, there)
		}
		for _, id := range []string{"odd", "missing", "bad", "unknown"} {
			if e := got[id]; e == nil || e.Err == nil {
				t.Errorf("%s: got %+v, want an entry with an error: not known is not gone", id, e)
			}
		}
	})
}
