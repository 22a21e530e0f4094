package catalog

import "shop/domain"

// MarkState is the present state of a mark. The zero value was never added.
type MarkState struct {
	ID       domain.ID
	Mark     Mark
	Archived bool
}

// Exists says whether the mark was ever added.
func (s MarkState) Exists() bool { return s.ID != domain.ID{} }

// MarkDecider is a mark.
var MarkDecider = domain.Decider[MarkCommand, MarkEvent, MarkState]{Decide: decideMark, Evolve: evolveMark}

func decideMark(command MarkCommand, s MarkState) ([]MarkEvent, error) {
	switch c := command.(type) {
	case PutMark:
		if err := firstError(checkName(c.Mark.Name), checkTexts(c.Mark.Description), checkWording(c.Mark.Kazakh)); err != nil {
			return nil, err
		}
		switch {
		case !s.Exists() || s.Archived:
			return []MarkEvent{MarkAdded(c)}, nil
		case s.Mark.equal(c.Mark):
			return nil, nil
		}
		return []MarkEvent{MarkChanged{Mark: c.Mark, At: c.At}}, nil

	case ArchiveMark:
		switch {
		case !s.Exists():
			return nil, ErrUnknown
		case s.Archived:
			return nil, nil
		}
		return []MarkEvent{MarkArchived(c)}, nil
	}
	return nil, domain.UnknownCommand(command)
}

func (m Mark) equal(other Mark) bool {
	same := samePicture(m.Picture, other.Picture)
	m.Picture, other.Picture = nil, nil
	return same && m == other
}

func evolveMark(s MarkState, event MarkEvent) MarkState {
	switch e := event.(type) {
	case MarkAdded:
		s = MarkState{ID: e.ID, Mark: e.Mark}
	case MarkChanged:
		s.Mark = e.Mark
	case MarkArchived:
		s.Archived = true
	}
	return s
}
