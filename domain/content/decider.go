package content

import (
	"slices"

	"shop/domain"
)

// ErrNoName: a block needs a name.
var ErrNoName = domain.Refuse("content/no-name", "A content block needs a name.")

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
		if s.Name == c.Name && s.Text == c.Text && slices.Equal(s.Slides, c.Slides) {
			return nil, nil
		}
		return []Event{Changed{Name: c.Name, Text: c.Text, Slides: c.Slides, At: c.At}}, nil
	}
	return nil, domain.UnknownCommand(command)
}

func evolve(s State, event Event) State {
	switch e := event.(type) {
	case Changed:
		s = State{Name: e.Name, Text: e.Text, Slides: e.Slides}
	}
	return s
}
