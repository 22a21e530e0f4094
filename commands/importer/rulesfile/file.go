package rulesfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"shop/domain/rules"
)

// File is rules as files say them. Version is the one they were in force as.
type File struct {
	Version int64 `json:"version"`
	rules.Rules
}

// Read reads a file of rules over those in force. Its errors name the field.
func Read(text []byte, now rules.Rules) (File, error) {
	given := map[string]json.RawMessage{}
	said, err := yaml.YAMLToJSON(text) // JSON is YAML
	if err == nil {
		err = json.Unmarshal(said, &given)
	}
	if err != nil {
		return File{}, errors.New("want fields of the rules, as YAML or JSON")
	}
	return Put(given, now)
}

// Put puts fields of rules over those in force. Its errors name the field.
func Put(given map[string]json.RawMessage, now rules.Rules) (File, error) {
	base, err := json.Marshal(File{Rules: now})
	if err != nil {
		return File{}, err
	}
	merged := map[string]json.RawMessage{}
	if err := json.Unmarshal(base, &merged); err != nil {
		return File{}, err
	}
	for _, field := range slices.Sorted(maps.Keys(given)) {
		if _, known := merged[field]; !known {
			return File{}, fmt.Errorf("%s: there is no such rule", field)
		}
		var alone File
		one, err := json.Marshal(map[string]json.RawMessage{field: given[field]})
		if err != nil {
			return File{}, err
		}
		strict := json.NewDecoder(bytes.NewReader(one))
		strict.DisallowUnknownFields()
		err = strict.Decode(&alone)
		var kind *json.UnmarshalTypeError
		if errors.As(err, &kind) {
			return File{}, fmt.Errorf("%s: must be no %s", strings.TrimPrefix(kind.Field, "Rules."), kind.Value)
		}
		if err != nil {
			return File{}, fmt.Errorf("%s: %s", field, strings.TrimPrefix(err.Error(), "json: "))
		}
		if string(given[field]) == "null" {
			return File{}, fmt.Errorf("%s: there is no value", field)
		}
		merged[field] = given[field]
	}
	whole, err := json.Marshal(merged)
	if err != nil {
		return File{}, err
	}
	var file File
	err = json.Unmarshal(whole, &file)
	return file, err
}
