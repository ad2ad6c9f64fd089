package wire

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"strings"

	graphql "github.com/hasura/go-graphql-client"
)

// A Query is one GraphQL document on its way.
type Query struct {
	Name      string // of its operation, which servers want repeated beside the document
	Text      string
	Variables map[string]any
	Limits    Limits      // of the answer
	Header    http.Header // beside what each request carries
}

// A Fault is one entry of an answer's errors.
type Fault struct {
	Message string
	Code    string // extensions.code, upper case
	Path    []any  // of the value that it is about: names and indexes
	Detail  string // extensions.validation, as sent
}

func (f *Fault) Error() string { return f.Message }

// Field is the i-th step of the path where that is the name of a field, "" otherwise.
func (f Fault) Field(i int) string {
	if i >= len(f.Path) {
		return ""
	}
	name, _ := f.Path[i].(string)
	return name
}

// GraphQL sends a query. It decodes the data, partial data too, into a value, which may be nil. The
// error is an [*Error] where there is no whole answer or the data has another form; what the server
// objects to stands in the Answer.
func (c *Client) GraphQL(ctx context.Context, q Query, into any) (*Answer, error) {
	a := &Answer{limits: q.Limits, header: q.Header}
	defer a.done()
	data, extensions, err := c.graph.ExecRawWithExtensions(
		context.WithValue(ctx, answerKey{}, a), q.Text, q.Variables, graphql.OperationName(q.Name),
	)
	if a.Body == nil {
		return a, c.lost(ctx, a, err)
	}
	a.Data, a.Extensions = data, extensions
	if err != nil {
		a.Faults = faults(a.Body)
	}
	if into == nil || len(data) == 0 || bytes.Equal(data, []byte("null")) {
		return a, nil
	}
	return a, c.decode(data, into)
}

// faults reads the errors of an answer in every form seen: a list of objects or of texts, or one of
// these without a list. The library drops all of them where one has another form than GraphQL's.
func faults(body []byte) (all []Fault) {
	var answer struct{ Errors json.RawMessage }
	if json.NewDecoder(bytes.NewReader(body)).Decode(&answer) != nil || len(answer.Errors) == 0 ||
		string(answer.Errors) == "null" {
		return nil
	}
	var list []json.RawMessage
	if json.Unmarshal(answer.Errors, &list) != nil {
		list = []json.RawMessage{answer.Errors}
	}
	for _, entry := range list {
		var f Fault
		var fields, extensions map[string]json.RawMessage
		if json.Unmarshal(entry, &fields) != nil {
			f.Message = text(entry)
		} else {
			f.Message = text(fields["message"])
			_ = json.Unmarshal(fields["path"], &f.Path)           //nolint:errcheck // then there is none
			_ = json.Unmarshal(fields["extensions"], &extensions) //nolint:errcheck // as above
			f.Code, f.Detail = strings.ToUpper(text(extensions["code"])), string(extensions["validation"])
		}
		all = append(all, f)
	}
	return all
}

// text is a JSON value as text: a string without its quotes, null as nothing, all else as sent.
func text(raw json.RawMessage) (s string) {
	if json.Unmarshal(raw, &s) != nil {
		return string(raw)
	}
	return s
}
