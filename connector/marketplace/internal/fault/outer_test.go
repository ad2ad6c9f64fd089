package fault

import (
	"bytes"
	"io"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
	graphql "github.com/hasura/go-graphql-client"
)

// outer is the outer form of an answer, as the library and ComplaintsOf read it.
type outer struct {
	Data, Extensions string
	Complaints       []string // their messages
}

// readOuter reads body as the answer to a request. The error is the library's.
func readOuter(t *testing.T, body []byte) (outer, error) {
	t.Helper()
	wire := doer(func(r *http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(bytes.NewReader(body)), Request: r}, nil
	})
	data, extensions, err := graphql.NewClient("https://market.test", wire).
		ExecRawWithExtensions(t.Context(), "{a}", nil)
	read := outer{Data: string(data), Extensions: string(extensions)}
	for _, c := range ComplaintsOf(err, body) {
		read.Complaints = append(read.Complaints, c.Message)
	}
	return read, err
}

// doer is a function as the library's HTTP client.
type doer func(*http.Request) (*http.Response, error)

func (f doer) Do(r *http.Request) (*http.Response, error) { return f(r) }

func TestTheOuterFormOfAnAnswer(t *testing.T) {
	for body, want := range map[string]outer{
		`{"data":{"a":1},"errors":[],"extensions":{"x":1}}`: {Data: `{"a":1}`, Extensions: `{"x":1}`},
		`{"data":null,"more":[{"data":1}]}`:                 {Data: `null`},
		`{"data":1,"data":2}`:                               {Data: `2`},
		` {"data":1} {"errors":1}`:                          {Data: `1`},
		`{"data":1}x`:                                       {Data: `1`},
		`{}`:                                                {},
		`{"data":1,"errors":[{"message":"a","path":["b",0]},{"message":"c"}]}`: {
			Data: `1`, Complaints: []string{"a", "c"},
		},
		`{"data":1,"errors":"a","extensions":{"x":1}}`: {
			Data: `1`, Extensions: `{"x":1}`, Complaints: []string{"a"},
		},
		`{"data":1,"errors":["a","b"]}`:                              {Data: `1`, Complaints: []string{"a", "b"}},
		`{"data":1,"errors":{"message":"a"}}`:                        {Data: `1`, Complaints: []string{"a"}},
		`{"data":1,"errors":[{"message":"a","extensions":[]}]}`:      {Data: `1`, Complaints: []string{"a"}},
		`{"data":1,"errors":[{"message":"a","path":"b"}]}`:           {Data: `1`, Complaints: []string{"a"}},
		`{"data":1,"errors":[{"message":"a","locations":["here"]}]}`: {Data: `1`, Complaints: []string{"a"}},
		`{"data":1,"errors":[{"message":7}]}`:                        {Data: `1`, Complaints: []string{"7"}},
		`{"errors":[{"message":"a"}]}x`:                              {Complaints: []string{"a"}},
	} {
		got, _ := readOuter(t, []byte(body)) //nolint:errcheck // the complaints are the error
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", body, diff)
		}
	}
	for _, body := range []string{
		``, ` `, `x`, `[]`, `7`, `{"data":1`, `{"data" {}}`, `{"data":{},}`, `{"data":[1,]}`, `{"data":01}`,
	} {
		got, err := readOuter(t, []byte(body))
		if err == nil {
			t.Errorf("got no error for %q, want one", body)
		}
		if diff := cmp.Diff(outer{}, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", body, diff)
		}
	}
}
