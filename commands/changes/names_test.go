package changes

import (
	"encoding/json"
	"flag"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

var writeNames = flag.Bool("write-names", false, "write what the office has to name into testdata")

// TestWhatTheOfficeHasToName: testdata/names.json has every field that a change sets and every member of their values, with number where it
// is one; reasons.json why something stays. Tests of the office compare its names in three languages with them.
func TestWhatTheOfficeHasToName(t *testing.T) {
	t.Parallel()
	names := map[string]string{}
	for key, f := range All() {
		if f.of == nil {
			t.Errorf("%v has no type", key)
			continue
		}
		name(names, key[0], key[1], f.of)
	}
	var reasons []string
	for _, inverse := range Inverses {
		if code := inverse.Why.Code; code != "" && !slices.Contains(reasons, code) {
			reasons = append(reasons, code)
		}
	}
	slices.Sort(reasons)
	for file, is := range map[string]any{"testdata/names.json": names, "testdata/reasons.json": reasons} {
		text, err := json.MarshalIndent(is, "", "\t")
		if err != nil {
			t.Fatal(err)
		}
		text = append(text, '\n')
		if *writeNames {
			if err := os.WriteFile(file, text, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if known, err := os.ReadFile(file); err != nil || string(known) != string(text) {
			t.Errorf("%s is not up to date (%v): go test ./commands/changes -run %s -write-names", file, err, t.Name())
		}
	}
}

// name notes a field of a sort of things, and the members of its values.
func name(names map[string]string, thing, field string, of reflect.Type) {
	for of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice {
		of = of.Elem()
	}
	kind := ""
	if of.Kind() == reflect.Int || of.Kind() == reflect.Int64 {
		kind = "number"
	}
	names[thing+"."+field] = kind
	if of.Kind() != reflect.Struct || of == reflect.TypeFor[time.Time]() {
		return
	}
	for _, member := range reflect.VisibleFields(of) {
		if tag, _, _ := strings.Cut(member.Tag.Get("json"), ","); tag != "" && tag != "-" {
			name(names, thing, tag, member.Type)
		}
	}
}
