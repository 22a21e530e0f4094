package changes

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"time"

	"github.com/google/uuid"

	"shop/commands"
	"shop/domain"
	"shop/domain/staff"
)

// Refusals of single items.
var (
	ErrNoField = domain.Refuse("change/no-field", "There is no such field.")
	ErrID      = domain.Refuse("change/bad-id", "This is no id of such a thing.")
	ErrValue   = domain.Refuse("change/bad-value", "The field cannot have such a value.")
	// ErrForbidden: the role may neither change it nor propose it.
	ErrForbidden = domain.Refuse("change/forbidden", "Your role does not allow this.")
	// ErrOverlap: a thing is set as a whole and by a part in one change.
	ErrOverlap  = domain.Refuse("change/overlap", "Another item of the change sets all of it.")
	ErrConflict = domain.Refuse("change/conflict", "Somebody changed it meanwhile.")
)

// Field is something of a thing that changes may set.
type Field struct {
	Thing, Name string
	// Writes is the permission to set it; who has only Proposes needs a second person. Empty Proposes: nobody may.
	Writes, Proposes staff.Permission
	// Sees is the permission that its values need; empty: they are for all who see changes.
	Sees staff.Permission

	// of is what its values are in Go.
	of reflect.Type
	// streams are what has to be loaded to read the field and to set it to a value.
	streams func(id string, to json.RawMessage) ([]commands.Ref, error)
	// read is the present value, set decides that it is another. Values are in the one spelling that plain gives them.
	read  func(u *commands.Unit, id string) (json.RawMessage, error)
	set   func(u *commands.Unit, id string, to json.RawMessage, by setting) error
	plain func(value json.RawMessage) (json.RawMessage, error)

	// fill gives a value what it leaves out, as the present one has it; nil: values leave nothing out.
	fill func(value, present json.RawMessage) (json.RawMessage, error)

	// shift is the value after a movement from one value to another, over what the field has now; nil: the field is set, and does not move.
	shift func(u *commands.Unit, id string, from, to json.RawMessage) (json.RawMessage, error)

	// later is the value that the field is known to have at a time to come; nil: the present one.
	later func(u *commands.Unit, id string, at time.Time) (json.RawMessage, error)
	// holder is the change that set the field for a while, zero: none; nil: the field does not know.
	holder func(u *commands.Unit, id string) domain.ID

	// part: it is a part of another field of the thing, which is what the change has as its item.
	part *part
}

// setting is what a field is told about the change that sets it, and of which thing.
type setting struct {
	change domain.ID
	id     string
	reason string
	// until is when the change ends; zero: the value stays.
	until time.Time
}

// part is a field that people see, such as the percent of a discount, of one that is stored.
type part struct {
	of string
	// get is its value in a value of the whole, put the whole with another value of it.
	get func(whole json.RawMessage) (json.RawMessage, error)
	put func(whole, value json.RawMessage) (json.RawMessage, error)
}

// kind is a sort of things of which each has a stream.
type kind[C any, E domain.Event, S any] struct {
	thing            string
	writes, proposes staff.Permission
	sees             staff.Permission
	stream           func(id string) (commands.Stream[C, E, S], error)
	// missing is the refusal where there is no such thing; nil: each thing has its fields before its first event.
	missing func(S) error
}

// field is a field of a kind, of type T in Go and in JSON. Others are streams that a value refers to; nil: none.
func field[T, C any, E domain.Event, S any](
	k kind[C, E, S], name string, get func(S) T, set func(u *commands.Unit, s S, to T, by setting) (C, error), others func(to T) []commands.Ref,
) Field {
	return Field{
		Thing: k.thing, Name: name, Writes: k.writes, Proposes: k.proposes, Sees: k.sees, of: reflect.TypeFor[T](),
		streams: func(id string, to json.RawMessage) ([]commands.Ref, error) {
			stream, err := k.stream(id)
			if err != nil {
				return nil, err
			}
			refs := []commands.Ref{stream}
			if others != nil {
				value, err := parse[T](to)
				if err != nil {
					return nil, err
				}
				refs = append(refs, others(value)...)
			}
			return refs, nil
		},
		read: func(u *commands.Unit, id string) (json.RawMessage, error) {
			stream, err := k.stream(id)
			if err != nil {
				return nil, err
			}
			state := stream.State(u)
			if k.missing != nil {
				if err := k.missing(state); err != nil {
					return nil, err
				}
			}
			return json.Marshal(get(state))
		},
		set: func(u *commands.Unit, id string, to json.RawMessage, by setting) error {
			stream, err := k.stream(id)
			if err != nil {
				return err
			}
			value, err := parse[T](to)
			if err != nil {
				return err
			}
			command, err := set(u, stream.State(u), value, by)
			if err != nil {
				return err
			}
			return stream.Do(u, command)
		},
		plain: func(value json.RawMessage) (json.RawMessage, error) {
			typed, err := parse[T](value)
			if err != nil {
				return nil, err
			}
			return json.Marshal(typed)
		},
	}
}

// parse reads a value. null is a value only of what may be missing.
func parse[T any](value json.RawMessage) (T, error) {
	var typed T
	if len(value) == 0 || string(value) == "null" {
		switch reflect.TypeFor[T]().Kind() {
		case reflect.Pointer, reflect.Slice:
			return typed, nil
		}
		return typed, ErrValue
	}
	err := decode(value, &typed, reflect.TypeFor[T]())
	return typed, err
}

// decode reads a value that is all of a type. A NUL is none that the read models can hold.
func decode(value json.RawMessage, to any, of reflect.Type) error {
	decoder := json.NewDecoder(bytes.NewReader(value))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(to); err != nil || bytes.Contains(value, []byte(`\u0000`)) {
		return ErrValue.With(fmt.Sprintf("The value must be %s.", spoken(of)))
	}
	return nil
}

// spoken names a type for people.
func spoken(t reflect.Type) string {
	if t == reflect.TypeFor[uuid.UUID]() {
		return "an id"
	}
	switch t.Kind() {
	case reflect.String:
		return "a text"
	case reflect.Int, reflect.Int64:
		return "a whole number"
	case reflect.Bool:
		return "true or false"
	case reflect.Slice:
		return "a list"
	case reflect.Pointer:
		return spoken(t.Elem()) + " or null"
	}
	return "an object of its fields"
}

// wholeField is the field that holds all others of its thing.
const wholeField = "whole"

// partOf is a field that is a part of one with values of type W.
func partOf[T, W any](of Field, name string, get func(W) T, put func(W, T) (W, error)) Field {
	f := of
	f.Name, f.of = name, reflect.TypeFor[T]()
	f.plain = func(value json.RawMessage) (json.RawMessage, error) {
		typed, err := parse[T](value)
		if err != nil {
			return nil, err
		}
		return json.Marshal(typed)
	}
	f.part = &part{
		of: of.Name,
		get: func(whole json.RawMessage) (json.RawMessage, error) {
			typed, err := parse[W](whole)
			if err != nil {
				return nil, err
			}
			return json.Marshal(get(typed))
		},
		put: func(whole, value json.RawMessage) (json.RawMessage, error) {
			typed, err := parse[W](whole)
			if err != nil {
				return nil, err
			}
			to, err := parse[T](value)
			if err != nil {
				return nil, err
			}
			if typed, err = put(typed, to); err != nil {
				return nil, err
			}
			return json.Marshal(typed)
		},
	}
	return f
}

// Registry is the fields by thing and name.
type Registry map[[2]string]*Field

// NewRegistry holds fields.
func NewRegistry(fields ...[]Field) Registry {
	r := Registry{}
	for _, some := range fields {
		for _, f := range some {
			key := [2]string{f.Thing, f.Name}
			if r[key] != nil {
				panic("changes: two fields " + f.Thing + "." + f.Name)
			}
			r[key] = &f
		}
	}
	return r
}

// of is the field of an item; whole is the stored one that it is a part of, or itself.
func (r Registry) of(thing, name string) (f, whole *Field, err error) {
	f = r[[2]string{thing, name}]
	if f == nil {
		return nil, nil, ErrNoField.With(fmt.Sprintf("There is no field %s of a %s.", name, thing))
	}
	if whole = f; f.part != nil {
		whole = r[[2]string{thing, f.part.of}]
	}
	return f, whole, nil
}

// Seen says whether somebody may see the values of a field. Those of a field that there is no more may be seen.
func (r Registry) Seen(thing, name string, may func(staff.Permission) bool) bool {
	f := r[[2]string{thing, name}]
	return f == nil || f.Sees == "" || may(f.Sees)
}

// Facts are the present values of all that is stored of a thing, by field. Fields that refuse to be read are left out: those of a thing that is
// not there yet, but for its whole, which is null.
func (r Registry) Facts(u *commands.Unit, thing, id string) (map[string]json.RawMessage, error) {
	facts := map[string]json.RawMessage{}
	for key, f := range r {
		if key[0] != thing || f.part != nil {
			continue
		}
		value, err := f.read(u, id)
		if err == nil {
			facts[f.Name] = value
		} else if _, err := refused(err); err != nil {
			return nil, err
		}
	}
	return facts, nil
}

// holds says whether a field has a value, however that is written.
func (f *Field) holds(present, value json.RawMessage) bool {
	plain, err := f.plain(value)
	if err == nil && f.fill != nil {
		plain, err = f.fill(plain, present)
	}
	return err == nil && bytes.Equal(present, plain)
}

func idOf(text string) (domain.ID, error) {
	id, err := uuid.Parse(text)
	if err != nil || id == uuid.Nil {
		return domain.ID{}, ErrID
	}
	return id, nil
}
