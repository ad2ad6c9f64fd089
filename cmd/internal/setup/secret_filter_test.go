package setup

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/pubsync/pubsync/cmd/internal/say"
)

func TestSecretsAreTakenOutOfLogs(t *testing.T) {
	var filter secretFilter
	for _, secret := range []string{`t0ken/with"signs and+more`, "another-t0ken", "short"} {
		filter.hide(secret)
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
