package mail

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"shop/domain/content"
	"shop/eventstore"
)

// Log is where the texts of letters are changed; eventstore.Store is one.
type Log interface {
	Load(ctx context.Context, from ...eventstore.From) (map[string][]eventstore.Event, error)
}

// Wording finds the texts of letters that staff changed. It reads them from the log by one query for each letter, so they are never older
// than the last change.
type Wording struct{ Log Log }

// texts are those of a kind of letters in a language as they were at a time; zero: as they are.
func (w Wording) texts(ctx context.Context, k Kind, language string, at time.Time) (Texts, error) {
	names := map[string]string{}
	for name := range OwnTexts(k, language) {
		names[content.LetterBlock(string(k), name, language)] = name
	}
	said, err := w.Blocks(ctx, at, slices.Collect(maps.Keys(names)))
	if err != nil {
		return nil, err
	}
	texts := Texts{}
	for block, text := range said {
		texts[names[block]] = text
	}
	return texts, nil
}

// Blocks are the texts of blocks as they were at a time, by their names; zero: as they are. One that nobody wrote is absent.
func (w Wording) Blocks(ctx context.Context, at time.Time, names []string) (map[string]string, error) {
	var streams []eventstore.From
	for _, name := range names {
		streams = append(streams, eventstore.From{Stream: content.Stream(name)})
	}
	if len(streams) == 0 {
		return nil, nil
	}
	changes, err := w.Log.Load(ctx, streams...)
	if err != nil {
		return nil, fmt.Errorf("read the texts of letters: %w", err)
	}
	said := map[string]string{}
	for _, events := range changes {
		for _, e := range events {
			if changed, is := e.Data.(content.Changed); is && (at.IsZero() || !e.RecordedAt.After(at)) {
				said[changed.Name] = changed.Text
			}
		}
	}
	return said, nil
}

// with is a renderer that writes a letter in the words of a time; zero: of now.
func (w Wording) with(ctx context.Context, r *Renderer, c Content, at time.Time) (*Renderer, error) {
	worded := *r
	if w.Log == nil {
		return &worded, nil
	}
	said, language := languageOf(c)
	texts, err := w.texts(ctx, said.Kind(), language, at)
	worded.Texts = texts
	return &worded, err
}
