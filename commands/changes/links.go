package changes

import (
	"context"
	"encoding/json"

	"shop/commands"
	"shop/domain"
	"shop/domain/catalog"
)

// Links says which entries the read side knows by links. Claims know it too, but for entries that are older than claims.
type Links interface {
	// LinksTaken are the owners of those of the links that a category, brand or post has.
	LinksTaken(ctx context.Context, thing string, links []string) (map[string]domain.ID, error)
}

// linked are things that shoppers find by a link, with the claim on it.
var linked = map[string]catalog.ClaimKind{"category": catalog.CategoryLinkClaim, "brand": catalog.BrandLinkClaim, "post": catalog.PostLinkClaim}

// linkOf is the link that an item gives to a thing; empty: none.
func linkOf(a Asked) (link string) {
	if linked[a.Thing] == "" {
		return ""
	}
	if a.Field == "link" {
		json.Unmarshal(a.Now, &link) // what is no text is refused later
		return link
	}
	var whole struct {
		Link string `json:"link"`
	}
	json.Unmarshal(a.Now, &whole)
	return whole.Link
}

// taken marks the items whose link is another thing's, by one question for each kind of things.
func (c *Changes) taken(ctx context.Context, items []Asked) (map[int]bool, error) {
	taken := map[int]bool{}
	if c.Links == nil {
		return taken, nil
	}
	links := map[string][]string{}
	for _, a := range items {
		if link := linkOf(a); link != "" {
			links[a.Thing] = append(links[a.Thing], link)
		}
	}
	for thing, asked := range links {
		owners, err := c.Links.LinksTaken(ctx, thing, asked)
		if err != nil {
			return nil, err
		}
		for i, a := range items {
			owner, known := owners[linkOf(a)]
			taken[i] = taken[i] || known && a.Thing == thing && owner.String() != a.ID
		}
	}
	return taken, nil
}

// claim takes a link for a thing, and gives back the one that it had, in the append of the change: of two people who give one
// link to two things at once, one is refused.
func claim(u *commands.Unit, of catalog.ClaimKind, owner domain.ID, from, to string) error {
	next := commands.ClaimStream(of, to)
	if err := u.Load(next); err != nil {
		return err
	}
	if err := next.Do(u, catalog.TakeClaim{Kind: of, Value: to, Owner: owner, At: u.At()}); err != nil {
		return err
	}
	if from == "" || from == to {
		return nil
	}
	last := commands.ClaimStream(of, from)
	if err := u.Load(last); err != nil {
		return err
	}
	return last.Do(u, catalog.FreeClaim{Owner: owner, At: u.At()})
}
