package fault

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	graphql "github.com/hasura/go-graphql-client"

	"github.com/pubsync/pubsync/connector/marketplace/internal/wire"
)

// A Complaint is one entry of an answer's errors.
type Complaint struct {
	Message string
	code    string // extensions.code, upper case
	path    []any
	details string // extensions.validation, as sent
}

// Alias is the root field that the complaint is about, or "" when it is about the whole request.
func (c Complaint) Alias() string {
	if len(c.path) == 0 {
		return ""
	}
	s, _ := c.path[0].(string)
	return s
}

// Within reports whether the complaint is about a value at these fields, or below.
func (c Complaint) Within(fields ...string) bool {
	if len(c.path) < len(fields) {
		return false
	}
	for i, name := range fields {
		if at, ok := c.path[i].(string); !ok || at != name {
			return false
		}
	}
	return true
}

// ComplaintsOf returns the errors of an answer, given the library's error and the body. The library
// knows errors in the form of the GraphQL specification alone, and drops all of them where one has
// another form. Those are read from the body.
func ComplaintsOf(err error, body []byte) []Complaint {
	list, _ := errors.AsType[graphql.Errors](err)
	complaints := make([]Complaint, len(list))
	for i, e := range list {
		if e.Unwrap() != nil { // the library's own: that it could not send, or not read
			var answer struct{ Errors json.RawMessage }
			if json.NewDecoder(bytes.NewReader(body)).Decode(&answer) != nil {
				return nil
			}
			return parseComplaints(answer.Errors)
		}
		complaints[i] = Complaint{Message: e.Message, path: e.Path}
		if code := e.Extensions["code"]; code != nil {
			complaints[i].code = strings.ToUpper(fmt.Sprint(code))
		}
		if details := e.Extensions["validation"]; details != nil {
			text, _ := json.Marshal(details) //nolint:errcheck // it was JSON
			complaints[i].details = string(text)
		}
	}
	return complaints
}

// parseComplaints reads errors in every form seen: a list of objects or of strings, or one of these
// without a list. Each entry becomes a complaint, without the parts of it that cannot be read.
func parseComplaints(raw json.RawMessage) []Complaint {
	if len(raw) == 0 || string(raw) == "null" {
		return nil
	}
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		list = []json.RawMessage{raw}
	}
	complaints := make([]Complaint, 0, len(list))
	for _, entry := range list {
		var c Complaint
		var fields map[string]json.RawMessage
		if json.Unmarshal(entry, &fields) != nil {
			var t wire.Text
			_ = t.UnmarshalJSON(entry)
			c.Message = string(t)
		} else {
			var message, code wire.Text
			_ = message.UnmarshalJSON(wire.OrNull(fields["message"]))
			_ = json.Unmarshal(wire.OrNull(fields["path"]), &c.path)
			var extensions map[string]json.RawMessage
			_ = json.Unmarshal(wire.OrNull(fields["extensions"]), &extensions)
			_ = code.UnmarshalJSON(wire.OrNull(extensions["code"]))
			c.details = string(extensions["validation"])
			c.Message, c.code = string(message), strings.ToUpper(string(code))
		}
		complaints = append(complaints, c)
	}
	return complaints
}
