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
	// Alt describes the picture for readers who do not see it.
	Alt string `json:"alt,omitempty"`
}

// Event is a fact about a content block.
//
//sumtype:decl
type Event interface {
	domain.Event
	isEvent()
}

// DiscountText is the block that states the rules of the moment, so it says their numbers by placeholders alone.
const DiscountText = "discount-text"

// Placeholders are what a text may leave to the rules that are in force when it is shown.
var Placeholders = []string{"{minimum_sum}", "{tiers}", "{main_city}", "{delivery_price}", "{free_from}", "{same_day_until}"}

// Changed replaced a block. Text may hold Placeholders.
type Changed struct {
	Name   string    `json:"name"`
	Text   string    `json:"text"`
	Slides []Slide   `json:"slides"`
	At     time.Time `json:"at"`
}

func (Changed) EventType() string { return "content.changed" }
func (Changed) isEvent()          {}
