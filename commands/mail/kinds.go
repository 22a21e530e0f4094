package mail

import (
	"encoding/json"
)

// kind is how letters of a kind are read back and what a sample of them says.
type kind struct {
	decode func(data []byte) (Content, error)
	sample Content
}

// of describes a kind by a sample.
func of[C Content](sample C) kind {
	return kind{sample: sample, decode: func(data []byte) (Content, error) {
		var c C
		err := json.Unmarshal(data, &c)
		return c, err
	}}
}

var kinds = map[Kind]kind{}
