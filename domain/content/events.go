package content

import (
	"slices"
	"strings"
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

// DiscountText is the block that states the rules of the moment, so it says their numbers by placeholders alone, in Kazakh too.
const DiscountText = "discount-text"

// Placeholders are what a text may leave to the rules that are in force when it is shown.
var Placeholders = []string{"{minimum_sum}", "{tiers}", "{main_city}", "{delivery_price}", "{free_from}", "{same_day_until}"}

// Pages are the blocks that are texts of pages or of a part of one, as HTML: in Russian by their name, in Kazakh by Kazakh of it.
var Pages = []string{"hero", "advantages", "about-teaser", "about", "delivery"}

// Kazakh is the block of another block in Kazakh.
func Kazakh(name string) string { return name + "-kk" }

// IsPage says whether a block is the text of a page, so that shoppers see it as HTML.
func IsPage(name string) bool {
	return slices.Contains(Pages, strings.TrimSuffix(name, Kazakh("")))
}

// Changed replaced a block. Text may hold Placeholders.
type Changed struct {
	Name   string  `json:"name"`
	Text   string  `json:"text"`
	Slides []Slide `json:"slides"`
	// Source is what a page's text was made of, as somebody wrote it; empty: the text itself.
	Source string    `json:"source,omitempty"`
	At     time.Time `json:"at"`
}

func (Changed) EventType() string { return "content.changed" }
func (Changed) isEvent()          {}
