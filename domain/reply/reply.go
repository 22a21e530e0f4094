package reply

import (
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"shop/domain"
)

// Stream holds all templates.
const Stream = "reply-templates"

// Bounds of templates; names and texts are in characters.
const (
	MaxTemplates = 100
	MaxName      = 60
	MaxText      = 2000
)

// Placeholders are what a text may leave to the review.
var Placeholders = []string{"{name}", "{product}"}

// Refusals of templates; staff meet them.
var (
	ErrTooMany        = domain.Refuse("reply/too-many", "Шаблонов может быть не больше ста")
	ErrBadName        = domain.Refuse("reply/bad-name", "Название шаблона — от 1 до 60 знаков, без повторов")
	ErrBadText        = domain.Refuse("reply/bad-text", "Текст шаблона — от 1 до 2000 знаков")
	ErrBadPlaceholder = domain.Refuse("reply/bad-placeholder", "В тексте можно писать только {name} и {product}")
)

// Template is a text to answer with.
type Template struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// Command asks the templates to change.
//
//sumtype:decl
type Command interface{ isCommand() }

// Keep replaces all templates, sorted by name; the same ones again add nothing.
type Keep struct {
	Templates []Template
	At        time.Time
}

func (Keep) isCommand() {}

// Event is a fact about the templates.
//
//sumtype:decl
type Event interface {
	domain.Event
	isEvent()
}

// Kept: these are the templates from now on. The event's metadata names who keeps them.
type Kept struct {
	Templates []Template `json:"templates"`
	At        time.Time  `json:"at"`
}

func (Kept) EventType() string { return "reply.templates-kept" }
func (Kept) isEvent()          {}

// State is the templates, by name. It is shared: do not change it.
type State struct{ Templates []Template }

// Decider decides about the templates.
var Decider = domain.Decider[Command, Event, State]{Decide: decide, Evolve: evolve}

var placeholder = regexp.MustCompile(`\{[^}]*\}?`)

func decide(command Command, s State) ([]Event, error) {
	c, ok := command.(Keep)
	if !ok {
		return nil, domain.UnknownCommand(command)
	}
	if len(c.Templates) > MaxTemplates {
		return nil, ErrTooMany
	}
	templates, names := []Template{}, map[string]bool{}
	for _, t := range c.Templates {
		t.Name, t.Text = strings.TrimSpace(t.Name), strings.TrimSpace(t.Text)
		switch {
		case t.Name == "" || utf8.RuneCountInString(t.Name) > MaxName || names[strings.ToLower(t.Name)]:
			return nil, ErrBadName
		case t.Text == "" || utf8.RuneCountInString(t.Text) > MaxText:
			return nil, ErrBadText
		}
		for _, found := range placeholder.FindAllString(t.Text, -1) {
			if !slices.Contains(Placeholders, found) {
				return nil, ErrBadPlaceholder
			}
		}
		names[strings.ToLower(t.Name)] = true
		templates = append(templates, t)
	}
	slices.SortFunc(templates, func(a, b Template) int { return strings.Compare(a.Name, b.Name) })
	if slices.Equal(templates, s.Templates) {
		return nil, nil
	}
	return []Event{Kept{Templates: templates, At: c.At}}, nil
}

func evolve(s State, event Event) State {
	if e, ok := event.(Kept); ok {
		s.Templates = e.Templates
	}
	return s
}
