package eventstore

import (
	"encoding/json"
	"testing"
)

func TestMetadataIsReadAsADecoderWould(t *testing.T) {
	t.Parallel()
	for stored, want := range map[string]Metadata{
		`{}`: {},
		`{"correlation_id": "c1", "causation_id":"c2","actor":"guest","trace":"00-1","imported":true}`: {"c1", "c2", "guest", "00-1", true},
		`{"actor":"\u0430\"", "later": {"actor": "x"}}`:                                                {Actor: `а"`},
		`{"actor":null,"imported":false,"trace":"t"}`:                                                  {Trace: "t"},
		`{"\u0061ctor":"guest"}`:                                                                       {Actor: "guest"},
	} {
		var got, decoded Metadata
		if err := got.read([]byte(stored)); err != nil || got != want {
			t.Errorf("%s: %+v, %v", stored, got, err)
		}
		if err := json.Unmarshal([]byte(stored), &decoded); err != nil || decoded != want {
			t.Errorf("a decoder says of %s: %+v, %v", stored, decoded, err)
		}
	}
	for _, stored := range []string{`{"actor":1}`, `{"imported":"true"}`, `[]`, `{`} {
		if err := new(Metadata).read([]byte(stored)); err == nil {
			t.Errorf("%s was read", stored)
		}
	}
}
