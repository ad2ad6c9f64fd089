package conform

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"time"
)

type junitSuite struct {
	XMLName  xml.Name    `xml:"testsuite"`
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Skipped  int         `xml:"skipped,attr"`
	Time     string      `xml:"time,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Name    string      `xml:"name,attr"`
	Class   string      `xml:"classname,attr"`
	Time    string      `xml:"time,attr"`
	Failure *junitFault `xml:"failure,omitempty"`
	Skipped *junitFault `xml:"skipped,omitempty"`
}

type junitFault struct {
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

// WriteJUnit writes results in the XML that CI systems read: a test suite with a test case for each
// law.
func WriteJUnit(w io.Writer, results []Result) error {
	suite := junitSuite{Name: "pubsync conform", Tests: len(results)}
	var took time.Duration
	for _, r := range results {
		took += r.Took
		c := junitCase{Name: r.Law, Class: "conform", Time: seconds(r.Took)}
		switch r.Outcome {
		case Broken:
			suite.Failures++
			c.Failure = &junitFault{Message: r.Sentence, Text: r.Reason + "\n" + Transcript(r.Said)}
		case Skipped:
			suite.Skipped++
			c.Skipped = &junitFault{Message: r.Reason}
		case Held:
		}
		suite.Cases = append(suite.Cases, c)
	}
	suite.Time = seconds(took)
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	if err := e.Encode(suite); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.3f", d.Seconds()) }

// Transcript is what was sent and what came back, for a person: two lines an exchange, each begun
// by an arrow.
func Transcript(said []Exchange) string {
	var b strings.Builder
	for _, e := range said {
		fmt.Fprintf(&b, "> %s %s\n", e.Request, e.Body)
		if e.Status != 0 {
			fmt.Fprintf(&b, "< %d %s\n", e.Status, e.Answer)
		} else {
			fmt.Fprintf(&b, "< %s\n", e.Answer)
		}
	}
	return b.String()
}
