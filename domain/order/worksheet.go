package order

import (
	"slices"
	"strings"
	"unicode/utf8"

	"shop/domain"
)

// Bounds of what staff write beside an order.
const (
	// MaxNote and MaxTag are in characters, MaxTags counts the tags of an order.
	MaxNote = 2000
	MaxTag  = 40
	MaxTags = 10
)

// Refusals of what staff write beside an order.
var (
	ErrEmptyNote = domain.Refuse("order/empty-note", "Заметка пуста")
	ErrLongNote  = domain.Refuse("order/long-note", "Заметка длиннее 2000 знаков")
	ErrNoPerson  = domain.Refuse("order/no-person", "Данные покупателя удалены: дополнить заказ нельзя")
	ErrBadTag    = domain.Refuse("order/bad-tag", "Метка — от 1 до 40 знаков, без повторов, не больше десяти")
)

// changesImported says whether a command would change the settled past of another shop. What staff write beside an order does not.
func changesImported(command Command) bool {
	switch command.(type) {
	case Forget, ForgetGuest, Note, Tag, Assign, MarkPayment:
		return false
	default:
		return true
	}
}

func decideNote(c Note, s State) ([]Event, error) {
	text := strings.TrimSpace(c.Text)
	switch {
	case text == "":
		return nil, ErrEmptyNote
	case utf8.RuneCountInString(text) > MaxNote:
		return nil, ErrLongNote
	case s.Forgotten:
		return nil, ErrNoPerson
	}
	return []Event{Noted{PersonID: s.Placed.PersonID, Text: text, At: c.At}}, nil
}

func decideTag(c Tag, s State) ([]Event, error) {
	tags := make([]string, 0, len(c.Tags))
	for _, tag := range c.Tags {
		tag = strings.ToLower(strings.TrimSpace(tag))
		if tag == "" || utf8.RuneCountInString(tag) > MaxTag || slices.Contains(tags, tag) {
			return nil, ErrBadTag
		}
		tags = append(tags, tag)
	}
	if len(tags) > MaxTags {
		return nil, ErrBadTag
	}
	slices.Sort(tags)
	if slices.Equal(tags, s.Tags) {
		return nil, nil
	}
	return []Event{Tagged{Tags: tags, At: c.At}}, nil
}

func decideAssign(c Assign, s State) ([]Event, error) {
	if c.StaffID == s.AssignedTo {
		return nil, nil
	}
	return []Event{Assigned(c)}, nil
}
