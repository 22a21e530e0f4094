package testshop

import (
	"bytes"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"shop/readapi"
)

// contract is the published description of the API. Every answer that the tests of this package get is held against it.
var contract = sync.OnceValues(func() (*jsonschema.Compiler, error) {
	described, err := readapi.Contract()
	if err != nil {
		return nil, err
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(described))
	if err != nil {
		return nil, err
	}
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	return compiler, compiler.AddResource("http://shop/openapi.json", document)
})

var compiling sync.Mutex

// KeepsContract holds an answer against the contract of POST path.
func KeepsContract(t testing.TB, path string, status int, body []byte) {
	t.Helper()
	KeepsContractOf(t, "post", path, status, body)
}

// KeepsContractOf holds an answer against the contract of a method, in small letters, and path.
func KeepsContractOf(t testing.TB, method, path string, status int, body []byte) {
	t.Helper()
	compiling.Lock()
	defer compiling.Unlock()
	compiler, err := contract()
	if err != nil {
		t.Fatalf("read the contract: %v", err)
	}
	at := fmt.Sprintf("http://shop/openapi.json#/paths/%s/%s/responses/%d/content/application~1json/schema",
		url.PathEscape(strings.ReplaceAll(path, "/", "~1")), method, status)
	for code, name := range map[int]string{404: "NotFound", 413: "TooLarge", 415: "UnsupportedMedia", 429: "TooMany"} {
		if status == code { // shared answers, which the contract refers to
			at = "http://shop/openapi.json#/components/responses/" + name + "/content/application~1json/schema"
		}
	}
	schema, err := compiler.Compile(at)
	if err != nil {
		t.Fatalf("%s may not answer %d: %v", path, status, err)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	if err != nil {
		t.Fatalf("%s answers what is no JSON: %v", path, err)
	}
	if err := schema.Validate(value); err != nil {
		t.Errorf("%s answers %d against the contract: %v\n%s", path, status, err, body)
	}
}
