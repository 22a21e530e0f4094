package commands

import (
	"shop/domain"
	"shop/domain/catalog"
)

// ProductID is the identifier of a new product of an article.
func ProductID(article string) domain.ID { return MadeOf("product", article) }

// ProductClaims are the claims that a new product takes.
func ProductClaims(article, link string) []Ref {
	return []Ref{ClaimStream(catalog.ArticleClaim, article), ClaimStream(catalog.ProductLinkClaim, link)}
}

// ClaimProduct takes a new product's article and link; its claims must be loaded. Of two that are added at once one is refused.
func ClaimProduct(u *Unit, id domain.ID, article, link string) error {
	for kind, value := range map[catalog.ClaimKind]string{catalog.ArticleClaim: article, catalog.ProductLinkClaim: link} {
		if err := ClaimStream(kind, value).Do(u, catalog.TakeClaim{Kind: kind, Value: value, Owner: id, At: u.At()}); err != nil {
			return err
		}
	}
	return nil
}
