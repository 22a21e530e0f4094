package mail

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"time"

	gomail "github.com/wneessen/go-mail"
)

// SMTP hands messages to a mail server, each over a connection of its own.
type SMTP struct {
	host    string
	options []gomail.Option
	// Timeout bounds a whole delivery. Default 30s.
	Timeout time.Duration
}

// NewSMTP reads where and how from a URL: smtp://user:password@host:port (port 587 if none is named) begins in clear text and
// becomes encrypted by STARTTLS, smtps://… (465) is encrypted from the beginning. With a password, or with
// ?tls=required, nothing is sent before the connection is encrypted; without one STARTTLS is used where it is
// offered. ?tls=never is for servers that offer it and cannot do it; it goes with no password. Errors do not quote
// the URL.
func NewSMTP(address string) (*SMTP, error) { return newSMTP(address, nil) }

// newSMTP trusts other certificates than the system's, if any are given.
func newSMTP(address string, trust *tls.Config) (*SMTP, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "smtp" && u.Scheme != "smtps" || u.Hostname() == "" || u.Path != "" && u.Path != "/" || u.Fragment != "" {
		return nil, errors.New("want smtp://user:password@host:port or smtps://…")
	}
	user := u.User.Username()
	password, secret := u.User.Password()
	if (user == "") != (password == "") {
		return nil, errors.New("want both user and password, or neither")
	}
	port := 587
	options := []gomail.Option{gomail.WithTimeout(15 * time.Second), gomail.WithoutNoop()}
	policy := gomail.TLSOpportunistic
	if secret {
		policy = gomail.TLSMandatory
		options = append(options, gomail.WithSMTPAuth(gomail.SMTPAuthAutoDiscover), gomail.WithUsername(user), gomail.WithPassword(password))
	}
	switch u.Query().Get("tls") {
	case "":
	case "required":
		policy = gomail.TLSMandatory
	case "never":
		if secret || u.Scheme == "smtps" {
			return nil, errors.New("tls=never goes with neither a password nor smtps")
		}
		policy = gomail.NoTLS
	default:
		return nil, errors.New("tls is required or never")
	}
	if u.Scheme == "smtps" {
		port = 465
		options = append(options, gomail.WithSSL())
	} else {
		options = append(options, gomail.WithTLSPolicy(policy))
	}
	if p := u.Port(); p != "" {
		if port, err = strconv.Atoi(p); err != nil || port < 1 || port > 65535 {
			return nil, errors.New("the port is not a number from 1 to 65535")
		}
	}
	if trust != nil {
		options = append(options, gomail.WithTLSConfig(trust))
	}
	s := &SMTP{host: u.Hostname(), options: append(options, gomail.WithPort(port)), Timeout: 30 * time.Second}
	if _, err := s.client(); err != nil {
		return nil, errors.New("the server's address or the credentials are not usable")
	}
	return s, nil
}

func (s *SMTP) client() (*gomail.Client, error) { return gomail.NewClient(s.host, s.options...) }

// Send delivers one message. What the server refuses with 5xx for sender, recipient or content is *Rejected; a sign-in
// that is refused or missing (530 to 538) is not, for it is our mistake and not the letter's.
func (s *SMTP) Send(ctx context.Context, m Message) error {
	msg, err := compose(m)
	if err != nil {
		return err
	}
	client, err := s.client()
	if err != nil {
		return errors.New("the mail server's settings are not usable")
	}
	ctx, cancel := context.WithTimeout(ctx, s.Timeout)
	defer cancel()
	told := make(chan error, 1)
	go func() {
		// No recipient is named before the connection is open, so errors here may be reported in full.
		if err := client.DialWithContext(ctx); err != nil {
			told <- notConnected{err}
			return
		}
		told <- client.Send(msg)
		_ = client.Close() // the server has the message, whatever it says to QUIT
	}()
	var sent error
	select {
	case sent = <-told:
	case <-ctx.Done(): // the conversation continues until its own deadline and may still succeed
		return fmt.Errorf("send: %w", ctx.Err())
	}
	if errors.As(sent, new(notConnected)) {
		return sent
	}
	if sent == nil || msg.IsDelivered() {
		return nil
	}
	var refused *gomail.SendError
	if !errors.As(sent, &refused) && msg.HasSendError() {
		errors.As(msg.SendError(), &refused)
	}
	if refused == nil {
		return errors.New("the mail server broke off")
	}
	said := said(refused)
	switch refused.Reason {
	case gomail.ErrSMTPMailFrom, gomail.ErrSMTPRcptTo, gomail.ErrSMTPData, gomail.ErrSMTPDataClose:
		if code := refused.ErrorCode(); code >= 500 && code != 530 && code != 534 && code != 535 && code != 538 {
			return &Rejected{said}
		}
	}
	return errors.New(said)
}

// notConnected: there was no conversation.
type notConnected struct{ error }

func (e notConnected) Error() string { return "connect to the mail server: " + e.error.Error() }
func (e notConnected) Unwrap() error { return e.error }

// said is a server's answer without its words, which name recipients.
func said(e *gomail.SendError) string {
	at := e.Reason.String()
	if e.ErrorCode() == 0 {
		return at
	}
	answer := strconv.Itoa(e.ErrorCode())
	if enhanced := e.EnhancedStatusCode(); enhanced != "" {
		answer += " " + enhanced
	}
	return answer + " while " + at
}
