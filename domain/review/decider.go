package review

import (
	"strings"

	"shop/domain"
)

// Limits of a review. MaxPhotos is shown to shoppers; the others keep pages readable, in characters.
const (
	MaxPhotos  = 6
	maxName    = 60
	maxContent = 5_000
	maxContact = 254
)

// Refusals of review commands; shoppers meet those in Russian.
var (
	ErrNoName     = domain.Refuse("review/no-name", "Введите имя: до 60 символов")
	ErrNoContact  = domain.Refuse("review/no-contact", "Укажите e-mail и телефон")
	ErrBadRating  = domain.Refuse("review/bad-rating", "Поставьте оценку от 1 до 5")
	ErrNoContent  = domain.Refuse("review/no-content", "Напишите отзыв: до 5000 символов")
	ErrManyPhotos = domain.Refuse("review/many-photos", "К отзыву можно добавить не больше 6 фотографий")
	ErrSamePhoto  = domain.Refuse("review/same-photo", "A photo is there twice, or has no id.")

	ErrUnknown  = domain.Refuse("review/unknown", "Отзыв не найден")
	ErrExists   = domain.Refuse("review/exists", "Отзыв уже отправлен")
	ErrBadReply = domain.Refuse("review/bad-reply", "A reply may have 5000 characters.")
	ErrNoReason = domain.Refuse("review/no-reason", "Say in up to 5000 characters why the review is hidden.")
)

// State is the present state of a review. The zero value was never posted.
type State struct {
	ID        domain.ID
	ProductID domain.ID
	Rating    int64
	PhotoIDs  []domain.ID
	// Reply is the shop's; empty when there is none.
	Reply string
	// Pending waits for staff, Hidden was taken out of sight; at most one of them.
	Pending bool
	Hidden  bool
	// Forgotten: author and text are gone.
	Forgotten bool
}

// Exists says whether the review was posted.
func (s State) Exists() bool { return s.ID != domain.ID{} }

// Shown says whether shoppers see the review and its rating counts.
func (s State) Shown() bool { return s.Exists() && !s.Pending && !s.Hidden }

// Decider is a review.
var Decider = domain.Decider[Command, Event, State]{Decide: decide, Evolve: evolve}

func decide(command Command, s State) ([]Event, error) {
	if posted, ok := command.(Post); ok {
		return decidePost(posted, s)
	}
	if imported, ok := command.(Import); ok {
		return decideImport(imported, s)
	}
	if !s.Exists() {
		return nil, ErrUnknown
	}
	switch c := command.(type) {
	case Post, Import: // decided above, where there is no review yet
	case Answer:
		text := strings.TrimSpace(c.Text)
		switch {
		case !domain.TextFits(text, maxContent):
			return nil, ErrBadReply
		case text == s.Reply:
			return nil, nil
		}
		return []Event{Answered{ID: s.ID, ProductID: s.ProductID, Text: text, At: c.At}}, nil
	case Hide:
		switch {
		case domain.Blank(c.Reason) || !domain.TextFits(c.Reason, maxContent):
			return nil, ErrNoReason
		case s.Hidden:
			return nil, nil
		}
		return []Event{Hidden{ID: s.ID, ProductID: s.ProductID, Reason: c.Reason, At: c.At}}, nil
	case Show:
		if s.Shown() {
			return nil, nil
		}
		return []Event{Shown{ID: s.ID, ProductID: s.ProductID, At: c.At}}, nil
	case RemovePhotos:
		if len(s.PhotoIDs) == 0 {
			return nil, nil
		}
		return []Event{PhotosRemoved{ID: s.ID, ProductID: s.ProductID, PhotoIDs: s.PhotoIDs, At: c.At}}, nil
	case Forget:
		if s.Forgotten {
			return nil, nil
		}
		return []Event{Forgotten{ID: s.ID, ProductID: s.ProductID, At: c.At}}, nil
	}
	return nil, domain.UnknownCommand(command)
}

func decidePost(c Post, s State) ([]Event, error) {
	switch {
	case s.Exists():
		return nil, ErrExists
	case domain.Blank(c.Author.Name) || !domain.TextFits(c.Author.Name, maxName):
		return nil, ErrNoName
	case badContact(c.Author.Email) || badContact(c.Author.Phone):
		return nil, ErrNoContact
	case c.Rating < 1 || c.Rating > 5:
		return nil, ErrBadRating
	case domain.Blank(c.Content) || !domain.TextFits(c.Content, maxContent):
		return nil, ErrNoContent
	case len(c.PhotoIDs) > MaxPhotos:
		return nil, ErrManyPhotos
	}
	seen := map[domain.ID]bool{{}: true}
	for _, photo := range c.PhotoIDs {
		if seen[photo] {
			return nil, ErrSamePhoto
		}
		seen[photo] = true
	}
	return []Event{Posted{
		ID: c.ID, ProductID: c.ProductID, CustomerID: c.CustomerID, PersonID: c.PersonID, Author: c.Author,
		Rating: c.Rating, Content: c.Content, PhotoIDs: c.PhotoIDs, Pending: c.Moderated, At: c.At,
	}}, nil
}

func decideImport(c Import, s State) ([]Event, error) {
	switch {
	case s.Exists():
		return nil, nil
	case c.Rating < 1 || c.Rating > 5:
		return nil, ErrBadRating
	case !domain.TextFits(c.Content, maxContent):
		return nil, ErrNoContent
	}
	return []Event{Posted{ID: c.ID, ProductID: c.ProductID, PersonID: c.PersonID, Rating: c.Rating, Content: c.Content, At: c.At}}, nil
}

// badContact leaves the shape of e-mails and phones to the form that took them.
func badContact(contact string) bool {
	return domain.Blank(contact) || !domain.TextFits(contact, maxContact)
}

func evolve(s State, event Event) State {
	switch e := event.(type) {
	case Posted:
		s = State{ID: e.ID, ProductID: e.ProductID, Rating: e.Rating, PhotoIDs: e.PhotoIDs, Pending: e.Pending}
	case Answered:
		s.Reply = e.Text
	case Hidden:
		s.Pending, s.Hidden = false, true
	case Shown:
		s.Pending, s.Hidden = false, false
	case PhotosRemoved:
		s.PhotoIDs = nil
	case Forgotten:
		s.Forgotten = true
	}
	return s
}
