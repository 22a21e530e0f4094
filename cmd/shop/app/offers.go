package app

import (
	"context"

	"shop/commands/importer/catalogfile"
	"shop/readapi"
)

// WriteOffers writes offers as rows of a catalog file.
func WriteOffers(ctx context.Context, offers readapi.Offers, open func(readapi.Head) (catalogfile.Writer, error), row func(readapi.Offer) catalogfile.Row) error {
	var file catalogfile.Writer
	err := offers.Each(ctx, func(head readapi.Head) (err error) {
		file, err = open(head)
		return err
	}, func(o readapi.Offer) error { return file.Write(row(o)) })
	if err != nil {
		return err
	}
	return file.Close()
}

// RowOf is an offer as a row; of stock and archive it says nothing.
func RowOf(o readapi.Offer) catalogfile.Row {
	r := catalogfile.Row{
		Article: o.Article, Name: o.Name, Link: o.Link, Brand: o.Brand, CategoryPath: o.Category, Price: o.Price,
		Description: o.Description, Composition: o.Composition, Expires: o.Expires, ApplyMethod: o.ApplyMethod,
		PackageSize: o.PackageSize, MadeIn: o.MadeIn, Marks: o.Marks, Pictures: o.Pictures,
	}
	if o.DiscountedPrice < o.Price {
		r.DiscountPrice = o.DiscountedPrice
	}
	return r
}
