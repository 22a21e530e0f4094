package commands

import (
	"context"

	"shop/domain/content"
	"shop/eventstore"
)

// Content changes named blocks of text and slides.
type Content struct{ Handler *Handler }

// Change replaces a block.
func (c *Content) Change(ctx context.Context, name, text string, slides []content.Slide) (eventstore.Position, error) {
	return one(ctx, c.Handler, contentStream(name), func(u *Unit) content.Command {
		return content.Change{Name: name, Text: text, Slides: slides, At: u.At()}
	})
}
