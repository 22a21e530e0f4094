package readapi

import (
	_ "embed"
	"net/http"
)

// Contract is the OpenAPI 3.1 description of every call, as JSON.
//
//go:embed openapi.json
var Contract []byte

// Describe is GET /api/openapi.json.
func Describe(*http.Request) (*Reply, error) {
	return reply(revalidate, Contract), nil
}
