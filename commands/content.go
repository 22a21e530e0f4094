package commands

import (
	"context"

	"shop/commands/importer/markup"
	"shop/domain/content"
	"shop/eventstore"
)

// Content changes named blocks of text and slides.
type Content struct{ Handler *Handler }

// WouldChange says whether Change would add anything.
func (c *Content) WouldChange(ctx context.Context, name, text string, slides []content.Slide) (bool, error) {
	return WouldChange(ctx, c.Handler, ContentStream(name), changeContent(name, text, slides))
}

// Change replaces a block.
func (c *Content) Change(ctx context.Context, name, text string, slides []content.Slide) (eventstore.Position, error) {
	return Change(ctx, c.Handler, ContentStream(name), changeContent(name, text, slides))
}

func changeContent(name, text string, slides []content.Slide) func(u *Unit) content.Command {
	if content.IsPage(name) {
		text = markup.Sanitise(text)
	}
	return func(u *Unit) content.Command {
		return content.Change{Name: name, Text: text, Slides: slides, At: u.At()}
	}
}
