package readapi_test

import (
	"bytes"
	"net/http"
	"testing"

	"shop/readapi"
)

func TestTheContractIsServed(t *testing.T) {
	w := get(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := readapi.Endpoint(readapi.Describe).ServeJSON(w, r); err != nil {
			t.Error(err)
		}
	}), "/api/openapi.json")
	contract, err := readapi.Contract()
	if err != nil {
		t.Fatal(err)
	}
	if w.Code != 200 || !bytes.Equal(w.Body.Bytes(), contract) || w.Header().Get("Content-Type") != "application/json; charset=utf-8" {
		t.Errorf("status %d, %d bytes, %v", w.Code, w.Body.Len(), w.Header())
	}
}

// What is written in YAML is served as JSON with the same order, texts and kinds of values.
func TestContractsBecomeJSON(t *testing.T) {
	t.Parallel()
	got, err := readapi.ContractJSON([]byte(`# Not served.
openapi: "3.1.0"
paths:

  # Nor this.
  /b/{id}/: {get: {responses: {"200": {$ref: "#/components/responses/OK"}}}}
  /a/:
    post: {}
schema:
  type: [string, "null"]
  enum: ["1", 1, "true", true, null, "", '\d+', "\"•••\" <b> & да"]
  required: []
  limits: {minimum: -9223372036854775808, maximum: 9223372036854775807, multipleOf: 0.5}
  description: >-
    Folded: to one
    line. # Text.
`))
	want := `{
 "openapi": "3.1.0",
 "paths": {
  "/b/{id}/": {
   "get": {
    "responses": {
     "200": {
      "$ref": "#/components/responses/OK"
     }
    }
   }
  },
  "/a/": {
   "post": {}
  }
 },
 "schema": {
  "type": [
   "string",
   "null"
  ],
  "enum": [
   "1",
   1,
   "true",
   true,
   null,
   "",
   "\\d+",
   "\"•••\" <b> & да"
  ],
  "required": [],
  "limits": {
   "minimum": -9223372036854775808,
   "maximum": 9223372036854775807,
   "multipleOf": 0.5
  },
  "description": "Folded: to one line. # Text."
 }
}
`
	if err != nil || string(got) != want {
		t.Errorf("%v\n%s", err, got)
	}
	for name, text := range map[string]string{
		"key twice":    "paths: {}\npaths: {}\n",
		"open bracket": "paths: {",
		"bad indent":   "paths:\n  a: 1\n b: 2\n",
	} {
		if got, err := readapi.ContractJSON([]byte(text)); err == nil {
			t.Errorf("%s: %s", name, got)
		}
	}
}
