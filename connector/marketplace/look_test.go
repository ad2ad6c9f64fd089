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
		got := map[string]*Entry{}
		for id := range answers {
			e, err := c.look(t.Context(), &Admission{priority: Sweep}, id, true)
			if got[id] = e; err != nil {
				t.Errorf("%s: %v", id, err)
			}
		}
		want := &Entry{ID: "ok", UpdatedAt: "u", Status: "success", ProductURL: "https://shop.test"}
		if diff := cmp.Diff(want, got["ok"]); diff != "" {
			t.Error(diff)
		}
		if e := got["gone"]; e != nil {
			t.Errorf("gone: got %+v, want nil", e)
		}
		for _, id := range []string{"broken", "odd", "missing", "bad", "unknown"} {
			if e := got[id]; e == nil || e.Err == nil {
				t.Errorf("%s: got %+v, want an entry with an error: not known is not gone", id, e)
			}
		}
	})
}
