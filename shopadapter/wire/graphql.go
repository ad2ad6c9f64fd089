package wire

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"strings"
)

// A Query is one GraphQL document on its way.
type Query struct {
	Name      string // of the operation, which servers want beside the document
	Text      string
	Variables map[string]any
	Limits    Limits
	Header    http.Header // beside what each request carries
}

// A Fault is one entry of an answer's errors.
type Fault struct {
	Message string
	Code    string // extensions.code, upper case
	Path    []any  // of its value: names and indexes
	Detail  string // extensions.validation, as sent
}

func (f *Fault) Error() string { return f.Message }

// Field returns the path's i-th step, "" if it is no name.
func (f Fault) Field(i int) (name string) {
	if i < len(f.Path) {
		name, _ = f.Path[i].(string)
	}
	return name
}

// GraphQL sends a query and decodes its data, also partial, into a value, if not nil. The server's objections are in
// the Answer; an [*Error] means no whole answer in the right form.
func (c *Client) GraphQL(ctx context.Context, q Query, into any) (*Answer, error) {
	req, err := c.request(ctx, http.MethodPost, c.o.Endpoint, struct {
		Query     string         `json:"query"`
		Variables map[string]any `json:"variables,omitempty"`
		Name      string         `json:"operationName,omitempty"`
	}{q.Text, q.Variables, q.Name})
	if err != nil {
		return &Answer{}, err
	}
	maps.Copy(req.Header, q.Header)
	return c.send(req, q.Limits, func(a *Answer) error {
		var answer struct{ Data, Extensions, Errors json.RawMessage }
		// ignores what follows the first value
		if json.NewDecoder(bytes.NewReader(a.Body)).Decode(&answer) != nil {
			return nil //nolint:nilerr // it is no GraphQL: the caller judges what came
		}
		a.Data, a.Extensions, a.Faults = answer.Data, answer.Extensions, faults(answer.Errors)
		if into == nil || IsNull(answer.Data) {
			return nil
		}
		return c.decode(answer.Data, into)
	})
}

// IsNull reports whether a part of an answer is null or missing.
func IsNull(raw json.RawMessage) bool { return len(raw) == 0 || string(raw) == "null" }

// faults reads the errors in every form seen: objects or texts, in a list or alone.
func faults(errors json.RawMessage) (all []Fault) {
	if IsNull(errors) {
		return nil
	}
	var list []json.RawMessage
	if json.Unmarshal(errors, &list) != nil {
		list = []json.RawMessage{errors}
	}
	for _, entry := range list {
		f := Fault{Message: text(entry)}
		var fields, extensions map[string]json.RawMessage
		if json.Unmarshal(entry, &fields) == nil {
			f.Message = text(fields["message"])
			_ = json.Unmarshal(fields["path"], &f.Path)           //nolint:errcheck // as above
			_ = json.Unmarshal(fields["extensions"], &extensions) //nolint:errcheck // as above
			f.Code, f.Detail = strings.ToUpper(text(extensions["code"])), string(extensions["validation"])
		}
		all = append(all, f)
	}
	return all
}

// text returns a string unquoted, and all else as sent.
func text(raw json.RawMessage) (s string) {
	if json.Unmarshal(raw, &s) != nil {
		return string(raw)
	}
	return s
}
