package catalog

import (
	"time"

	"shop/domain"
)

// ClaimKind is what a claim is on: no two entries of the catalog may have one.
type ClaimKind string

const (
	ArticleClaim      ClaimKind = "article"
	ProductLinkClaim  ClaimKind = "product-link"
	CategoryLinkClaim ClaimKind = "category-link"
	BrandLinkClaim    ClaimKind = "brand-link"
	PostLinkClaim     ClaimKind = "post-link"
)

// ClaimStream names the stream of a claim on a value; of is the value's id, as any text can be an article.
func ClaimStream(kind ClaimKind, of domain.ID) string {
	return "claim-" + string(kind) + "-" + of.String()
}

// ClaimTaken gave a value to an entry of the catalog, ClaimFreed took it back.
type ClaimTaken struct {
	Kind  ClaimKind `json:"kind"`
	Value string    `json:"value"`
	Owner domain.ID `json:"owner"`
	At    time.Time `json:"at"`
}
type ClaimFreed struct {
	At time.Time `json:"at"`
}

// ClaimEvent is a fact about a claim.
//
//sumtype:decl
type ClaimEvent interface {
	domain.Event
	isClaimEvent()
}

func (ClaimTaken) EventType() string { return "claim.taken" }
func (ClaimFreed) EventType() string { return "claim.freed" }
func (ClaimTaken) isClaimEvent()     {}
func (ClaimFreed) isClaimEvent()     {}

// ClaimCommand asks for a value, or gives it back.
//
//sumtype:decl
type ClaimCommand interface{ isClaimCommand() }

// TakeClaim gives a value to an entry; what it has already adds nothing.
type TakeClaim struct {
	Kind  ClaimKind
	Value string
	Owner domain.ID
	At    time.Time
}

// FreeClaim gives a value of an entry back; of another's it does nothing.
type FreeClaim struct {
	Owner domain.ID
	At    time.Time
}

func (TakeClaim) isClaimCommand() {}
func (FreeClaim) isClaimCommand() {}

// Refusals of what is taken.
var (
	ErrArticleTaken = domain.Refuse("catalog/article-taken", "Another product has this article.")
	ErrLinkTaken    = domain.Refuse("catalog/link-taken", "Another entry of the catalog has this link.")
)

// ClaimState says whose a value is. The zero value is nobody's, and so is a value of an entry that is older than claims.
type ClaimState struct{ Owner domain.ID }

// ClaimDecider is a claim on a value.
var ClaimDecider = domain.Decider[ClaimCommand, ClaimEvent, ClaimState]{Decide: decideClaim, Evolve: evolveClaim}

func decideClaim(command ClaimCommand, s ClaimState) ([]ClaimEvent, error) {
	switch c := command.(type) {
	case TakeClaim:
		switch {
		case s.Owner == c.Owner:
			return nil, nil
		case s.Owner == (domain.ID{}):
			return []ClaimEvent{ClaimTaken(c)}, nil
		case c.Kind == ArticleClaim:
			return nil, ErrArticleTaken
		}
		return nil, ErrLinkTaken
	case FreeClaim:
		if s.Owner != c.Owner || s.Owner == (domain.ID{}) {
			return nil, nil
		}
		return []ClaimEvent{ClaimFreed{At: c.At}}, nil
	}
	return nil, domain.UnknownCommand(command)
}

func evolveClaim(s ClaimState, event ClaimEvent) ClaimState {
	switch e := event.(type) {
	case ClaimTaken:
		s.Owner = e.Owner
	case ClaimFreed:
		s.Owner = domain.ID{}
	}
	return s
}
