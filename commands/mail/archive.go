package mail

import (
	"context"
	"fmt"
	"regexp"
	"time"

	"shop/domain"
	"shop/eventstore"
)

// ErrNoLetter: nothing was sent, or what it said is erased or out of date.
var ErrNoLetter = domain.Refuse("mail/no-letter", "Этого письма нет: его не отправляли, или его данные стёрты или устарели")

// Archive writes letters that events caused once more. Sent letters are kept nowhere: they are made of the log.
type Archive struct {
	Composer Composer
	Renderer *Renderer
	// Sender is as in [Worker].
	Sender func(context.Context) (Shop, error)
	// Wording is as in [Worker].
	Wording Wording
}

// keys are what makes a link of a letter open something without an account. They stand behind the #.
var keys = regexp.MustCompile(`#\S+`)

// Show is the letter of a kind that the event of a stream's version caused, its text alone, in the words of when it was sent (zero: it
// waits), without the keys in its links: they are for whoever got it.
func (a *Archive) Show(ctx context.Context, kind Kind, id domain.ID, at, sent time.Time, stream string, version eventstore.Version) (Message, error) {
	to, content, err := a.Composer.Compose(ctx, kind, stream, version)
	if err != nil {
		return Message{}, fmt.Errorf("compose a letter once more: %w", err)
	}
	if content == nil {
		return Message{}, ErrNoLetter
	}
	renderer, err := a.Wording.with(ctx, a.Renderer, content, sent)
	if err != nil {
		return Message{}, err
	}
	if a.Sender != nil {
		if renderer.Shop, err = a.Sender(ctx); err != nil {
			return Message{}, fmt.Errorf("who sends letters: %w", err)
		}
	}
	m, err := renderer.Message(id, at, to, content)
	if err != nil {
		return Message{}, err
	}
	m.Text, m.HTML = keys.ReplaceAllString(m.Text, "#…"), ""
	return m, nil
}
