package cmd

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/pubsync/pubsync/connector/desk"
)

// printJSON writes one document.
func (a *app) printJSON(v any) error {
	enc := json.NewEncoder(a.stdout)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// table writes rows in columns, each cell without the characters that move a terminal's cursor.
func table(w io.Writer, head []string, rows [][]string) error {
	t := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	fmt.Fprintln(t, strings.Join(head, "\t"))
	for _, row := range rows {
		for i, cell := range row {
			row[i] = plain(cell)
		}
		fmt.Fprintln(t, strings.Join(row, "\t"))
	}
	return t.Flush()
}

const cellWidth = 80

// plain is a text without control characters, cut to a readable width.
func plain(s string) string {
	s = harmless(s)
	if r := []rune(s); len(r) > cellWidth {
		return string(r[:cellWidth-1]) + "…"
	}
	return s
}

// harmless is a text without the characters that move a terminal's cursor or turn its writing.
func harmless(s string) string {
	return strings.Map(func(r rune) rune {
		if moves(r) {
			return -1
		}
		return r
	}, s)
}

// moves reports whether a character acts on a terminal: control characters, separators of lines,
// marks of direction.
func moves(r rune) bool {
	return r < ' ' || r >= 0x7f && r < 0xa0 || r >= 0x2028 && r <= 0x202e || r >= 0x2066 && r <= 0x2069
}

// harmlessLines is a text of several lines, each harmless.
func harmlessLines(s string) string {
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		lines[i] = harmless(line)
	}
	return strings.Join(lines, "\n")
}

func (a *app) printSummary(s desk.Summary, asJSON bool) error {
	if asJSON {
		return a.printJSON(s)
	}
	_, err := fmt.Fprintf(
		a.stdout,
		"swept %d, created %d, updated %d, unchanged %d, withdrawn %d, reported %d\n"+
			"standing: rejected %d, blocked %d, held %d, pending %d, reports refused %d\n%.1f s, %d requests, %.0f "+
			"points, throttled %d times\n",
		s.Swept,
		s.Created,
		s.Updated,
		s.Unchanged,
		s.Withdrawn,
		s.Reported,
		s.Rejected,
		s.Blocked,
		s.Held,
		s.Pending,
		s.Refused,
		s.Seconds,
		s.Requests,
		s.Cost,
		s.Throttled,
	)
	if err == nil && s.Error != "" {
		_, err = fmt.Fprintln(a.stdout, "ended early:", plain(s.Error))
	}
	return err
}

func (a *app) printPlan(p desk.Plan, asJSON bool) error {
	if asJSON {
		return a.printJSON(p)
	}
	w := a.stdout
	for _, id := range p.Create {
		fmt.Fprintf(w, "create    %s\n", plain(id))
	}
	for _, c := range p.Change {
		switch {
		case c.Old == "" && c.New == "":
			fmt.Fprintf(w, "change    %s  %s\n", plain(c.ID), c.Field)
		case c.Variant != "":
			fmt.Fprintf(
				w,
				"change    %s  %s of %s: %s -> %s\n",
				plain(c.ID),
				c.Field,
				plain(c.Variant),
				orNothing(c.Old),
				orNothing(c.New),
			)
		default:
			fmt.Fprintf(w, "change    %s  %s: %s -> %s\n", plain(c.ID), c.Field, orNothing(c.Old), orNothing(c.New))
		}
	}
	for _, id := range p.Withdraw {
		fmt.Fprintf(w, "withdraw  %s\n", plain(id))
	}
	for _, h := range p.Held {
		fmt.Fprintf(w, "hold      %s  %s\n", plain(h.ID), plain(h.Reason))
	}
	if len(p.Create)+len(p.Change)+len(p.Withdraw)+len(p.Held) == 0 && p.Error == "" {
		fmt.Fprintln(w, "nothing to do")
	}
	if p.Error != "" {
		fmt.Fprintln(w, "ended early:", plain(p.Error))
	}
	return nil
}

func orNothing(s string) string {
	if s == "" {
		return "nothing"
	}
	return plain(s)
}

// ago is a time as a person says it.
func ago(t time.Time) string {
	if t.IsZero() {
		return "never"
	}
	return t.Local().Format(time.DateTime) + " (" + time.Since(t).Round(time.Second).String() + " ago)"
}

// ahead is a time to come as a person says it.
func ahead(t *time.Time) string {
	if t == nil {
		return "not scheduled"
	}
	return t.Local().Format(time.DateTime) + " (in " + time.Until(*t).Round(time.Second).String() + ")"
}
