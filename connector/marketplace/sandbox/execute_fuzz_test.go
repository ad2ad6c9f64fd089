package sandbox

import (
	"encoding/json"
	"net/http"
	"testing"
)

// Whatever a document is, it is answered with a document.
func FuzzDocument(f *testing.F) {
	for _, document := range []string{
		``, `{`, `{ account { slug } }`, `query($n: Int!) { publications(first: $n) { nodes { id } } }`,
		`{ ...a } fragment a on Query { ...a }`, `mutation { webhookDelete(id: 1) { userErrors { message } } }`,
		`{ publications(first: 2, after: "x", sortKey: UPDATED_AT_ASC) { edges { node { listing { variants(first: 9) {` +
			` nodes { id } } } } } } }`,
	} {
		f.Add(document, `{"n": 3}`)
	}
	m := New(Options{})
	f.Cleanup(m.Close)
	m.AddSound(3)
	f.Fuzz(func(t *testing.T, document, variables string) {
		var vars map[string]any
		_ = json.Unmarshal([]byte(variables), &vars) // none, then
		answer := post(t, m, document, vars)
		if answer.err != nil || answer.status >= http.StatusInternalServerError || !json.Valid([]byte(answer.body)) {
			t.Errorf("answered %d %q, %v", answer.status, answer.body, answer.err)
		}
	})
}
