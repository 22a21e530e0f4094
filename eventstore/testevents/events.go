package testevents

import (
	"encoding/json"
	"fmt"

	"github.com/google/uuid"
)

// Happened is a plain event.
type Happened struct {
	N    int    `json:"n"`
	Note string `json:"note,omitempty"`
}

// Named carries personal data: all but City.
type Named struct {
	Person uuid.UUID `json:"person"`
	Name   string    `json:"name"`
	Phones []string  `json:"phones"`
	City   string    `json:"city"`
	// Note "known" says that the person has a key already.
	Note string `json:"note,omitempty"`
}

// Odd can be encoded, and not decoded.
type Odd struct{}

// Encoded is eventstore.Encoded, which can be made of it.
type Encoded struct {
	Type      string
	Schema    int
	Payload   []byte
	Person    uuid.UUID
	Sealed    []string
	NewPerson bool
}

// Encode is that of the codec.
func Encode(data any) (Encoded, error) {
	payload, err := json.Marshal(data)
	e := Encoded{Schema: 1, Payload: payload}
	switch d := data.(type) {
	case Happened:
		e.Type = "test.happened"
	case Named:
		e.Type, e.Person, e.Sealed, e.NewPerson = "test.named", d.Person, []string{"name", "phones", "note"}, d.Note != "known"
	case Odd:
		e.Type = "test.odd"
	default:
		err = fmt.Errorf("%T is no event", data)
	}
	return e, err
}

// Decode is that of the codec.
func Decode(typ string, payload []byte) (any, error) {
	switch typ {
	case "test.happened":
		return decoded[Happened](payload)
	case "test.named":
		return decoded[Named](payload)
	}
	return nil, fmt.Errorf("event type %s is not known", typ)
}

func decoded[T any](payload []byte) (any, error) {
	var d T
	err := json.Unmarshal(payload, &d)
	return d, err
}
