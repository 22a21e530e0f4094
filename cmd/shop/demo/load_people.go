package demo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"io"
	"io/fs"
	"strings"

	"github.com/deepteams/webp"
	"github.com/jackc/pgx/v5"

	"shop/commands"
	"shop/commands/identity"
	"shop/commands/importer"
	"shop/domain"
	"shop/domain/customer"
	"shop/domain/review"
	"shop/web"
)

// postbox takes the letter that proves the demo customer's e-mail: nobody reads mail there.
type postbox struct{ token string }

func (p *postbox) Send(_ context.Context, _ pgx.Tx, l identity.Letter) error {
	if link, ok := l.Content.(identity.LinkLetter); ok {
		_, p.token, _ = strings.Cut(link.Path, "#")
	}
	return nil
}

// register opens a member's account. One that has a password proves its e-mail too.
func (l *loader) register(ctx context.Context, m Member) error {
	var post postbox
	l.accounts.Mail = &post
	_, id, _, err := l.accounts.Open(ctx, m.Email, m.Password, customer.Profile{
		FirstName: m.FirstName, LastName: m.LastName, Phone: m.Phone,
		City: m.City, Street: m.Street, House: m.House, Floor: m.Floor, Apartment: m.Apartment, Entrance: m.Entrance,
	})
	if err != nil {
		return err
	}
	l.members[m.Email] = id
	if m.Password != "" {
		_, err = l.accounts.Answer(commands.AsCustomer(ctx, id), identity.Answered{Token: post.token})
	}
	return err
}

func (l *loader) review(ctx context.Context, v Review) (domain.ID, error) {
	p := commands.PostReview{
		ProductID: importer.ProductID(v.Article), Rating: v.Rating, Content: v.Content,
		Author: review.Author{Name: v.FirstName, Email: strings.ToLower(v.Email), Phone: v.Phone},
	}
	if v.Member {
		p.CustomerID = l.members[v.Person.Email]
		ctx = commands.AsCustomer(ctx, p.CustomerID)
	}
	if v.Photo != "" {
		photo, err := l.snapshot(v.Photo)
		if err != nil {
			return domain.ID{}, err
		}
		p.Photos = photo
	}
	posted, _, err := l.reviews.Write(ctx, p)
	return posted.ID, err
}

// snapshot is a picture of the storefront as a shopper might send it: a part of it, as JPEG. A program without the
// storefront has none.
func (l *loader) snapshot(picture string) ([]io.ReadSeeker, error) {
	file, err := web.Dist().Open(strings.TrimPrefix(l.pictures[picture].Src, "/"))
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrInvalid) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("open picture: %w", err)
	}
	defer file.Close()
	whole, err := webp.Decode(file)
	if err != nil {
		return nil, fmt.Errorf("read picture %s: %w", picture, err)
	}
	part, ok := whole.(interface {
		SubImage(image.Rectangle) image.Image
	})
	if !ok {
		return nil, fmt.Errorf("picture %s is a %T", picture, whole)
	}
	b := whole.Bounds()
	var sent bytes.Buffer
	if err := jpeg.Encode(&sent, part.SubImage(b.Inset(b.Dx()/8)), nil); err != nil {
		return nil, fmt.Errorf("encode photo: %w", err)
	}
	return []io.ReadSeeker{bytes.NewReader(sent.Bytes())}, nil
}
