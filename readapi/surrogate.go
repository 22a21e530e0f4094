package readapi

import (
	"slices"
	"strings"
)

// mostKeys bounds the Surrogate-Key of a long list: of more, whole read models remain.
const mostKeys = 100

// surrogateKeys are what a CDN may purge an answer by: "model" for all of a read model, "model/name" for a part of it. When an
// event changes a model, the answers that show it have one of model, model/kind, model/type, model/stream.
func surrogateKeys(parts []Part) string {
	keys := make([]string, 0, len(parts))
	for _, part := range parts {
		key := part.Model
		if part.Name != "" && len(parts) <= mostKeys {
			key += "/" + part.Name
		}
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return strings.Join(slices.Compact(keys), " ")
}

// SurrogateKeys are what a CDN may purge by whatever was made of the answers.
func (g *Gathered) SurrogateKeys() string {
	if g == nil {
		return ""
	}
	return surrogateKeys(g.parts)
}
