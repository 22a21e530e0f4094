package readapi

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"

	"github.com/goccy/go-yaml"
)

//go:embed openapi.yaml
var openapi []byte

// Contract is the OpenAPI 3.1 description of every call as JSON, made from openapi.yaml when it is first asked for.
var Contract = sync.OnceValues(func() ([]byte, error) { return ContractJSON(openapi) })

// ContractJSON turns a contract in YAML into indented JSON. Keys keep their order.
func ContractJSON(contract []byte) ([]byte, error) {
	text, err := yaml.YAMLToJSON(contract)
	if err != nil {
		return nil, fmt.Errorf("read the contract: %w", err)
	}
	var indented bytes.Buffer
	if err := json.Indent(&indented, bytes.TrimSpace(text), "", " "); err != nil {
		return nil, fmt.Errorf("indent the contract: %w", err)
	}
	indented.WriteByte('\n')
	return indented.Bytes(), nil
}

// Describe is GET /api/openapi.json.
func Describe(*http.Request) (*Reply, error) {
	contract, err := Contract()
	if err != nil {
		return nil, err
	}
	return reply(revalidate, contract), nil
}
