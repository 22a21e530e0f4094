package catalog

import "shop/domain"

// BrandState is the present state of a brand. The zero value was never added.
type BrandState struct {
	ID       domain.ID
	Brand    Brand
	Archived bool
}

// Exists says whether the brand was ever added.
func (s BrandState) Exists() bool { return s.ID != domain.ID{} }

// BrandDecider is a brand.
var BrandDecider = domain.Decider[BrandCommand, BrandEvent, BrandState]{Decide: decideBrand, Evolve: evolveBrand}

func decideBrand(command BrandCommand, s BrandState) ([]BrandEvent, error) {
	switch c := command.(type) {
	case PutBrand:
		if err := firstError(checkLink(c.Brand.Link), checkName(c.Brand.Name), checkTexts(c.Brand.Description, c.Brand.DescriptionKazakh)); err != nil {
			return nil, err
		}
		switch {
		case !s.Exists() || s.Archived:
			return []BrandEvent{BrandAdded(c)}, nil
		case s.Brand.equal(c.Brand):
			return nil, nil
		}
		return []BrandEvent{BrandChanged{Brand: c.Brand, At: c.At}}, nil

	case ArchiveBrand:
		switch {
		case !s.Exists():
			return nil, ErrUnknown
		case s.Archived:
			return nil, nil
		}
		return []BrandEvent{BrandArchived(c)}, nil
	}
	return nil, domain.UnknownCommand(command)
}

func (b Brand) equal(other Brand) bool {
	same := samePicture(b.Logo, other.Logo) && samePicture(b.Picture, other.Picture)
	b.Logo, b.Picture, other.Logo, other.Picture = nil, nil, nil, nil
	return same && b == other
}

func evolveBrand(s BrandState, event BrandEvent) BrandState {
	switch e := event.(type) {
	case BrandAdded:
		s = BrandState{ID: e.ID, Brand: e.Brand}
	case BrandChanged:
		s.Brand = e.Brand
	case BrandArchived:
		s.Archived = true
	}
	return s
}
