package shopadaptertest

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode"

	"github.com/pubsync/pubsync/shopadapter"
)

// maxAnswers is more requests than any one call needs.
const maxAnswers = 500

// A Monotone is a shop that gives every request the same answer.
type Monotone struct {
	Adapter  string // its registered name
	Settings map[string]string
	Ref      shopadapter.Ref
	Secret   string // what no error may hold
	Answer   func() *http.Response
}

// Check holds an adapter to this, for a fuzz target that draws the answer: each call ends after no
// more than 500 requests and within an hour of a bubble's time. It ends in a listing, or in an
// error without the secret and without a character that moves a cursor.
func (m Monotone) Check(t *testing.T) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		transport := &monotonous{t: t, answer: m.Answer}
		a, err := shopadapter.Open(
			m.Adapter,
			shopadapter.Options{Settings: m.Settings, HTTPClient: &http.Client{Transport: transport}},
		)
		if err != nil {
			t.Fatal(err)
		}
		for name, call := range map[string]func(context.Context) error{
			"publish": func(ctx context.Context) error {
				_, err := a.Publish(ctx, m.Ref, Sample(m.Ref.Publication, 2), shopadapter.AllFields)
				return err
			},
			"unpublish": func(ctx context.Context) error {
				_, err := a.Unpublish(ctx, m.Ref, shopadapter.Delete)
				return err
			},
			"check": func(ctx context.Context) error {
				_, err := a.Check(ctx)
				return err
			},
		} {
			transport.asked = 0
			ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
			err := call(ctx)
			cancel()
			if err != nil &&
				(strings.Contains(err.Error(), m.Secret) || strings.ContainsFunc(err.Error(), movesCursor)) {
				t.Errorf("%s: %q", name, err)
			}
		}
	})
}

func movesCursor(r rune) bool { return unicode.IsControl(r) && r != '\n' }

type monotonous struct {
	t      *testing.T
	answer func() *http.Response
	asked  int
}

func (m *monotonous) RoundTrip(*http.Request) (*http.Response, error) {
	if m.asked++; m.asked > maxAnswers {
		m.t.Errorf("more than %d requests for one call", maxAnswers)
		return nil, errors.New("enough")
	}
	return m.answer(), nil
}
