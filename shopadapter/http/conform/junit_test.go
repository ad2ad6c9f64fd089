package conform_test

import (
	"bytes"
	"encoding/xml"
	"strings"
	"testing"
	"time"

	"github.com/pubsync/pubsync/shopadapter/http/conform"
)

func TestJUnit(t *testing.T) {
	results := []conform.Result{
		{Law: "put", Sentence: "It holds.", Outcome: conform.Held, Took: 1500 * time.Millisecond},
		{
			Law: "delete", Sentence: `A & B < "C".`, Outcome: conform.Broken, Reason: "it was not",
			Said: []conform.Exchange{
				{Request: "DELETE /x", Status: 500, Answer: "<html>\x00"},
				{Request: "DELETE /y", Answer: "no answer: EOF"},
			},
		},
		{Law: "list-agrees", Outcome: conform.Skipped, Reason: "there is none"},
	}
	var b bytes.Buffer
	if err := conform.WriteJUnit(&b, results); err != nil {
		t.Fatal(err)
	}
	var suite struct {
		Tests    int `xml:"tests,attr"`
		Failures int `xml:"failures,attr"`
		Skipped  int `xml:"skipped,attr"`
		Cases    []struct {
			Name    string `xml:"name,attr"`
			Failure *struct {
				Message string `xml:"message,attr"`
				Text    string `xml:",chardata"`
			} `xml:"failure"`
		} `xml:"testcase"`
	}
	if err := xml.Unmarshal(b.Bytes(), &suite); err != nil {
		t.Fatalf("got %v of %s, want XML", err, b.String())
	}
	for _, count := range []struct {
		what      string
		got, want int
	}{
		{"tests", suite.Tests, 3},
		{"failures", suite.Failures, 1},
		{"skipped", suite.Skipped, 1},
		{"cases", len(suite.Cases), 3},
	} {
		if count.got != count.want {
			t.Fatalf("%s: got %d, want %d", count.what, count.got, count.want)
		}
	}
	f := suite.Cases[1].Failure
	if f == nil {
		t.Fatal("the failure of the broken law: got none, want one")
	}
	if want := `A & B < "C".`; f.Message != want {
		t.Errorf("message: got %q, want %q", f.Message, want)
	}
	for _, want := range []string{"it was not", "> DELETE /x", "< 500 <html>"} {
		if !strings.Contains(f.Text, want) {
			t.Errorf("text: got %q, want %q in it", f.Text, want)
		}
	}
}
