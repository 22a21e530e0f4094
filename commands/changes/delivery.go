package changes

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"unicode/utf8"

	"shop/commands"
	"shop/domain"
	"shop/domain/change"
	"shop/domain/staff"
)

// Delivery is goods that came: all of its lines are taken in, or none.
type Delivery struct {
	// ID is that of its change, which makes it unrepeatable.
	ID    domain.ID
	Title string
	// Note is the supplier's paper.
	Note  string
	Lines []ReceivedLine
	// May says what the person may do.
	May func(staff.Permission) bool
}

// ReceivedLine is one product of a delivery.
type ReceivedLine struct {
	Product  domain.ID `json:"product"`
	Quantity int64     `json:"quantity"`
}

// maxReceived is how many products one delivery may have.
const maxReceived = 1_000

// Refusals of a delivery.
var (
	ErrNoLines  = domain.Refuse("stock/no-lines", "A delivery has 1 to 1000 products, each once.")
	ErrLongNote = domain.Refuse("stock/long-note", "A note may have 200 characters.")
)

// Receive takes a delivery in by a change, so that it is listed and can be undone. One that is there already answers as the first time.
func (c *Changes) Receive(ctx context.Context, d Delivery) (Answer, error) {
	if utf8.RuneCountInString(d.Note) > 200 {
		return Answer{}, ErrLongNote
	}
	if len(d.Lines) == 0 || len(d.Lines) > maxReceived {
		return Answer{}, ErrNoLines
	}
	p := Proposal{Title: d.Title, Reason: d.Note, May: d.May, id: d.ID}
	seen := map[domain.ID]bool{}
	for _, line := range d.Lines {
		if seen[line.Product] || line.Quantity < 1 {
			return Answer{}, ErrNoLines
		}
		seen[line.Product] = true
		p.Items = append(p.Items, Asked{
			Thing: "stock", ID: line.Product.String(), Field: "received",
			Was: json.RawMessage("0"), Now: json.RawMessage(strconv.FormatInt(line.Quantity, 10)), // so many more than there are
		})
	}
	if a, err := c.received(ctx, d); !errors.Is(err, change.ErrUnknown) {
		return a, err
	}
	a, err := c.Propose(ctx, p)
	if errors.Is(err, change.ErrKnown) {
		return c.received(ctx, d)
	}
	if err != nil {
		return Answer{}, fmt.Errorf("receive a delivery of %d products: %w", len(d.Lines), err)
	}
	return a, nil
}

// received answers a delivery that is there already, and refuses other goods under its id.
func (c *Changes) received(ctx context.Context, d Delivery) (Answer, error) {
	s, err := c.Show(ctx, d.ID)
	if err != nil {
		return Answer{}, err
	}
	same := s.Reason == d.Note && len(s.List) == len(d.Lines)
	for i := 0; same && i < len(d.Lines); i++ {
		was, err := pieces(s.List[i].Was)
		if err != nil {
			return Answer{}, err
		}
		now, err := pieces(s.List[i].Now)
		if err != nil {
			return Answer{}, err
		}
		same = s.List[i].ID == d.Lines[i].Product.String() && s.List[i].Field == "received" && now-was == d.Lines[i].Quantity
	}
	if !same {
		return Answer{}, commands.ErrKeyTaken
	}
	return Answer{ID: d.ID, Status: s.Status, Needs: s.Needs, Because: s.Because}, nil
}
