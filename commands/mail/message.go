package mail

import (
	"context"
	"errors"
	"fmt"
	"net/mail"
	"strings"
	"time"

	gomail "github.com/wneessen/go-mail"
)

// Transport hands messages over. It is called by several goroutines at once.
type Transport interface {
	// Send returns nil once somebody else has taken responsibility for the message, *Rejected when nobody ever will,
	// and any other error when another attempt may succeed. Errors tell neither recipient nor content.
	Send(ctx context.Context, m Message) error
}

// Rejected: the message was refused for good.
type Rejected struct{ Reason string }

func (r *Rejected) Error() string { return "rejected: " + r.Reason }

// Message is a letter ready to send.
type Message struct {
	// ID is the Message-ID without its angle brackets, the same in each attempt.
	ID   string
	Kind Kind
	// From and ReplyTo are addresses, with a name or without; ReplyTo may be empty. To is a bare address.
	From, ReplyTo, To string
	Subject           string
	Text, HTML        string
	Date              time.Time
	// Unsubscribe is a link off a list, by one click as RFC 8058 has it; empty: the letter is of no list.
	Unsubscribe string
}

// CheckAddress returns an error for what no letter can be sent to. The error does not quote it.
func CheckAddress(address string) error {
	a, err := mail.ParseAddress(address)
	if err != nil || a.Address != address || strings.ContainsAny(address, "\r\n\x00") {
		return errors.New("not an e-mail address")
	}
	return nil
}

// compose makes a message of RFC 5322, with its text and HTML as alternatives. What could break out of a header is
// refused for good.
func compose(m Message) (*gomail.Msg, error) {
	if err := CheckAddress(m.To); err != nil {
		return nil, &Rejected{"the recipient is " + err.Error()}
	}
	for _, header := range []string{m.ID, m.From, m.ReplyTo, m.Subject, m.Unsubscribe, string(m.Kind)} {
		if strings.ContainsFunc(header, func(r rune) bool { return r < ' ' || r == 0x7f }) {
			return nil, &Rejected{"a header has a control character"}
		}
	}
	msg := gomail.NewMsg(gomail.WithNoDefaultUserAgent())
	if err := msg.From(m.From); err != nil {
		return nil, fmt.Errorf("sender: %w", err)
	}
	if m.ReplyTo != "" {
		if err := msg.ReplyTo(m.ReplyTo); err != nil {
			return nil, fmt.Errorf("reply-to: %w", err)
		}
	}
	if err := msg.To(m.To); err != nil {
		return nil, &Rejected{"the recipient is not an e-mail address"}
	}
	msg.Subject(m.Subject)
	msg.SetMessageIDWithValue(m.ID)
	msg.SetDateWithValue(m.Date)
	msg.SetGenHeader("Auto-Submitted", "auto-generated")
	msg.SetGenHeader("X-Auto-Response-Suppress", "All")
	if m.Unsubscribe != "" {
		msg.SetListUnsubscribe(m.Unsubscribe)
		msg.SetListUnsubscribePost()
	}
	msg.SetBodyString(gomail.TypeTextPlain, m.Text)
	msg.AddAlternativeString(gomail.TypeTextHTML, m.HTML)
	return msg, nil
}
