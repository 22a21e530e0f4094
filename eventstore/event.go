package eventstore

import (
	"encoding/json"
	"hash/fnv"
	"time"

	"github.com/google/uuid"

	"shop/eventstore/skim"
)

// Version counts a stream's events; 0: no such stream.
type Version int64

// AnyVersion as an expected version skips the check.
const AnyVersion Version = -1

// Position is an event's place in the log, from 1; 0 is before the first.
type Position int64

// Slices is the number of slices streams are hashed into; Groups is how many slice groups have markers of their
// own; Ranges is how many ranges of slices a consumer's work is divided into. Each divides the one before.
const (
	Slices = 1024
	Groups = 16
	Ranges = 4
)

// SliceOf is the slice a stream lives in: FNV-1a of its name. It never changes.
func SliceOf(stream string) int16 {
	h := fnv.New32a()
	h.Write([]byte(stream))
	return int16(h.Sum32() % Slices)
}

// GroupOf is a slice's marker group; RangeOf the range of slices it is worked in.
func GroupOf(slice int16) int { return int(slice) / (Slices / Groups) }
func RangeOf(slice int16) int { return int(slice) / (Slices / Ranges) }

// Metadata travels with an event. Empty fields are not stored.
type Metadata struct {
	// CorrelationID is shared by all events that one request caused; CausationID is the command or event behind this one.
	CorrelationID string `json:"correlation_id,omitempty"`
	CausationID   string `json:"causation_id,omitempty"`
	// Actor caused the event: guest, customer:<id>, staff:<id>, system:<part>.
	Actor string `json:"actor,omitempty"`
	// Trace is a W3C traceparent.
	Trace string `json:"trace,omitempty"`
	// Imported: the event belongs to another system's past.
	Imported bool `json:"imported,omitempty"`
}

// read is json.Unmarshal of stored JSON, several times faster in the usual case.
func (m *Metadata) read(stored []byte) error {
	var told Metadata
	members := skim.Of(stored)
	members.Members(func(name []byte) {
		switch string(name) {
		case "correlation_id":
			told.CorrelationID = members.Text()
		case "causation_id":
			told.CausationID = members.Text()
		case "actor":
			told.Actor = members.Text()
		case "trace":
			told.Trace = members.Text()
		case "imported":
			told.Imported = members.Bool()
		}
	})
	if members.Failed() {
		return json.Unmarshal(stored, m)
	}
	*m = told
	return nil
}

// Event is a stored event, decoded.
type Event struct {
	ID       uuid.UUID
	Stream   string
	Slice    int16
	Version  Version
	Position Position
	// Type and Schema are the stored name and schema version; Data is upcast to the present one.
	Type       string
	Schema     int
	RecordedAt time.Time
	Metadata   Metadata
	// Data is the domain's event.
	Data any
	// Erased: personal fields are gone with their person's key and read as zero values.
	Erased bool
}

// NewEvent is an event to append. A zero ID is replaced by a new UUIDv7.
type NewEvent struct {
	ID   uuid.UUID
	Data any
}

// Write appends Events to Stream if it is at version Expected; 0 asks for a new stream, AnyVersion for none.
type Write struct {
	Stream   string
	Expected Version
	Events   []NewEvent
}

// Append is what one command writes: all of it or nothing.
type Append struct {
	Writes   []Write
	Metadata Metadata
	// At is the time of recording; zero means the store's clock.
	At time.Time
	// Key remembers the answer in the same transaction; nil: none.
	Key *Key
	// Claims are taken of quotas with the append, those of one owner together. Yields are owners whose claims end with it.
	Claims []Claim
	Yields []uuid.UUID
}

// Key makes a request unrepeatable: a second append with the same Scope and Key is refused with *KeyUsed.
type Key struct {
	Scope, Key string
	// Request is a digest that tells whether a repeat asks the same; Response is what to answer it.
	Request, Response []byte
}

// Appended says where an append ended up.
type Appended struct {
	// Position is that of the last event; 0 when nothing was written.
	Position Position
	// Versions are the streams' versions after the append.
	Versions map[string]Version
}

// Codec turns the domain's events into payloads and back; eventstore/registry implements it.
type Codec interface {
	// Encode gives the stored name, the present schema version, the JSON payload, and the personal fields in it.
	Encode(data any) (Encoded, error)
	// Decode upcasts and decodes a payload.
	Decode(typ string, schema int, payload []byte) (any, error)
}

// Encoded is a payload before sealing.
type Encoded struct {
	Type    string
	Schema  int
	Payload []byte
	// Person owns the top-level JSON fields named in Sealed; the zero value seals nothing.
	Person uuid.UUID
	Sealed []string
	// NewPerson: the event may be the first about Person, so a key is made where there is none. Otherwise Person must have one.
	NewPerson bool
}
