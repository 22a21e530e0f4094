package registry

import (
	"bytes"
	"os"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// TestSchemasFitPayloads: what is published about an event holds for its golden payload, before its fields are sealed.
func TestSchemasFitPayloads(t *testing.T) {
	t.Parallel()
	r := New()
	for _, name := range r.Names() {
		golden, err := os.ReadFile(goldenFile(name, r.Schema(name)))
		if err != nil {
			t.Fatal(err)
		}
		payload, err := jsonschema.UnmarshalJSON(bytes.NewReader(golden))
		if err != nil {
			t.Fatal(err)
		}
		check := func(schema map[string]any) error {
			compiler := jsonschema.NewCompiler()
			compiler.AssertFormat()
			if err := compiler.AddResource("event.json", schema); err != nil {
				t.Fatal(err)
			}
			compiled, err := compiler.Compile("event.json")
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			return compiled.Validate(payload)
		}
		plain := schemaOf(r.byName[name].typ, nil)
		if err := check(plain); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		// The schema says something: another payload does not fit.
		required, _ := plain["required"].([]any)
		if len(required) > 0 {
			members := payload.(map[string]any)
			delete(members, required[0].(string))
			if check(plain) == nil {
				t.Errorf("%s: a payload without %s fits", name, required[0])
			}
		}
	}
}

func TestSealedFieldsAreTexts(t *testing.T) {
	t.Parallel()
	r := New()
	for _, name := range r.Names() {
		properties, _ := r.Describe(name)["properties"].(map[string]any)
		for _, field := range r.Personal(name) {
			if of, _ := properties[field].(map[string]any); of["contentEncoding"] != "base64" {
				t.Errorf("%s: %s is %v", name, field, of)
			}
		}
		if _, sealed := properties[sealMember]; sealed != (len(r.Personal(name)) > 0) {
			t.Errorf("%s: $sealed is described: %v", name, sealed)
		}
	}
	if r.Describe("nothing") != nil {
		t.Error("an event that is not registered is described")
	}
}

func TestSchemasAreOneDocument(t *testing.T) {
	t.Parallel()
	r := New()
	var one, all bytes.Buffer
	if err := r.WriteSchemas(&one, "order.placed"); err != nil || !bytes.Contains(one.Bytes(), []byte(`"title": "order.placed"`)) {
		t.Errorf("%v: %s", err, one.String())
	}
	if err := r.WriteSchemas(&all); err != nil {
		t.Fatal(err)
	}
	document, err := jsonschema.UnmarshalJSON(&all)
	if err != nil {
		t.Fatal(err)
	}
	if types, _ := document.(map[string]any)["$defs"].(map[string]any); len(types) != len(r.Names()) {
		t.Errorf("%d of %d types", len(types), len(r.Names()))
	}
	if err := r.WriteSchemas(&all, "nothing"); err == nil {
		t.Error("an event that is not registered is described")
	}
}
