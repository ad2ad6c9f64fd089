package desk

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/pubsync/pubsync/store"
)

func TestSweepRequests(t *testing.T) {
	o := newOffice(t)
	for body, want := range map[string]int{
		"": http.StatusAccepted, "{}": http.StatusAccepted, "[": http.StatusBadRequest,
		`{"full":"yes"}`: http.StatusBadRequest,
		`{"wait":true}`:  http.StatusOK, `{"wait":true,"patience":-1}`: http.StatusBadRequest,
		`{"patience":"soon"}`:                http.StatusBadRequest,
		`{"store":"/var/lib/other.db"}`:      http.StatusConflict,
		`{"store":"` + o.store.Path() + `"}`: http.StatusAccepted,
	} {
		if w := o.ask(http.MethodPost, "sweep", body); w.Code != want {
			t.Errorf("%s: %d %s, want %d", body, w.Code, w.Body, want)
		}
	}
}

func TestListRequests(t *testing.T) {
	o := newOffice(t, manyHeld()...)
	for query, want := range map[string]int{
		"": http.StatusOK, "limit=1": http.StatusOK, "limit=99999": http.StatusOK, "limit=0": http.StatusBadRequest,
		"limit=x":    http.StatusBadRequest,
		"state=held": http.StatusOK, "state=x": http.StatusBadRequest, "after=!": http.StatusBadRequest,
	} {
		if w := o.ask(http.MethodGet, "publications?"+query, ""); w.Code != want {
			t.Errorf("%s: %d %s, want %d", query, w.Code, w.Body, want)
		}
	}
}

// An answer that chooses nothing is refused: it is no answer to everything.
func TestAnswerRequests(t *testing.T) {
	for body, want := range map[string]int{
		"": http.StatusBadRequest, "{}": http.StatusBadRequest, `{"kind":"prices"}`: http.StatusBadRequest,
		`{"ids":["p0"]}`: http.StatusOK, `{"all":true}`: http.StatusOK, `{"kind":"price"}`: http.StatusOK,
	} {
		o := newOffice(t, manyHeld()...)
		if w := o.ask(http.MethodPost, "held", body); w.Code != want {
			t.Errorf("%s: %d %s, want %d", body, w.Code, w.Body, want)
		}
	}
	o := newOffice(t, manyHeld()...)
	for path, want := range map[string]int{
		"publications/p0/decline": http.StatusNoContent, "publications/none/decline": http.StatusNotFound,
		"publications/p1/approve": http.StatusNoContent, "publications/p1/retry": http.StatusNoContent,
		"publications/none/retry": http.StatusNotFound, "publications/p2/lose": http.StatusNotFound,
		"retry": http.StatusBadRequest,
	} {
		if w := o.ask(http.MethodPost, path, ""); w.Code != want {
			t.Errorf("%s: %d %s, want %d", path, w.Code, w.Body, want)
		}
	}
}

// Another program may listen where the settings have the worker: it knows nothing of publications.
func TestAnotherProgramDoesNotSayWhatIsUnknown(t *testing.T) {
	o := newOffice(t)
	if _, err := o.client(t).Explain(t.Context(), "x"); !errors.Is(err, ErrUnknown) {
		t.Errorf("of the worker: got %v, want %v", err, ErrUnknown)
	}
	o.handler = http.NotFoundHandler()
	_, err := o.client(t).Explain(t.Context(), "x")
	if e, ok := errors.AsType[*Error](err); !ok || e.Exit != ExitStore || errors.Is(err, ErrUnknown) {
		t.Errorf("of another program: got %v, want exit 5", err)
	}
	o.handler = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { refuse(w, errStore) })
	_, err = o.client(t).Explain(t.Context(), "x")
	if e, ok := errors.AsType[*Error](err); !ok || e.Exit != ExitStore || !strings.Contains(err.Error(), notThere) {
		t.Errorf("of a worker with another store: got %v, want exit 5 and what to do", err)
	}
}

// A misspelt member is refused by its name: it would be an answer to something else.
func TestMisspeltMembers(t *testing.T) {
	for path, body := range map[string]string{
		"sweep": `{"ful":true}`, "held": `{"all":true,"ful":true}`, "retry": `{"all":true,"ful":true}`,
		"publications/p0/approve": `{"ful":["key"]}`, "publications/p0/decline": `{"ful":["key"]}`,
		"publications/p0/retry": `{"ful":true}`,
	} {
		o := newOffice(t, manyHeld()...)
		w := o.ask(http.MethodPost, path, body)
		if w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), `"ful"`) {
			t.Errorf("%s: %d %s, want 400 that names the member", path, w.Code, w.Body)
		}
		if o.worker.swept || o.entry(t, "p0").Mark != nil {
			t.Errorf("%s: it was carried out all the same", path)
		}
	}
}

// A name arrives as it was given to the command, and that of another program is bounded.
func TestActorTravels(t *testing.T) {
	for name, tt := range map[string]struct{ by, want string }{
		"a command": {"Anna Müller 50%", "Anna Müller 50%"}, "a command without a name": {" ", "a command"},
		"a program": {"", "the API"}, "control characters": {"an\nna\x1b\u202e", "an na"},
		"a long name": {strings.Repeat("a", 1<<10), strings.Repeat("a", longestName) + "…"},
	} {
		t.Run(name, func(t *testing.T) {
			o := newOffice(t, troubled()...)
			must[Asked](t, "retry")(o.client(t).Ask(t.Context(), Request{Retry: true, IDs: []string{"1"}, By: tt.by}))
			history := must[[]store.Event](t, "history")(o.store.History(t.Context(), "1"))
			expect(t, "who asked", history[0].By, tt.want)
		})
	}
}
