package projections

import (
	"time"

	"shop/domain"
	"shop/domain/content"
	"shop/eventstore"
)

// Content is the blocks of text and slides.
func Content() Projection { return Projection{Name: "content", Tables: []AnyTable{blocks}} }

// Block is a row of content.block.
type Block struct {
	Name      string          `json:"name"`
	Text      string          `json:"text"`
	Slides    []content.Slide `json:"slides"`
	UpdatedAt time.Time       `json:"updated_at"`
}

var blocks = Table[Block]{
	Name: "block", Key: "name", KeyType: "text",
	DDL:    createTable[Block]("block", "name"),
	Events: []domain.Event{content.Changed{}},
	Keys:   keyAfter("content-"), Stream: streamOf("content-"),
	Fold: func(key string, b *Block, event eventstore.Event) bool {
		if e, ok := event.Data.(content.Changed); ok {
			*b = Block{key, e.Text, append([]content.Slide{}, e.Slides...), e.At}
		}
		return b.Name != ""
	},
}
