package registry

import (
	"encoding"
	"encoding/json"
	"io"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
)

// Draft is the version of JSON Schema that Describe speaks.
const Draft = "https://json-schema.org/draft/2020-12/schema"

// sealMember is what the log adds to a payload with sealed fields.
const sealMember = "$sealed"

// Describe is a JSON Schema of the payload of a stored name, in its present schema, as the log keeps it: personal fields are sealed.
// nil: the name is not registered.
func (r *Registry) Describe(name string) map[string]any {
	e := r.byName[name]
	if e == nil {
		return nil
	}
	schema := schemaOf(e.typ, nil)
	schema["title"] = name
	schema["$comment"] = "fields may be added without a new schema version of the event"
	personal := r.Personal(name)
	if len(personal) == 0 {
		return schema
	}
	properties := schema["properties"].(map[string]any)
	for _, field := range personal {
		properties[field] = map[string]any{"type": "string", "contentEncoding": "base64", "description": "sealed with the person's key"}
	}
	properties[sealMember] = map[string]any{
		"type": "object", "description": "whose key opens which fields; without it nothing is sealed",
		"properties": map[string]any{
			"person": map[string]any{"type": "string", "format": "uuid"},
			"fields": map[string]any{"type": "array", "items": map[string]any{"type": "string"}},
		},
	}
	return schema
}

var (
	jsonMarshaler = reflect.TypeFor[json.Marshaler]()
	textMarshaler = reflect.TypeFor[encoding.TextMarshaler]()
)

// schemaOf describes how encoding/json writes a type. within are the types around it: one that holds itself is any object there.
func schemaOf(t reflect.Type, within []reflect.Type) map[string]any {
	switch t {
	case reflect.TypeFor[uuid.UUID]():
		return map[string]any{"type": "string", "format": "uuid"}
	case reflect.TypeFor[time.Time]():
		return map[string]any{"type": "string", "format": "date-time"}
	}
	switch {
	case t.Kind() == reflect.Pointer:
		return map[string]any{"anyOf": []any{schemaOf(t.Elem(), within), map[string]any{"type": "null"}}}
	case t.Implements(jsonMarshaler), slices.Contains(within, t):
		return map[string]any{}
	case t.Implements(textMarshaler):
		return map[string]any{"type": "string"}
	}
	switch t.Kind() {
	case reflect.Bool:
		return map[string]any{"type": "boolean"}
	case reflect.String:
		return map[string]any{"type": "string"}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return map[string]any{"type": "integer"}
	case reflect.Float32, reflect.Float64:
		return map[string]any{"type": "number"}
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return map[string]any{"type": []any{"string", "null"}, "contentEncoding": "base64"}
		}
		return map[string]any{"type": []any{"array", "null"}, "items": schemaOf(t.Elem(), within)}
	case reflect.Array:
		return map[string]any{"type": "array", "items": schemaOf(t.Elem(), within)}
	case reflect.Map:
		return map[string]any{"type": []any{"object", "null"}, "additionalProperties": schemaOf(t.Elem(), within)}
	case reflect.Struct:
		return schemaOfStruct(t, append(slices.Clip(within), t))
	default:
		return map[string]any{}
	}
}

func schemaOfStruct(t reflect.Type, within []reflect.Type) map[string]any {
	properties, required := map[string]any{}, []any{}
	for i := range t.NumField() {
		field := t.Field(i)
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case name == "-" || !field.IsExported() && !field.Anonymous:
			continue
		case field.Anonymous && name == "" && field.Type.Kind() == reflect.Struct:
			inner := schemaOfStruct(field.Type, within)
			for name, of := range inner["properties"].(map[string]any) {
				properties[name] = of
			}
			required = append(required, inner["required"].([]any)...)
			continue
		case name == "":
			name = field.Name
		}
		properties[name] = schemaOf(field.Type, within)
		if !strings.Contains(options, "omitempty") && !strings.Contains(options, "omitzero") {
			required = append(required, name)
		}
	}
	return map[string]any{"type": "object", "properties": properties, "required": required}
}

// WriteSchemas writes the schemas of some types, or of all, as one document. It returns *UnknownType.
func (r *Registry) WriteSchemas(w io.Writer, names ...string) error {
	document := map[string]any{}
	for _, name := range names {
		if document = r.Describe(name); document == nil {
			return &UnknownType{Name: name}
		}
	}
	if len(names) != 1 {
		types := map[string]any{}
		for _, name := range r.Names() {
			if len(names) == 0 || slices.Contains(names, name) {
				types[name] = r.Describe(name)
			}
		}
		document = map[string]any{"title": "Events of the shop by type", "$defs": types}
	}
	document["$schema"] = Draft
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(document)
}
