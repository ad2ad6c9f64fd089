package alert

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"
)

// An error says what the receiver answered. It names no address: an address is a secret.
func TestPost(t *testing.T) {
	srv := httptest.NewServer(http.NotFoundHandler())
	p := Post{URL: srv.URL + "/services/S3CRET", Client: srv.Client()}
	if err := p.Send(t.Context(), "one"); err == nil || err.Error() != "the receiver answered HTTP 404" {
		t.Errorf("got %v, want the receiver's answer", err)
	}
	srv.Close()
	if err := p.Send(t.Context(), "one"); err == nil || strings.Contains(err.Error(), "S3CRET") {
		t.Errorf("got %v, want an error without the address", err)
	}
}

// A postOffice accepts mail without TLS.
type postOffice struct {
	address string
	login   chan string // what AUTH said, decoded by nobody
	mails   chan string
}

func openPostOffice(t *testing.T) *postOffice {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() }) //nolint:errcheck // the test is over
	o := &postOffice{address: l.Addr().String(), login: make(chan string, 10), mails: make(chan string, 10)}
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go o.serve(conn)
		}
	}()
	return o
}

func (o *postOffice) serve(conn net.Conn) {
	defer conn.Close() //nolint:errcheck // the test is over
	lines := bufio.NewScanner(conn)
	fmt.Fprint(conn, "220 post office\r\n")
	for text := ""; lines.Scan(); {
		line := lines.Text()
		switch verb, _, _ := strings.Cut(strings.ToUpper(line), " "); verb {
		case "EHLO":
			fmt.Fprint(conn, "250-post office\r\n250 AUTH PLAIN LOGIN\r\n")
		case "AUTH":
			o.login <- line
			fmt.Fprint(conn, "235 welcome\r\n")
		case "MAIL", "RCPT":
			text += line + "\n"
			fmt.Fprint(conn, "250 ok\r\n")
		case "DATA":
			fmt.Fprint(conn, "354 go on\r\n")
			for lines.Scan() && lines.Text() != "." {
				text += lines.Text() + "\n"
			}
			o.mails <- text
			fmt.Fprint(conn, "250 sent\r\n")
		case "QUIT":
			fmt.Fprint(conn, "221 bye\r\n")
			return
		default:
			fmt.Fprint(conn, "250 ok\r\n")
		}
	}
}

func TestMail(t *testing.T) {
	o := openPostOffice(t)
	address, err := url.Parse(
		"smtp://shop:p%40ss@" + o.address + "/?from=pubsync@shop.example&to=a@shop.example,b@shop.example",
	)
	if err != nil {
		t.Fatal(err)
	}
	const said = "pubsync on host needs you:\n• 3 products are blocked"
	if err := (Mail{Address: address}).Send(t.Context(), said); err != nil {
		t.Fatal(err)
	}
	select {
	case login := <-o.login:
		if !strings.HasPrefix(login, "AUTH PLAIN AHNob3AAcEBzcw==") { // shop, p@ss
			t.Errorf("got %q, want user and password of the address", login)
		}
	case <-time.After(5 * time.Second):
		t.Error("got no login")
	}
	text := <-o.mails
	for _, want := range []string{
		"<pubsync@shop.example>", "RCPT TO:<a@shop.example>", "RCPT TO:<b@shop.example>",
		"Subject: pubsync on host needs you\n", "3 products are blocked", "Message-ID: ", "Date: ",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("got\n%s, want %q in it", text, want)
		}
	}
}

// A password goes to another machine only by TLS. The address of all interfaces is none of loopback, and leads here.
func TestMailSendsNoPasswordWithoutTLS(t *testing.T) {
	o := openPostOffice(t)
	_, port, _ := strings.Cut(o.address, ":")
	u, err := url.Parse("smtp://shop:pass@0.0.0.0:" + port + "/?from=a@shop.example&to=b@shop.example")
	if err != nil {
		t.Fatal(err)
	}
	if err := (Mail{Address: u}).Send(t.Context(), "text"); err == nil || !strings.Contains(err.Error(), "STARTTLS") {
		t.Errorf("got %v, want an error of a server without TLS", err)
	}
	select {
	case login := <-o.login:
		t.Errorf("got %q, want no login without TLS", login)
	default:
	}
}
