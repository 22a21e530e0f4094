package mail

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net/mail"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// sample is a letter from the shop to Anna.
func sample(t *testing.T, k Kind) Message {
	t.Helper()
	m, _, err := dala.Sample(k, "")
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func dial(t *testing.T, url string) *SMTP {
	t.Helper()
	s, err := NewSMTP(url)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// alternatives are a message's header, text and HTML.
func alternatives(t *testing.T, data string) (h mail.Header, text, html string) {
	t.Helper()
	m, err := mail.ReadMessage(strings.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	kind, parameters, err := mime.ParseMediaType(m.Header.Get("Content-Type"))
	if err != nil || kind != "multipart/alternative" {
		t.Fatalf("%s, %v", kind, err)
	}
	var parts []string
	for reader := multipart.NewReader(m.Body, parameters["boundary"]); ; {
		part, err := reader.NextRawPart()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if encoding := part.Header.Get("Content-Transfer-Encoding"); encoding != "quoted-printable" {
			t.Errorf("encoding %s", encoding)
		}
		b, err := io.ReadAll(quotedprintable.NewReader(part))
		if err != nil {
			t.Fatal(err)
		}
		parts = append(parts, strings.ReplaceAll(string(b), "\r\n", "\n"))
	}
	if len(parts) != 2 {
		t.Fatalf("%d parts", len(parts))
	}
	return m.Header, parts[0], parts[1]
}

func TestSMTPDelivers(t *testing.T) {
	t.Parallel()
	server := listen(t).start()
	want := sample(t, KindRestocked)
	if err := dial(t, server.url("")).Send(t.Context(), want); err != nil {
		t.Fatal(err)
	}
	mails := server.all()
	if len(mails) != 1 || !strings.HasPrefix(mails[0].to, "<anna@example.com>") {
		t.Fatalf("%+v", mails)
	}
	header, text, html := alternatives(t, mails[0].data)
	if text != want.Text || html != want.HTML {
		t.Errorf("the parts differ from the letter:\n%s\n%s", text, html)
	}
	for name, value := range map[string]string{
		"Message-Id": "<01965b8e-7c00-7000-8000-000000000001@shop.example>", "Auto-Submitted": "auto-generated",
		"Reply-To": "<hello@shop.example>", "To": "<anna@example.com>", "Date": "Mon, 02 Mar 2026 12:00:00 +0500",
		"List-Unsubscribe":      "<https://shop.example/unsubscribe/restock/01965b8e/01965b8f?key=sample>",
		"List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
	} {
		if got := header.Get(name); got != value {
			t.Errorf("%s: %q, want %q", name, got, value)
		}
	}
	subject, err := new(mime.WordDecoder).DecodeHeader(header.Get("Subject"))
	if err != nil || subject != want.Subject {
		t.Errorf("subject %q, %v", subject, err)
	}
	from, err := header.AddressList("From")
	if err != nil || len(from) != 1 || from[0].Name != "Дала" || from[0].Address != "orders@shop.example" {
		t.Errorf("from %v, %v", from, err)
	}
}

func TestSMTPEncryptsWhereItCanAndMust(t *testing.T) {
	t.Parallel()
	tlsServer, trust := certificate(t)

	plain := listen(t)
	plain.auth = "SCRAM-SHA-256 CRAM-MD5 PLAIN LOGIN" // some of which a client would answer in the clear
	plain.start()
	if err := dial(t, plain.url("user:secret")).Send(t.Context(), sample(t, KindWelcome)); err == nil || errors.As(err, new(*Rejected)) {
		t.Errorf("a server without STARTTLS got a password: %v", err)
	} else if strings.Contains(err.Error(), "secret") {
		t.Errorf("the error tells the password: %v", err)
	}
	if err := dial(t, plain.url("")+"?tls=required").Send(t.Context(), sample(t, KindWelcome)); err == nil {
		t.Error("a letter went in the clear although tls is required")
	}
	if plain.said("AUTH") || plain.said("MAIL") || len(plain.all()) != 0 {
		t.Errorf("in the clear: %v", plain.sessions)
	}

	secure := listen(t)
	secure.starttls, secure.auth = tlsServer, "PLAIN LOGIN"
	secure.start()
	trusting, err := newSMTP(secure.url("user:secret"), trust)
	if err != nil {
		t.Fatal(err)
	}
	if err := trusting.Send(t.Context(), sample(t, KindWelcome)); err != nil {
		t.Fatal(err)
	}
	if mails := secure.all(); len(mails) != 1 || !mails[0].tls || !mails[0].user {
		t.Errorf("%+v", mails)
	}
	if err := dial(t, secure.url("user:secret")).Send(t.Context(), sample(t, KindWelcome)); err == nil {
		t.Error("a certificate that nobody vouches for was trusted")
	}
}

func TestSMTPSIsEncryptedFromTheBeginning(t *testing.T) {
	t.Parallel()
	tlsServer, trust := certificate(t)
	urlOf := func(s *server) string { return strings.Replace(s.url("user:secret"), "smtp:", "smtps:", 1) }

	plain := listen(t)
	plain.starttls, plain.auth = tlsServer, "PLAIN"
	plain.start()
	toPlain, err := newSMTP(urlOf(plain), trust)
	if err != nil {
		t.Fatal(err)
	}
	if err := toPlain.Send(t.Context(), sample(t, KindWelcome)); err == nil || plain.said("EHLO") {
		t.Errorf("smtps began in the clear: %v, %v", err, plain.sessions)
	}

	secure := listen(t)
	secure.auth = "PLAIN"
	secure.listener = tls.NewListener(secure.listener, tlsServer)
	secure.start()
	toSecure, err := newSMTP(urlOf(secure), trust)
	if err != nil {
		t.Fatal(err)
	}
	if err := toSecure.Send(t.Context(), sample(t, KindWelcome)); err != nil {
		t.Fatal(err)
	}
	if mails := secure.all(); len(mails) != 1 || !mails[0].user {
		t.Errorf("%+v", mails)
	}
	if err := dial(t, urlOf(secure)).Send(t.Context(), sample(t, KindWelcome)); err == nil {
		t.Error("a certificate that nobody vouches for was trusted")
	}
}

func TestSMTPTellsWhatIsFinal(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		verb, answer string
		final        bool
	}{
		"mailbox full for now": {"RCPT", "452 4.2.2 <anna@example.com> is full", false},
		"no such mailbox":      {"RCPT", "550 5.1.1 <anna@example.com> is unknown here", true},
		"greylisted":           {"DATA.", "451 4.7.1 later", false},
		"refused as spam":      {"DATA.", "554 5.7.1 anna@example.com does not want it", true},
		"wants a password":     {"MAIL", "530 5.7.0 sign in first", false},
		"sender is not ours":   {"MAIL", "553 5.7.1 not you", true},
		"out of order":         {"EHLO", "421 4.3.2 closing", false},
	} {
		server := listen(t)
		server.answer = func(verb, _ string) string {
			if verb == c.verb || c.verb == "EHLO" && verb == "HELO" {
				return c.answer
			}
			return ""
		}
		server.start()
		err := dial(t, server.url("")).Send(t.Context(), sample(t, KindWelcome))
		if err == nil || errors.As(err, new(*Rejected)) != c.final {
			t.Errorf("%s: %v, want it final: %v", name, err, c.final)
		}
		if err != nil && strings.Contains(err.Error(), "anna") {
			t.Errorf("%s: the error names the recipient: %v", name, err)
		}
	}
}

func TestSMTPDoesNotWaitForEver(t *testing.T) {
	t.Parallel()
	silent := listen(t) // accepts by its backlog and never says a word
	s := dial(t, silent.url(""))
	s.Timeout = 200 * time.Millisecond
	if err := s.Send(t.Context(), sample(t, KindWelcome)); err == nil || errors.As(err, new(*Rejected)) {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := dial(t, silent.url("")).Send(ctx, sample(t, KindWelcome)); err == nil {
		t.Error("sent")
	}
}

func TestSMTPReadsItsURL(t *testing.T) {
	t.Parallel()
	for url, good := range map[string]bool{
		"smtp://mail:1025": true, "smtp://mail": true, "smtps://user:p%40ss@mail": true, "smtp://mail?tls=never": true, "smtp://u:p@mail?tls=required": true,
		"mail:25": false, "http://mail": false, "smtp://": false, "smtp://user@mail": false, "smtp://mail/folder": false,
		"smtp://u:topsecret@mail?tls=never": false, "smtp://mail:99999": false, "smtp://mail?tls=maybe": false, "smtp://u:topsecret@ma il": false,
	} {
		_, err := NewSMTP(url)
		if (err == nil) != good {
			t.Errorf("%s: %v", url, err)
		}
		if err != nil && strings.Contains(err.Error(), "topsecret") {
			t.Errorf("%s: the error quotes it: %v", url, err)
		}
	}
}

// No value becomes a header of its own.
func TestHeadersCannotBeInjected(t *testing.T) {
	t.Parallel()
	good := sample(t, KindRestocked)
	for name, change := range map[string]func(m *Message){
		"recipient":       func(m *Message) { m.To = "anna@example.com\r\nBcc: all@example.com" },
		"two recipients":  func(m *Message) { m.To = "anna@example.com, boris@example.com" },
		"named recipient": func(m *Message) { m.To = "Anna <anna@example.com>" },
		"subject":         func(m *Message) { m.Subject = "Hello\r\nBcc: all@example.com" },
		"line feed":       func(m *Message) { m.Subject = "Hello\nBcc: all@example.com" },
		"id":              func(m *Message) { m.ID = "1@shop\r\nBcc: all@example.com" },
		"unsubscribe":     func(m *Message) { m.Unsubscribe = "https://shop/\r\nBcc: all@example.com" },
		"reply-to":        func(m *Message) { m.ReplyTo = "a@shop.example\r\nBcc: all@example.com" },
		"no recipient":    func(m *Message) { m.To = "" },
		"no mail address": func(m *Message) { m.To = "anna" },
	} {
		m := good
		change(&m)
		folder := Folder{Path: t.TempDir()}
		err := folder.Send(t.Context(), m)
		if !errors.As(err, new(*Rejected)) {
			t.Errorf("%s: %v", name, err)
		}
		if err != nil && strings.Contains(err.Error(), "anna") {
			t.Errorf("%s: the error names the recipient: %v", name, err)
		}
		if files, _ := os.ReadDir(folder.Path); len(files) != 0 {
			t.Errorf("%s: written", name)
		}
	}
}

func TestFolderKeepsOneFilePerLetter(t *testing.T) {
	t.Parallel()
	folder := Folder{Path: filepath.Join(t.TempDir(), "mail")}
	m := sample(t, KindResetCode)
	for range 2 {
		if err := folder.Send(t.Context(), m); err != nil {
			t.Fatal(err)
		}
	}
	files, err := os.ReadDir(folder.Path)
	if err != nil || len(files) != 1 || files[0].Name() != "20260302T070000Z-reset-code-01965b8e-7c00-7000-8000-000000000001.eml" {
		t.Fatalf("%v, %v", files, err)
	}
	b, err := os.ReadFile(filepath.Join(folder.Path, files[0].Name()))
	if err != nil {
		t.Fatal(err)
	}
	if _, text, _ := alternatives(t, string(b)); !strings.Contains(text, "402817") {
		t.Error(text)
	}
}
