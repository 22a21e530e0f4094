package registry

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"shop/domain"
	"shop/eventstore"
)

// UnknownType: no event is registered under this stored name, or the Go type has none. A newer program may have
// written it.
type UnknownType struct{ Name string }

func (e *UnknownType) Error() string { return fmt.Sprintf("event type %q is not registered", e.Name) }

// Is makes it an eventstore.ErrNewer.
func (e *UnknownType) Is(target error) bool { return target == eventstore.ErrNewer }

// UnknownSchema: the event has a schema version this program cannot read. A newer program may have written it.
type UnknownSchema struct {
	Name           string
	Schema, Newest int
}

func (e *UnknownSchema) Error() string {
	return fmt.Sprintf("event type %q has schemas 1 to %d, not %d", e.Name, e.Newest, e.Schema)
}

// Is makes it an eventstore.ErrNewer, unless no program can have written the schema.
func (e *UnknownSchema) Is(target error) bool {
	return target == eventstore.ErrNewer && e.Schema > e.Newest
}

// Upcaster turns the payload of one schema version into the next one's.
type Upcaster func(json.RawMessage) (json.RawMessage, error)

// Registry is an eventstore.Codec. Fill it before use; it is then safe for concurrent use.
type Registry struct {
	byName map[string]*entry
	byType map[reflect.Type]*entry
}

var _ eventstore.Codec = (*Registry)(nil)

type entry struct {
	name   string
	typ    reflect.Type
	decode func([]byte) (any, error)
	// upcasters[i] lifts schema i+1 to i+2; the present schema is one more than there are upcasters.
	upcasters []Upcaster
}

func (e *entry) schema() int { return len(e.upcasters) + 1 }

// lenient reads what encoding/json has always read: of members that are there twice the last counts, bytes that are
// no UTF-8 become U+FFFD. Only names must be spelled as they are written, capitals included. This reader is used
// because decoding is most of what reading the log costs, and it needs half the time.
var lenient = jsonv2.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))

// empty is a registry without events.
func empty() *Registry {
	return &Registry{byName: map[string]*entry{}, byType: map[reflect.Type]*entry{}}
}

// register adds an event type under the name its EventType gives.
func register[E domain.Event](r *Registry) {
	var zero E
	e := &entry{name: zero.EventType(), typ: reflect.TypeFor[E](), decode: func(payload []byte) (any, error) {
		var event E
		err := jsonv2.Unmarshal(payload, &event, lenient)
		return event, err
	}}
	if r.byName[e.name] != nil {
		panic("event type " + e.name + " is registered twice")
	}
	r.byName[e.name], r.byType[e.typ] = e, e
}

// Upcast adds the step from one schema version to the next. Steps are added in order, from schema 1.
func (r *Registry) Upcast(name string, fromSchema int, step Upcaster) {
	e := r.byName[name]
	if e == nil {
		panic((&UnknownType{Name: name}).Error())
	}
	if fromSchema != e.schema() {
		panic(fmt.Sprintf("event type %s: the next upcaster is from schema %d, not %d", name, e.schema(), fromSchema))
	}
	e.upcasters = append(e.upcasters, step)
}

// Names are all stored names, sorted.
func (r *Registry) Names() []string { return slices.Sorted(maps.Keys(r.byName)) }

// Schema is the present schema version of a stored name; 0 when it is not registered.
func (r *Registry) Schema(name string) int {
	if e := r.byName[name]; e != nil {
		return e.schema()
	}
	return 0
}

// Rewritten is the last schema that changed what older events of a stored name say; 1: none did, they only got fields.
func (r *Registry) Rewritten(name string) int {
	last := 1
	if e := r.byName[name]; e != nil {
		for i, step := range e.upcasters {
			if reflect.ValueOf(step).Pointer() != reflect.ValueOf(Upcaster(same)).Pointer() {
				last = i + 2
			}
		}
	}
	return last
}

// Personal are the fields of a stored name's payload that belong to a person, in its present schema; none for a name that
// is not registered.
func (r *Registry) Personal(name string) []string {
	e := r.byName[name]
	if e == nil {
		return nil
	}
	p, ok := reflect.Zero(e.typ).Interface().(domain.HasPersonal)
	if !ok {
		return nil
	}
	return p.Personal().Fields
}

// Encode implements eventstore.Codec. Data must be a registered event, by value.
func (r *Registry) Encode(data any) (eventstore.Encoded, error) {
	e := r.byType[reflect.TypeOf(data)]
	if e == nil {
		return eventstore.Encoded{}, &UnknownType{Name: fmt.Sprintf("%T", data)}
	}
	var payload bytes.Buffer
	encoder := json.NewEncoder(&payload)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(data); err != nil {
		return eventstore.Encoded{}, fmt.Errorf("encode %s: %w", e.name, err)
	}
	encoded := eventstore.Encoded{Type: e.name, Schema: e.schema(), Payload: bytes.TrimSuffix(payload.Bytes(), []byte("\n"))}
	if p, ok := data.(domain.HasPersonal); ok {
		personal := p.Personal()
		encoded.Person, encoded.Sealed, encoded.NewPerson = personal.Person, personal.Fields, personal.New
	}
	return encoded, nil
}

// Decode implements eventstore.Codec; the event comes back by value.
func (r *Registry) Decode(name string, schema int, payload []byte) (any, error) {
	e := r.byName[name]
	if e == nil {
		return nil, &UnknownType{Name: name}
	}
	if schema < 1 || schema > e.schema() {
		return nil, &UnknownSchema{Name: name, Schema: schema, Newest: e.schema()}
	}
	for from := schema; from < e.schema(); from++ {
		var err error
		if payload, err = e.upcasters[from-1](payload); err != nil {
			return nil, fmt.Errorf("upcast %s from schema %d: %w", name, from, err)
		}
	}
	event, err := e.decode(payload)
	if err != nil {
		return nil, fmt.Errorf("decode %s: %w", name, err)
	}
	return event, nil
}
