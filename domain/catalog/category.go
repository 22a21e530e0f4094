package catalog

import "shop/domain"

// ErrOwnParent: a category cannot be below itself. ErrTooDeep: categories have two levels.
var (
	ErrOwnParent = domain.Refuse("catalog/own-parent", "A category cannot be its own parent.")
	ErrTooDeep   = domain.Refuse("catalog/too-deep", "Categories have two levels: the parent must have none, and the category none below it.")
)

// CategoryState is the present state of a category. The zero value was never added.
type CategoryState struct {
	ID       domain.ID
	Category Category
	Archived bool
}

// Exists says whether the category was ever added.
func (s CategoryState) Exists() bool { return s.ID != domain.ID{} }

// CategoryDecider is a category. Putting an archived category adds it again; BrandDecider and MarkDecider likewise.
var CategoryDecider = domain.Decider[CategoryCommand, CategoryEvent, CategoryState]{Decide: decideCategory, Evolve: evolveCategory}

func decideCategory(command CategoryCommand, s CategoryState) ([]CategoryEvent, error) {
	switch c := command.(type) {
	case PutCategory:
		if c.Category.ParentID == c.ID {
			return nil, ErrOwnParent
		}
		if err := firstError(
			checkLink(c.Category.Link),
			checkName(c.Category.Name),
			checkTexts(c.Category.Description, c.Category.Placeholder),
			checkWording(c.Category.Kazakh),
		); err != nil {
			return nil, err
		}
		switch {
		case !s.Exists() || s.Archived:
			return []CategoryEvent{CategoryAdded(c)}, nil
		case s.Category.equal(c.Category):
			return nil, nil
		}
		return []CategoryEvent{CategoryChanged{Category: c.Category, At: c.At}}, nil

	case ArchiveCategory:
		switch {
		case !s.Exists():
			return nil, ErrUnknown
		case s.Archived:
			return nil, nil
		}
		return []CategoryEvent{CategoryArchived(c)}, nil
	}
	return nil, domain.UnknownCommand(command)
}

// checkWording refuses texts in Kazakh that are too long; each of them may be empty.
func checkWording(w Wording) error {
	if len([]rune(w.Name)) > maxName {
		return ErrNameTooLong
	}
	return checkTexts(w.Name, w.Description)
}

func (c Category) equal(other Category) bool {
	same := samePicture(c.Picture, other.Picture)
	c.Picture, other.Picture = nil, nil
	return same && c == other
}

func evolveCategory(s CategoryState, event CategoryEvent) CategoryState {
	switch e := event.(type) {
	case CategoryAdded:
		s = CategoryState{ID: e.ID, Category: e.Category}
	case CategoryChanged:
		s.Category = e.Category
	case CategoryArchived:
		s.Archived = true
	}
	return s
}
