package content

import (
	"time"

	"shop/domain"
)

// Stream names a content block.
func Stream(name string) string { return "content-" + name }

// Slide is a picture with a link.
type Slide struct {
	URL  string `json:"url"`
	File string `json:"file"`
	// Alt describes the picture to those who do not see it.
	Alt string `json:"alt,omitempty"`
}

// Event is a fact about a content block.
//
//sumtype:decl
type Event interface {
	domain.Event
	isEvent()
}

// Changed replaced a block. Text may hold {placeholders} that are filled from the rules when shown.
type Changed struct {
	Name   string    `json:"name"`
	Text   string    `json:"text"`
	Slides []Slide   `json:"slides"`
	At     time.Time `json:"at"`
}

func (Changed) EventType() string { return "content.changed" }
func (Changed) isEvent()          {}
