package cmd

import (
	"bytes"
	"errors"
	"log/slog"
	"strconv"
	"strings"
	"testing"
	"unicode"
)

// nasty is what a supplier, a shop or a stranger may put into a title, an error or a header:
// colours, a new title for the window, a cleared screen, a line that looks like ours, turned
// writing, bytes that are no UTF-8.
const nasty = "lamp\x1b[31m\x1b]0;owned\x07\x1b[2J\r\nlevel=ERROR msg=\"all is " +
	"lost\"\u009b1m\u202eexe.gpj\u2066\u2028\x00\x7f\xff\x9b end"

func TestNothingInALogMovesTheCursor(t *testing.T) {
	for _, tt := range []struct {
		format  string
		noColor bool
	}{{"json", false}, {"text", false}, {"text", true}} {
		var out bytes.Buffer
		log := slog.New(logHandler(&out, tt.format, slog.LevelInfo, tt.noColor, newSecretFilter().Replace))
		log.With("with", nasty).
			WithGroup("group").
			Info("one line", "text", nasty, "error", errors.New(nasty), "list", []string{nasty},
				slog.Group("inner", "text", nasty))
		line := strings.TrimSuffix(out.String(), "\n")
		if !tt.noColor && tt.format == "text" {
			for _, colour := range []string{"\x1b[92m", "\x1b[2m", "\x1b[0m"} { // those that a line of this level has
				line = strings.ReplaceAll(line, colour, "")
			}
		}
		if i := strings.IndexFunc(line, func(r rune) bool { return unicode.IsControl(r) || moves(r) }); i >= 0 {
			t.Errorf("%+v: at %d of %q", tt, i, line)
		}
		if strings.Count(line, "lamp") != 5 || strings.Count(line, "end") != 5 {
			t.Errorf("%+v: the rest of the text is gone: %q", tt, line)
		}
	}
}

func TestNothingPrintedMovesTheCursor(t *testing.T) {
	var out bytes.Buffer
	if err := table(&out, []string{"ID"}, [][]string{{nasty}}); err != nil {
		t.Fatal(err)
	}
	if code := exitCode(&exitError{code: 3, err: errors.New(nasty)}, &out); code != 3 {
		t.Errorf("exit %d", code)
	}
	a := &app{stdout: &out}
	err := new(doctorCommand).print(a, []finding{{Check: "schema", Detail: nasty, code: 3}})
	if code := exitCode(err, &out); code != 3 {
		t.Errorf("exit %d", code)
	}
	if i := strings.IndexFunc(out.String(), func(r rune) bool { return r != '\n' && moves(r) }); i >= 0 {
		t.Errorf("at %d of %q", i, out.String())
	}
	if n := strings.Count(out.String(), "lamp"); n != 3 {
		t.Errorf("%d texts of 3: %q", n, out.String())
	}
}

func TestSecretsAreTakenOutOfLogs(t *testing.T) {
	filter := newSecretFilter()
	for i, secret := range []string{`t0ken/with"signs and+more`, "another-t0ken", "short"} {
		filter.use(strconv.Itoa(i), secret)
	}
	var out bytes.Buffer
	log := slog.New(logHandler(&out, "json", slog.LevelInfo, true, filter.Replace))
	log.Info(
		"said",
		"error",
		errors.New(`you sent t0ken/with"signs and+more`),
		"url",
		"https://x/?t=t0ken%2Fwith%22signs+and%2Bmore",
		"list",
		[]string{"another-t0ken"},
		"hides",
		"another\x00-t0\u202eken",
		"word",
		"in short",
	)
	if s := out.String(); strings.Contains(s, "t0ken") || strings.Count(s, "[secret]") != 4 ||
		!strings.Contains(s, "in short") {
		t.Errorf("%s", s)
	}
}

func TestASecretThatBeginsWithAnotherIsTakenOutWhole(t *testing.T) {
	if got := redactor([]string{"password", "password-and-more"}).Replace("password-and-more, password"); got != "[secret], [secret]" {
		t.Errorf("%q", got)
	}
}
