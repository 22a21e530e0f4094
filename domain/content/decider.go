package content

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"shop/domain"
)

// Limits of a block, in characters.
const (
	maxText   = 200_000
	maxSlides = 50
	maxSlide  = 1_000
)

// Refusals of a change of content. Only staff meet them.
var (
	// ErrNoName: a block needs a name.
	ErrNoName    = domain.Refuse("content/no-name", "A content block needs a name.")
	ErrBadText   = domain.Refuse("content/bad-text", "A text may have 200000 characters.")
	ErrBadSlides = domain.Refuse("content/bad-slides", "A block may have 50 slides; each needs a file, its texts may have 1000 characters.")
	// ErrBadAddress: a slide's file and url are paths of the shop's own or https; a url may be empty.
	ErrBadAddress = domain.Refuse("content/bad-address", "A slide's file and url must be paths of the shop's own or https addresses.")
	// ErrBadPlaceholder: shoppers would see it as it is written.
	ErrBadPlaceholder = domain.Refuse("content/bad-placeholder", "A text may leave to the rules only "+strings.Join(Placeholders, ", ")+".")
	// ErrStatesRule keeps the text from saying what the rules do not.
	ErrStatesRule = domain.Refuse("content/states-a-rule", "Numbers in "+DiscountText+" come from the rules: write "+strings.Join(Placeholders, ", ")+".")
)

// State is the present state of a block. The zero value was never written.
type State struct {
	Name   string
	Text   string
	Slides []Slide
	Source string
}

// Decider is a content block.
var Decider = domain.Decider[Command, Event, State]{Decide: decide, Evolve: evolve}

func decide(command Command, s State) ([]Event, error) {
	switch c := command.(type) {
	case Change:
		if c.Name == "" {
			return nil, ErrNoName
		}
		if !domain.TextFits(c.Text, maxText) || !domain.TextFits(c.Source, maxText) {
			return nil, ErrBadText
		}
		if err := checkPlaceholders(c.Name, c.Text); err != nil {
			return nil, err
		}
		if len(c.Slides) > maxSlides || slices.ContainsFunc(c.Slides, Slide.bad) {
			return nil, ErrBadSlides
		}
		if slices.ContainsFunc(c.Slides, Slide.astray) {
			return nil, ErrBadAddress
		}
		if s.Name == c.Name && s.Text == c.Text && s.Source == c.Source && slices.Equal(s.Slides, c.Slides) {
			return nil, nil
		}
		return []Event{Changed(c)}, nil
	}
	return nil, domain.UnknownCommand(command)
}

func (s Slide) bad() bool {
	return s.File == "" || !domain.TextFits(s.File, maxSlide) || !domain.TextFits(s.URL, maxSlide) || !domain.TextFits(s.Alt, maxSlide)
}

// astray: it shows or leads to what the shop must not.
func (s Slide) astray() bool {
	return !domain.PublicAddress(s.File) || s.URL != "" && !domain.PublicAddress(s.URL)
}

var placeholder = regexp.MustCompile(`\{[^{}]*\}`)

func checkPlaceholders(name, text string) error {
	if strings.HasPrefix(name, letterBlock) {
		return CheckLetterText(name, text)
	}
	for _, p := range placeholder.FindAllString(text, -1) {
		if !slices.Contains(Placeholders, p) {
			return ErrBadPlaceholder.With("There is no " + p + "; a text may leave to the rules " + strings.Join(Placeholders, ", ") + ".")
		}
	}
	if strings.TrimSuffix(name, Kazakh("")) == DiscountText && strings.ContainsFunc(placeholder.ReplaceAllString(text, ""), unicode.IsDigit) {
		return ErrStatesRule
	}
	return nil
}

func evolve(s State, event Event) State {
	switch e := event.(type) {
	case Changed:
		s = State{Name: e.Name, Text: e.Text, Slides: e.Slides, Source: e.Source}
	}
	return s
}
