package registry

import (
	"encoding/json"
	"os"
	"reflect"
	"strings"
	"testing"

	"shop/domain/order"
)

// What is stored is read as it always was, whatever a payload has too much or too little of.
func TestDecodeIsLenient(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		payload string
		want    order.Cancelled
	}{
		"a member no field has":         {`{"reason": "late", "colour": {"is": ["red"]}}`, order.Cancelled{Reason: "late"}},
		"a member that is missing":      {`{}`, order.Cancelled{}},
		"null":                          {`{"reason": null, "at": null}`, order.Cancelled{}},
		"a member twice":                {`{"reason": "late", "reason": "changed"}`, order.Cancelled{Reason: "changed"}},
		"a name in other letters":       {`{"Reason": "late"}`, order.Cancelled{}},
		"escapes":                       {`{"reason": "\u003cb\u003e \ud83d\ude00 \"so\""}`, order.Cancelled{Reason: `<b> 😀 "so"`}},
		"half of a surrogate":           {`{"reason": "\ud83d!"}`, order.Cancelled{Reason: "\ufffd!"}},
		"bytes that are not UTF-8":      {"{\"reason\": \"a\xffb\"}", order.Cancelled{Reason: "a\ufffdb"}},
		"space around":                  {" {\n\"reason\" :\t\"late\" } ", order.Cancelled{Reason: "late"}},
		"a member before, unknown text": {`{"$sealed":{"person":"x"},"reason":"late"}`, order.Cancelled{Reason: "late"}},
	} {
		got, err := New().Decode("order.cancelled", 1, []byte(c.payload))
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
	for name, payload := range map[string]string{
		"text behind":         `{"reason": "late"} {}`,
		"not an object":       `["late"]`,
		"another type":        `{"reason": 7}`,
		"cut off":             `{"reason": "la`,
		"a time that is none": `{"at": "yesterday"}`,
	} {
		if got, err := New().Decode("order.cancelled", 1, []byte(payload)); err == nil {
			t.Errorf("%s: decoded as %+v", name, got)
		} else if !strings.Contains(err.Error(), "order.cancelled") {
			t.Errorf("%s: the error does not name the event: %v", name, err)
		}
	}
}

// A list that is there and empty is not the same as none.
func TestDecodeTellsEmptyFromNone(t *testing.T) {
	t.Parallel()
	for payload, none := range map[string]bool{
		`{"calculation": {"lines": []}}`: false, `{"calculation": {"lines": null}}`: true, `{"calculation": {}}`: true, `{"calculation": null}`: true,
	} {
		got, err := New().Decode("order.placed", 1, []byte(payload))
		if err != nil {
			t.Fatal(err)
		}
		if lines := got.(order.Placed).Calculation.Lines; reflect.ValueOf(lines).IsNil() != none || len(lines) != 0 {
			t.Errorf("%s: lines %#v", payload, lines)
		}
	}
}

// The log has been read by encoding/json before, and members of it were missing or null.
func TestDecodeAgreesWithEncodingJSON(t *testing.T) {
	t.Parallel()
	r := New()
	for _, name := range r.Names() {
		golden, err := os.ReadFile(goldenFile(name, r.Schema(name)))
		if err != nil {
			t.Fatal(err)
		}
		var members map[string]json.RawMessage
		if err := json.Unmarshal(golden, &members); err != nil {
			t.Fatal(err)
		}
		variants := [][]byte{golden}
		for member, value := range members {
			members[member] = json.RawMessage("null")
			null, err := json.Marshal(members)
			if err != nil {
				t.Fatal(err)
			}
			delete(members, member)
			missing, err := json.Marshal(members)
			if err != nil {
				t.Fatal(err)
			}
			members[member] = value
			variants = append(variants, null, missing)
		}
		for _, payload := range variants {
			want := reflect.New(r.byName[name].typ)
			wantErr := json.Unmarshal(payload, want.Interface())
			got, err := r.Decode(name, r.Schema(name), payload)
			if (err == nil) != (wantErr == nil) {
				t.Errorf("%s: %v, want %v\n%s", name, err, wantErr, payload)
			} else if err == nil && !reflect.DeepEqual(got, want.Elem().Interface()) {
				t.Errorf("%s: %+v\nwant %+v\n%s", name, got, want.Elem(), payload)
			}
		}
	}
}
