package setup

import (
	"bytes"
	"errors"
	"log/slog"
	"strconv"
	"strings"
	"testing"

	"github.com/pubsync/pubsync/cmd/internal/say"
)

// A value is hidden until it has been replaced twice. What was only tried hides beside the value in
// use, which stays.
func TestSecretFilterForgets(t *testing.T) {
	f := newSecretFilter()
	expect := func(when string, want ...bool) {
		t.Helper()
		for i, value := range []string{"value-number-0", "value-number-1", "value-number-2", "value-number-3"} {
			if got := f.Replace(value) != value; got != want[i] {
				t.Errorf("%s: %s is hidden: %t, want %t", when, value, got, want[i])
			}
		}
	}
	f.hide("a", "value-number-0", true)
	f.hide("a", "value-number-0", true)
	expect("at the start", true, false, false, false)
	f.hide("a", "value-number-1", false)
	f.hide("a", "value-number-2", false)
	expect("two were tried", true, false, true, false)
	f.hide("a", "value-number-1", true)
	expect("replaced once", true, true, false, false)
	f.hide("a", "value-number-2", true)
	expect("replaced twice", false, true, true, false)
	f.hide("b", "value-number-0", true)
	f.hide("b", "value-number-3", true)
	expect("another secret of the first's value", true, true, true, true)
}

func TestSecretsAreTakenOutOfLogs(t *testing.T) {
	filter := newSecretFilter()
	for i, secret := range []string{`t0ken/with"signs and+more`, "another-t0ken", "short"} {
		filter.hide(strconv.Itoa(i), secret, true)
	}
	var out bytes.Buffer
	log := slog.New(say.LogHandler(&out, "json", slog.LevelInfo, true, filter.Replace))
	log.Info("said",
		"error", errors.New(`you sent t0ken/with"signs and+more`),
		"url", "https://x/?t=t0ken%2Fwith%22signs+and%2Bmore",
		"list", []string{"another-t0ken"},
		"hides", "another\x00-t0\u202eken",
		"word", "in short")
	s := out.String()
	if strings.Contains(s, "t0ken") {
		t.Errorf("logged %s, want no secret in it", s)
	}
	if n := strings.Count(s, "[secret]"); n != 4 {
		t.Errorf("logged %s with %d secrets hidden, want 4", s, n)
	}
	if !strings.Contains(s, "in short") {
		t.Errorf("logged %s, want a short secret's word left in a text", s)
	}
}
