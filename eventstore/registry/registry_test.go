package registry

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"shop/domain"
	"shop/domain/rules"
)

// A missing golden is written with: go test ./eventstore/registry -write-golden. An existing one never is.
var writeGolden = flag.Bool("write-golden", false, "write golden payloads that are missing")

func TestGoldenPayloads(t *testing.T) {
	t.Parallel()
	r := New()
	for _, name := range r.Names() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want := sample(r.byName[name].typ)
			encoded, err := r.Encode(want)
			if err != nil {
				t.Fatal(err)
			}
			if encoded.Type != name || encoded.Schema != r.Schema(name) {
				t.Fatalf("encoded as %s schema %d, want %s schema %d", encoded.Type, encoded.Schema, name, r.Schema(name))
			}
			for schema := 1; schema <= r.Schema(name); schema++ {
				golden, err := os.ReadFile(goldenFile(name, schema))
				if errors.Is(err, fs.ErrNotExist) && *writeGolden && schema == r.Schema(name) {
					golden = indent(t, encoded.Payload)
					err = os.WriteFile(goldenFile(name, schema), golden, 0o644)
				}
				if err != nil {
					t.Fatalf("no golden payload (write it with -write-golden): %v", err)
				}
				if schema == r.Schema(name) && string(indent(t, encoded.Payload)) != string(golden) {
					t.Errorf("the payload has changed without a new schema version:\n%s\nwant\n%s", indent(t, encoded.Payload), golden)
				}
				got, err := r.Decode(name, schema, golden)
				if err != nil {
					t.Fatalf("schema %d: %v", schema, err)
				}
				// An old version may lack what the sample of the present one has; it only has to be readable.
				if schema == r.Schema(name) && !reflect.DeepEqual(got, want) {
					t.Errorf("decoded %+v\nwant %+v", got, want)
				}
			}
		})
	}
}

func TestEveryGoldenIsOfARegisteredEvent(t *testing.T) {
	t.Parallel()
	r := New()
	files, err := filepath.Glob("testdata/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no golden payloads: %v", err)
	}
	for _, file := range files {
		name, version, ok := strings.Cut(strings.TrimSuffix(filepath.Base(file), ".json"), ".v")
		schema, err := strconv.Atoi(version)
		if !ok || err != nil || schema > r.Schema(name) {
			t.Errorf("%s: %s schema %s is not registered; what was stored once must stay readable", file, name, version)
		}
	}
}

func TestEveryEventOfTheDomainIsRegistered(t *testing.T) {
	t.Parallel()
	registered := map[string]string{}
	for typ, e := range New().byType {
		registered[typ.String()] = e.name
	}
	found := map[string]string{}
	files, err := filepath.Glob("../../domain/*/*.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("no domain packages found: %v", err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range parsed.Decls {
			method, ok := d.(*ast.FuncDecl)
			if !ok || method.Recv == nil || method.Name.Name != "EventType" {
				continue
			}
			receiver, ok := method.Recv.List[0].Type.(*ast.Ident)
			if !ok {
				t.Errorf("%s: events are values; %s has a pointer receiver", file, method.Name)
				continue
			}
			literal, ok := method.Body.List[0].(*ast.ReturnStmt).Results[0].(*ast.BasicLit)
			if !ok {
				t.Errorf("%s: the stored name of %s is not a literal", file, receiver.Name)
				continue
			}
			name, err := strconv.Unquote(literal.Value)
			if err != nil {
				t.Fatal(err)
			}
			found[parsed.Name.Name+"."+receiver.Name] = name
		}
	}
	if !maps.Equal(found, registered) {
		for typ, name := range found {
			if registered[typ] != name {
				t.Errorf("%s %q is not registered; add it to New", typ, name)
			}
		}
		for typ, name := range registered {
			if _, ok := found[typ]; !ok {
				t.Errorf("%s %q is registered but was not found in the domain", typ, name)
			}
		}
	}
}

func TestPersonalFieldsAreInThePayload(t *testing.T) {
	t.Parallel()
	r := New()
	for _, e := range r.byName {
		encoded, err := r.Encode(sample(e.typ))
		if err != nil {
			t.Fatal(err)
		}
		if _, personal := reflect.Zero(e.typ).Interface().(domain.HasPersonal); !personal {
			continue
		}
		if encoded.Person == uuid.Nil || len(encoded.Sealed) == 0 {
			t.Errorf("%s says it is personal but names no person or no field", e.name)
		}
		var members map[string]json.RawMessage
		if err := json.Unmarshal(encoded.Payload, &members); err != nil {
			t.Fatal(err)
		}
		for _, field := range encoded.Sealed {
			if _, ok := members[field]; !ok {
				t.Errorf("%s seals %q, which its payload does not have", e.name, field)
			}
		}
	}
}

type noted struct {
	Title string `json:"title"`
	Body  string `json:"body"`
	Stars int    `json:"stars"`
}

func (noted) EventType() string { return "test.noted" }

func TestUpcastersLiftEveryOldSchema(t *testing.T) {
	t.Parallel()
	r := empty()
	register[noted](r)
	r.Upcast("test.noted", 1, func(old json.RawMessage) (json.RawMessage, error) {
		var v struct {
			Text string `json:"text"`
		}
		if err := json.Unmarshal(old, &v); err != nil {
			return nil, err
		}
		return json.Marshal(map[string]any{"title": "", "body": v.Text})
	})
	r.Upcast("test.noted", 2, func(old json.RawMessage) (json.RawMessage, error) {
		var v map[string]any
		if err := json.Unmarshal(old, &v); err != nil {
			return nil, err
		}
		v["stars"] = 3
		return json.Marshal(v)
	})
	for schema, payload := range map[int]string{
		1: `{"text":"good"}`,
		2: `{"title":"","body":"good"}`,
		3: `{"title":"","body":"good","stars":3}`,
	} {
		got, err := r.Decode("test.noted", schema, []byte(payload))
		if err != nil {
			t.Fatalf("schema %d: %v", schema, err)
		}
		if got != (noted{Body: "good", Stars: 3}) {
			t.Errorf("schema %d: decoded %+v", schema, got)
		}
	}
	if encoded, err := r.Encode(noted{}); err != nil || encoded.Schema != 3 {
		t.Errorf("encoded with schema %d (%v), want 3", encoded.Schema, err)
	}
	if _, err := r.Decode("test.noted", 1, []byte(`[]`)); err == nil {
		t.Error("an upcaster's error was lost")
	}
	defer func() {
		if recover() == nil {
			t.Error("an upcaster was added out of order")
		}
	}()
	r.Upcast("test.noted", 1, nil)
}

func TestUnknownEventsAreTypedErrors(t *testing.T) {
	t.Parallel()
	r := New()
	var unknown *UnknownType
	if _, err := r.Decode("order.teleported", 1, []byte(`{}`)); !errors.As(err, &unknown) || unknown.Name != "order.teleported" {
		t.Errorf("decode of an unknown type: %v", err)
	}
	if _, err := r.Encode(noted{}); !errors.As(err, &unknown) {
		t.Errorf("encode of an unregistered type: %v", err)
	}
	if _, err := r.Encode(nil); !errors.As(err, &unknown) {
		t.Errorf("encode of nothing: %v", err)
	}
	var schema *UnknownSchema
	for _, version := range []int{0, 4} {
		if _, err := r.Decode("order.paid", version, []byte(`{}`)); !errors.As(err, &schema) || schema.Schema != version {
			t.Errorf("decode of schema %d: %v", version, err)
		}
	}
}

func goldenFile(name string, schema int) string {
	return filepath.Join("testdata", fmt.Sprintf("%s.v%d.json", name, schema))
}

func indent(t *testing.T, payload []byte) []byte {
	t.Helper()
	var members any
	if err := json.Unmarshal(payload, &members); err != nil {
		t.Fatal(err)
	}
	text, err := json.MarshalIndent(members, "", "\t")
	if err != nil {
		t.Fatal(err)
	}
	return append(text, '\n')
}

// sample fills every field of an event, each with another value.
func sample(typ reflect.Type) any {
	v := reflect.New(typ).Elem()
	n := 0
	fill(v, typ.Name(), &n)
	return v.Interface()
}

func fill(v reflect.Value, name string, n *int) {
	*n++
	switch v.Interface().(type) {
	case time.Time:
		v.Set(reflect.ValueOf(time.Date(2026, 1, 2, 3, 4, 5, *n*1000, time.UTC)))
		return
	case uuid.UUID:
		v.Set(reflect.ValueOf(uuid.UUID{0: 0x01, 6: 0x70, 8: 0x80, 15: byte(*n)}))
		return
	case json.RawMessage:
		v.SetBytes(fmt.Appendf(nil, "%d", *n))
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(fmt.Sprintf("%s <%d>", name, *n))
	case reflect.Int, reflect.Int64, reflect.Int32, reflect.Int16:
		v.SetInt(int64(*n))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), name, n)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range 2 {
			fill(v.Index(i), name, n)
		}
	case reflect.Map:
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fill(key, name, n)
		fill(value, name, n)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, value)
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i), v.Type().Field(i).Name, n)
		}
	default:
		panic("events hold no " + v.Kind().String() + ": " + name)
	}
}

// TestOldRulesGetTheFirstBoundsOnOpenOrders: what rules of before said of nothing, they say as the shop had it first.
func TestOldRulesGetTheFirstBoundsOnOpenOrders(t *testing.T) {
	t.Parallel()
	golden, err := os.ReadFile(goldenFile("rules.changed", 1))
	if err != nil {
		t.Fatal(err)
	}
	event, err := New().Decode("rules.changed", 1, golden)
	if err != nil {
		t.Fatal(err)
	}
	r := event.(rules.Changed).Rules
	if r.GuestOpenOrders != 5 || r.GuestOpenPieces != 60 || r.CustomerOpenOrders != 20 || r.CustomerOpenPieces != 300 ||
		r.NetworkOpenOrders != 20 || r.NetworkOpenPieces != 300 || r.CashHours != 24 || r.OpensAt != 10 || r.ClosesAt != 19 || r.KaspiMinutes != 31 {
		t.Errorf("%+v", r)
	}
}
