package terminal

import (
	"time"

	"shop/domain"
)

// MomentValue is the value of a flag that takes a moment, as domain.MomentIn reads it; zero: none.
type MomentValue struct{ time.Time }

// Type is the word for it in help texts.
func (m *MomentValue) Type() string { return "time" }

func (m *MomentValue) String() string {
	if m.IsZero() {
		return ""
	}
	return m.Format(time.RFC3339)
}

func (m *MomentValue) Set(text string) error {
	at, err := domain.MomentIn(text)
	m.Time = at
	return err
}
