package sandbox

import (
	"encoding/json"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"time"
)

// oauthPath is where an app is installed.
const oauthPath = "/oauth/"

var consentPage = template.Must(template.New("consent").Parse(`<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>Install an app</title></head>
<body><h1>{{.Client}} asks for access</h1>
<form method="post" action="consent"><input type="hidden" name="request" value="{{.Request}}">
<p><label>Logged in as <input name="account" value="{{.Account}}"></label></p>
{{range .Scopes}}<p><label><input type="checkbox" name="scope" value="{{.}}" checked> {{.}}</label></p>
{{end}}<p><button name="answer" value="approve">Approve</button>
<button name="answer" value="decline">Decline</button></p>
</form></body></html>
`))

const finishPage = `<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>Back office</title></head>
<body><h1>The app is installed</h1></body></html>
`

// serveOAuth serves the paths below /oauth/: the consent page, its answer, the exchange, and the
// way back to the back office.
func (m *Marketplace) serveOAuth(w http.ResponseWriter, r *http.Request, path string) {
	switch path + " " + r.Method {
	case "authorize GET":
		m.serveConsent(w, r)
	case "consent POST":
		m.serveAnswer(w, r)
	case "access_token POST":
		m.serveExchange(w, r)
	case "finish GET":
		if r.URL.Query().Get("client_id") != m.opts.ClientID {
			http.Error(w, "no app has this client_id", http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write([]byte(finishPage)) // a browser that is gone does not read it
	default:
		http.NotFound(w, r)
	}
}

func (m *Marketplace) serveConsent(w http.ResponseWriter, r *http.Request) {
	asked, err := m.parseRequest(r.URL.Query())
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_ = consentPage.Execute(w, map[string]any{ // a browser that is gone does not read it
		"Client": m.opts.ClientID, "Account": m.opts.Account, "Scopes": asked.scopes, "Request": r.URL.RawQuery,
	})
}

// serveAnswer accepts the answer of the consent page.
func (m *Marketplace) serveAnswer(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxBody)
	err := r.ParseForm()
	var query url.Values
	if err == nil {
		query, err = url.ParseQuery(r.PostForm.Get("request"))
	}
	var asked appRequest
	if err == nil {
		asked, err = m.parseRequest(query)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	c := Consent{Account: r.PostForm.Get("account"), Decline: r.PostForm.Get("answer") != "approve"}
	for _, scope := range asked.scopes {
		if !slices.Contains(r.PostForm["scope"], scope) {
			c.Without = append(c.Without, scope)
		}
	}
	//nolint:gosec // the app registered that address
	http.Redirect(w, r, m.answer(asked, c), http.StatusFound)
}

// serveExchange exchanges a code for a token, unless a fault comes between.
func (m *Marketplace) serveExchange(w http.ResponseWriter, r *http.Request) {
	var body struct {
		GrantType    string `json:"grant_type"`
		Code         string `json:"code"`
		ClientID     string `json:"client_id"`
		ClientSecret string `json:"client_secret"`
	}
	err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody)).Decode(&body)
	entry := Request{At: time.Now(), Kind: KindExchange}
	delay, fault := m.faults.strike(KindExchange)
	if !m.pause(r, delay) {
		fault = Fault{Kind: Cut}
	}
	entry.Fault = fault.Kind
	status, answer := http.StatusOK, map[string]string{}
	switch {
	case fault.Kind != "" && !fault.Executed:
		if status = fault.Status; status == 0 {
			status = http.StatusBadGateway
		}
	case err != nil || r.Header.Get("Content-Type") != "application/json" || body.GrantType != "authorization_code":
		status, answer = http.StatusBadRequest, map[string]string{"error": "invalid_request"}
	case body.ClientID != m.opts.ClientID || body.ClientSecret != m.opts.Secret:
		status, answer = http.StatusUnauthorized, map[string]string{"error": "invalid_client"}
	default:
		token, scope, err := m.app.redeem(body.Code)
		if err != nil {
			status, answer = http.StatusBadRequest, map[string]string{
				"error":             "invalid_grant",
				"error_description": err.Error() + ": " + body.Code,
			}
			break
		}
		answer = map[string]string{"access_token": token, "token_type": "bearer", "scope": scope}
	}
	if fault.Kind == Cut {
		status = 0
	}
	entry.Status = status
	m.ledger.answered(entry)
	m.app.record(Exchange{At: entry.At, Code: body.Code, Status: status})
	if fault.Kind == Cut {
		panic(http.ErrAbortHandler)
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(answer) // a client that is gone does not read it
}
