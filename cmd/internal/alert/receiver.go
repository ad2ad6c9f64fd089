package alert

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/wneessen/go-mail"

	"github.com/pubsync/pubsync/connector/admin"
)

// A Receiver gets messages. Its errors have no secret and no address.
type Receiver interface {
	Send(ctx context.Context, text string) error
}

// A Post sends JSON: Slack and Mattermost read its text, Discord its content.
type Post struct {
	URL    string
	Client *http.Client
}

func (p Post) Send(ctx context.Context, text string) error {
	body, err := json.Marshal(map[string]string{"text": text, "content": text})
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, p.URL, bytes.NewReader(body))
	if err != nil {
		return errors.New("the address cannot be used")
	}
	req.Header.Set("Content-Type", "application/json")
	res, err := p.Client.Do(req)
	if err != nil {
		return errors.Unwrap(err) // without the address, which is a secret
	}
	_ = res.Body.Close() //nolint:errcheck // it is not read
	if res.StatusCode/100 != 2 {
		return fmt.Errorf("the receiver answered HTTP %d", res.StatusCode)
	}
	return nil
}

// A Mail sends by SMTP as smtp://user:password@host:port/?from=a&to=b says.
type Mail struct{ Address *url.URL }

func (m Mail) Send(ctx context.Context, text string) error {
	msg := mail.NewMsg(mail.WithNoDefaultUserAgent())
	query := m.Address.Query()
	if err := msg.From(query.Get("from")); err != nil {
		return err
	}
	if err := msg.ToFromString(strings.Join(query["to"], ",")); err != nil {
		return err
	}
	subject, _, _ := strings.Cut(text, "\n")
	msg.Subject(strings.TrimSuffix(subject, ":"))
	msg.SetDate()
	msg.SetMessageID()
	msg.SetBodyString(mail.TypeTextPlain, text+"\n")
	client, err := mail.NewClient(m.Address.Hostname(), m.options()...)
	if err != nil {
		return err
	}
	return client.DialAndSendWithContext(ctx, msg)
}

// options let a password go to another machine only by TLS.
func (m Mail) options() []mail.Option {
	here := admin.IsLoopback(m.Address.Hostname())
	policy, auth := mail.TLSMandatory, mail.SMTPAuthAutoDiscover
	if m.Address.User == nil || here {
		policy = mail.TLSOpportunistic
	}
	if here {
		auth = mail.SMTPAuthPlainNoEnc
	}
	port, err := strconv.Atoi(m.Address.Port())
	if err != nil {
		port = mail.DefaultPortTLS
	}
	options := []mail.Option{mail.WithPort(port), mail.WithTimeout(sendTimeout), mail.WithTLSPolicy(policy)}
	if port == mail.DefaultPortSSL {
		options = append(options, mail.WithSSL())
	}
	if user := m.Address.User; user != nil {
		password, _ := user.Password()
		options = append(options, mail.WithSMTPAuth(auth), mail.WithUsername(user.Username()),
			mail.WithPassword(password))
	}
	return options
}
