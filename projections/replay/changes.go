package replay

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
)

// Change is one field that differs between two values. Was or Now is null where there was nothing.
type Change struct {
	// Field is a path such as lines[0].amount.
	Field string          `json:"field"`
	Was   json.RawMessage `json:"was"`
	Now   json.RawMessage `json:"now"`
}

// Changes are the differences between two values as JSON shows them, by field.
func Changes(was, now any) ([]Change, error) {
	before, err := plain(was)
	if err != nil {
		return nil, err
	}
	after, err := plain(now)
	if err != nil {
		return nil, err
	}
	return changes(nil, "", before, after)
}

// plain is a value as maps, slices, texts and numbers.
func plain(v any) (any, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("compare %T: %w", v, err)
	}
	exact := json.NewDecoder(bytes.NewReader(text))
	exact.UseNumber()
	var p any
	err = exact.Decode(&p)
	return p, err
}

func changes(found []Change, field string, was, now any) ([]Change, error) {
	before, isObject := was.(map[string]any)
	after, object := now.(map[string]any)
	if isObject && object {
		names := maps.Clone(before)
		maps.Copy(names, after)
		var err error
		for _, name := range slices.Sorted(maps.Keys(names)) {
			path := name
			if field != "" {
				path = field + "." + name
			}
			if found, err = changes(found, path, before[name], after[name]); err != nil {
				return nil, err
			}
		}
		return found, nil
	}
	list, isList := was.([]any)
	other, both := now.([]any)
	if isList && both {
		var err error
		for i := range max(len(list), len(other)) {
			var b, a any
			if i < len(list) {
				b = list[i]
			}
			if i < len(other) {
				a = other[i]
			}
			if found, err = changes(found, field+"["+strconv.Itoa(i)+"]", b, a); err != nil {
				return nil, err
			}
		}
		return found, nil
	}
	b, err := json.Marshal(was)
	if err != nil {
		return nil, err
	}
	a, err := json.Marshal(now)
	if err != nil {
		return nil, err
	}
	if bytes.Equal(a, b) {
		return found, nil
	}
	return append(found, Change{field, b, a}), nil
}
