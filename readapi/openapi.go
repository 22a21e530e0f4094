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
func Describe(w http.ResponseWriter, r *http.Request) error {
	return reply(w, r, revalidate, Contract)
}
