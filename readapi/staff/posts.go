package staff

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"shop/readapi"
)

// PostLine is a post of the blog in a list.
type PostLine struct {
	ID        uuid.UUID `json:"id"`
	Link      string    `json:"link"`
	Title     string    `json:"title"`
	Published bool      `json:"published"`
	CreatedAt time.Time `json:"created_at"`
	UpdatedAt time.Time `json:"updated_at"`
}

// PostText is a post with what it says.
type PostText struct {
	PostLine
	Description string  `json:"description"`
	Image       *string `json:"image"`
	Alt         string  `json:"alt"`
	Content     string  `json:"content"`
}

// Posts lists the blog's posts, also those out of sight, newest first.
func (s Shop) Posts(ctx context.Context, limit, offset int) ([]PostLine, error) {
	rows, err := s.DB.Query(ctx, `SELECT id, link, title, published, published_at AS created_at, updated_at
		FROM posts.post ORDER BY published_at DESC, id DESC LIMIT $1 OFFSET $2`, limit, offset)
	if err != nil {
		return nil, fmt.Errorf("list posts: %w", err)
	}
	return pgx.CollectRows(rows, pgx.RowToStructByName[PostLine])
}

// Post finds a post by its link; ErrNotFound without one.
func (s Shop) Post(ctx context.Context, link string) (PostText, error) {
	rows, err := s.DB.Query(ctx, `SELECT id, link, title, published, published_at AS created_at, updated_at,
		excerpt AS description, nullif(picture, '') AS image, alt, html AS content FROM posts.post WHERE link = $1 ORDER BY published DESC, published_at DESC LIMIT 1`, link)
	if err != nil {
		return PostText{}, fmt.Errorf("read post %s: %w", link, err)
	}
	found, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByName[PostText])
	if errors.Is(err, pgx.ErrNoRows) {
		return PostText{}, readapi.ErrNotFound
	}
	return found, err
}
