package document

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"shop/domain"
)

// Limits of a document, in characters.
const (
	maxTitle = 200
	maxText  = 200_000
)

// Placeholders are filled in when a version is published.
var Placeholders = []string{"{version}", "{date}"}

// Refusals of a document; staff meet them.
var (
	ErrUnknown = domain.Refuse("document/unknown", "The documents are "+strings.Join(Names, " and ")+".")
	ErrTitle   = domain.Refuse("document/title", "A document needs a title of at most 200 characters, in one line.")
	ErrText    = domain.Refuse("document/text", "A document needs a text of at most 200000 characters.")
	// ErrPlaceholder: shoppers would see it as it is written.
	ErrPlaceholder = domain.Refuse("document/placeholder", "A document may have only "+strings.Join(Placeholders, " and ")+".")
)

// State is the present state of a document. The zero value was never published.
type State struct {
	// Version is the last version; InForce says whether it holds.
	Version string
	InForce bool
	RU, KK  Text
}

// Or is the version in force, or another when there is none.
func (s State) Or(version string) string {
	if s.InForce {
		return s.Version
	}
	return version
}

// Decider is a document.
var Decider = domain.Decider[Command, Event, State]{Decide: decide, Evolve: evolve}

func decide(command Command, s State) ([]Event, error) {
	switch c := command.(type) {
	case Publish:
		if !slices.Contains(Names, c.Name) {
			return nil, ErrUnknown
		}
		if err := check("ru", c.RU); err != nil {
			return nil, err
		}
		if c.KK != (Text{}) {
			if err := check("kk", c.KK); err != nil {
				return nil, err
			}
		}
		if s.InForce && said(s.RU) == said(c.RU) && said(s.KK) == said(c.KK) {
			return nil, nil
		}
		version := next(s.Version, c.At)
		return []Event{Published{Name: c.Name, Version: version, RU: filled(c.RU, version, c.At), KK: filled(c.KK, version, c.At), At: c.At}}, nil
	case Withdraw:
		if !s.InForce {
			return nil, nil
		}
		return []Event{Withdrawn(c)}, nil
	}
	return nil, domain.UnknownCommand(command)
}

// said is what somebody wrote: the rest follows from it.
func said(t Text) Text { return Text{Title: t.Title, Source: t.Source} }

var placeholder = regexp.MustCompile(`\{[^{}]*\}`)

// check answers the refusal of a text, with the field that it is about.
func check(language string, t Text) error {
	about := func(field string, refusal *domain.Refusal) error {
		return refusal.With(language + "." + field + ": " + refusal.Message)
	}
	switch {
	case domain.Blank(t.Title), !domain.TextFits(t.Title, maxTitle), strings.ContainsAny(t.Title, "\r\n"):
		return about("title", ErrTitle)
	case domain.Blank(t.Source), domain.Blank(t.HTML), !domain.TextFits(t.Source, maxText), !domain.TextFits(t.HTML, maxText):
		return about("source", ErrText)
	}
	for _, p := range placeholder.FindAllString(t.Source, -1) {
		if !slices.Contains(Placeholders, p) {
			return ErrPlaceholder.With(language + ".source: there is no " + p + "; " + ErrPlaceholder.Message)
		}
	}
	return nil
}

// next is the version of a publication: the day, and from the second of a day on its number. A clock that went back takes no
// version twice: the last day goes on.
func next(last string, at time.Time) string {
	day := at.In(domain.Almaty).Format(time.DateOnly)
	before, number := last, 1
	if len(last) > len(time.DateOnly) {
		before = last[:len(time.DateOnly)]
		fmt.Sscanf(last[len(time.DateOnly):], "-%d", &number) // it was made here
	}
	if last == "" || before < day {
		return day
	}
	return fmt.Sprintf("%s-%d", before, number+1)
}

func filled(t Text, version string, at time.Time) Text {
	t.HTML = strings.NewReplacer("{version}", version, "{date}", at.In(domain.Almaty).Format("02.01.2006")).Replace(t.HTML)
	return t
}

func evolve(s State, event Event) State {
	switch e := event.(type) {
	case Published:
		return State{Version: e.Version, InForce: true, RU: e.RU, KK: e.KK}
	case Withdrawn:
		s.InForce = false
	}
	return s
}
