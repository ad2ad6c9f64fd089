package client

import (
	"encoding/json"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace/internal/cost"
	"github.com/pubsync/pubsync/connector/marketplace/internal/document"
	"github.com/pubsync/pubsync/connector/marketplace/internal/fault"
	"github.com/pubsync/pubsync/connector/marketplace/internal/form"
	"github.com/pubsync/pubsync/shopadapter/jsonlimit"
)

// A Request is one document on its way.
type Request struct {
	Op      string // for errors and logs
	Doc     document.Document
	Vars    map[string]any
	First   int  // the largest page asked for; 0: none
	Cursor  bool // a cursor is among the variables
	Partial bool // an answer is of use though some root fields failed
	Alone   bool // it names one publication: an error that says there is none is an answer
	// Details are the fields that lead to the details asked for, which the answer may lack; nil: none
	// are asked for.
	Details   []string
	Probe     bool   // its cost says nothing about the models
	Bytes     int64  // that its answer may measure; 0: UsualAnswer
	Elements  int    // that its answer may hold; 0: as many as its document leads to
	Languages string // of its Accept-Language; "": those of every request
}

// limits are what an answer to q may hold. Lists that are no connections have a length that the
// document does not tell, hence the factor.
func (q Request) limits() jsonlimit.Limits {
	l := jsonlimit.Limits{Bytes: UsualAnswer, Elements: 2000 + 8*int(cost.Models()[0].Cost(q.Doc.Body)), Depth: 40}
	if q.Bytes > 0 {
		l.Bytes = q.Bytes
	}
	if q.Probe {
		l.Elements = 200_000
	}
	if q.Elements > 0 {
		l.Elements = q.Elements
	}
	return l
}

// A Reply is an answer that can be used. complaints is empty unless the request was partial, or
// names one publication alone that does not exist.
type Reply struct {
	Data       json.RawMessage
	Complaints []fault.Complaint
	Asked      time.Time  // when the request was sent
	Forms      form.Forms // that the request was made of
	Spared     bool       // the details could not be read, in part or at all
	release    func()     // ends the turn of a large answer; nil: it has none
}

// Done is called once the data has been decoded.
func (r *Reply) Done() {
	if r.release != nil {
		r.release()
	}
}

// Roots is the root fields of the data, each as it was sent. They are read by encoding/json, since
// the library reads all or nothing: one publication that the server spoils would cost the others.
func (r *Reply) Roots() (map[string]json.RawMessage, error) {
	var fields map[string]json.RawMessage
	err := json.Unmarshal(r.Data, &fields)
	return fields, err
}
