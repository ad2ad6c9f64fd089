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
		t.Fatalf("%v in %s", err, b.String())
	}
	if suite.Tests != 3 || suite.Failures != 1 || suite.Skipped != 1 || len(suite.Cases) != 3 {
		t.Errorf("%+v", suite)
	}
	f := suite.Cases[1].Failure
	if f == nil || f.Message != `A & B < "C".` || !strings.Contains(f.Text, "it was not") ||
		!strings.Contains(f.Text, "> DELETE /x") ||
		!strings.Contains(f.Text, "< 500 <html>") {
		t.Errorf("%+v", f)
	}
}
