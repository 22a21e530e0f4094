package blog

import (
	"context"
	"fmt"

	"shop/commands"
	"shop/commands/importer/markup"
	"shop/domain"
	"shop/domain/post"
	"shop/eventstore"
)

// Posts publishes the blog. Its methods answer whether anything was, or with DryRun would be, other than before.
type Posts struct {
	Handler *commands.Handler
	Log     commands.LogReader
	// DryRun decides everything and writes nothing.
	DryRun bool
	// Would is told what a dry run would change: the post as it is, and its article then; nil: it would be out of sight. Nil: nobody asks.
	Would func(is post.State, article *post.Article)
	// Write carries out what was decided instead of an append of its own: the post has the article from now on, nil: it is out of sight. It
	// says whether anything is, or will be, other than before. Nil: it is appended.
	Write func(ctx context.Context, post domain.ID, article *post.Article) (bool, error)
	// Store keeps the pictures that an article names as files, before it goes in the log. Those of an article that is refused go
	// with the next sweep. Nil: there are none.
	Store func(ctx context.Context, post domain.ID) error
}

// Publish puts an article in sight. The post that has its link, also one out of sight, becomes it.
func (p *Posts) Publish(ctx context.Context, article post.Article) (bool, error) {
	links, err := p.links(ctx)
	if err != nil {
		return false, err
	}
	id, known := links.Owner(article.Link)
	if !known {
		id = postID(article.Link)
		if links.LinkOf(id) != "" {
			id = p.Handler.NewID() // the first post of this link goes by another now
		}
	}
	return p.do(ctx, id, &article, func(u *commands.Unit) post.Command {
		return post.Publish{ID: id, Article: sanitised(article), At: u.At()}
	})
}

// Change replaces the published post of a link, which may get another by it.
func (p *Posts) Change(ctx context.Context, link string, article post.Article) (bool, error) {
	links, err := p.links(ctx)
	if err != nil {
		return false, err
	}
	id, _ := links.Owner(link)
	other, taken := links.Owner(article.Link)
	return p.do(ctx, id, &article, func(u *commands.Unit) post.Command {
		return post.Change{Article: sanitised(article), LinkTaken: taken && other != id, At: u.At()}
	})
}

// Unpublish takes the post of a link out of sight.
func (p *Posts) Unpublish(ctx context.Context, link string) (bool, error) {
	links, err := p.links(ctx)
	if err != nil {
		return false, err
	}
	id, _ := links.Owner(link)
	return p.do(ctx, id, nil, func(u *commands.Unit) post.Command { return post.Unpublish{At: u.At()} })
}

// do carries out a command that gives a post an article, or nil.
func (p *Posts) do(ctx context.Context, id domain.ID, article *post.Article, command func(u *commands.Unit) post.Command) (bool, error) {
	if p.DryRun || p.Write != nil {
		would, err := commands.WouldChange(ctx, p.Handler, commands.PostStream(id), command)
		if err == nil && would && p.DryRun && p.Would != nil {
			err = p.tell(ctx, id, article)
		}
		if err != nil || p.DryRun || !would {
			return would, err
		}
	}
	if p.Store != nil && article != nil {
		if err := p.Store(ctx, id); err != nil {
			return false, err
		}
	}
	if p.Write != nil {
		return p.Write(ctx, id, article)
	}
	position, err := commands.Change(ctx, p.Handler, commands.PostStream(id), command)
	return position > 0, err
}

// tell says what a dry run would make of a post. An article without a date keeps the one that the post has.
func (p *Posts) tell(ctx context.Context, id domain.ID, article *post.Article) error {
	is, err := commands.See(ctx, p.Handler, commands.PostStream(id))
	if err != nil {
		return fmt.Errorf("see the post as it is: %w", err)
	}
	if article != nil {
		then := sanitised(*article)
		if then.PublishedAt.IsZero() {
			then.PublishedAt = is.Article.PublishedAt
		}
		article = &then
	}
	p.Would(is, article)
	return nil
}

// sanitised keeps what is not safe out of the log, whoever wrote the article.
func sanitised(a post.Article) post.Article {
	a.HTML = markup.Sanitise(a.HTML)
	return a
}

// postID is the identifier of the first post of a link, so that two who publish it at once publish one.
func postID(link string) domain.ID {
	return commands.MadeOf("post", link)
}

// links learns from the log which post has which link.
func (p *Posts) links(ctx context.Context) (commands.LinkBook, error) {
	links := commands.NewLinkBook()
	q := eventstore.Query{Range: -1, Limit: commands.NamesPage, Types: []string{post.Published{}.EventType(), post.Changed{}.EventType()}}
	for {
		events, err := p.Log.Read(ctx, q)
		if err != nil {
			return links, fmt.Errorf("read the posts' links: %w", err)
		}
		for _, event := range events {
			switch e := event.Data.(type) {
			case post.Published:
				links.Set(e.ID, e.Article.Link)
			case post.Changed:
				links.Set(e.ID, e.Article.Link)
			}
		}
		if len(events) < commands.NamesPage {
			return links, nil
		}
		q.After = events[len(events)-1].Position
	}
}
