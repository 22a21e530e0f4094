package content

import (
	"slices"

	"shop/domain"
)

// Limits of a block, in characters.
const (
	maxText   = 100_000
	maxSlides = 50
	maxSlide  = 1_000
)

// Refusals of a change of content. Only staff meet them.
var (
	// ErrNoName: a block needs a name.
	ErrNoName    = domain.Refuse("content/no-name", "A content block needs a name.")
	ErrBadText   = domain.Refuse("content/bad-text", "A text may have 100000 characters.")
	ErrBadSlides = domain.Refuse("content/bad-slides", "A block may have 50 slides; each needs a file, its texts may have 1000 characters.")
)

// State is a block as it stands. The zero value was never written.
type State struct {
	Name   string
	Text   string
	Slides []Slide
}

// Decider is a content block.
var Decider = domain.Decider[Command, Event, State]{Decide: decide, Evolve: evolve}

func decide(command Command, s State) ([]Event, error) {
	switch c := command.(type) {
	case Change:
		if c.Name == "" {
			return nil, ErrNoName
		}
		if !domain.TextFits(c.Text, maxText) {
			return nil, ErrBadText
		}
		if len(c.Slides) > maxSlides || slices.ContainsFunc(c.Slides, Slide.bad) {
			return nil, ErrBadSlides
		}
		if s.Name == c.Name && s.Text == c.Text && slices.Equal(s.Slides, c.Slides) {
			return nil, nil
		}
		return []Event{Changed{Name: c.Name, Text: c.Text, Slides: c.Slides, At: c.At}}, nil
	}
	return nil, domain.UnknownCommand(command)
}

func (s Slide) bad() bool {
	return s.File == "" || !domain.TextFits(s.File, maxSlide) || !domain.TextFits(s.URL, maxSlide) || !domain.TextFits(s.Alt, maxSlide)
}

func evolve(s State, event Event) State {
	switch e := event.(type) {
	case Changed:
		s = State{Name: e.Name, Text: e.Text, Slides: e.Slides}
	}
	return s
}
