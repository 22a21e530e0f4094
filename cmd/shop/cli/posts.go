package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"shop/cmd/shop/app"
	"shop/cmd/shop/cli/command"
	"shop/cmd/shop/images"
	"shop/cmd/shop/terminal"
	"shop/commands/blog"
	"shop/commands/changes"
	"shop/commands/importer"
	"shop/commands/importer/pagefile"
	"shop/domain"
	"shop/domain/catalog"
	"shop/domain/post"
	"shop/readapi"
	"shop/readapi/staff"
)

func postsCommand(w terminal.World) *cobra.Command {
	return command.Group("posts", "Publish the blog from Markdown files", postsPublish(w), postsChange(w), postsUnpublish(w), postsList(w), postsShow(w))
}

func postsPublish(w terminal.World) *cobra.Command {
	cmd := &cobra.Command{
		Use: "publish FILE.md...", Short: "Publish posts, or change published ones to match their files", Args: cobra.MinimumNArgs(1),
		Long: "Publish posts from Markdown files with front matter (docs/content.md). The link identifies a post; it is the file's name unless the\n" +
			"file says another. An unchanged post appends nothing, so a folder of files may be published repeatedly. A file that cannot be\n" +
			"used is reported with its line and field, and the other files are published; the exit status is then 1. With --at the pictures\n" +
			"beside a file are kept from now on, as they are now, and stay in the album when the change is cancelled.",
		Example: "  shop posts publish blog/*.md --dry-run\n  shop posts publish spring.md --at 2026-12-01T09:00 --reason \"The spring sale\"",
	}
	how := howFlags(cmd)
	cmd.RunE = command.WithShop(w, func(ctx context.Context, s *app.Shop, _ *cobra.Command, args []string) error {
		refused := 0
		for _, name := range args {
			became := ""
			err := withPost(ctx, s, w, name, how, "publish", func(p pagefile.Post, posts *blogOf) error {
				changed, err := posts.Publish(ctx, p.Article)
				became = posts.outcome(p.Article.Link, "published", changed)
				return p.Blame(err)
			})
			var wrong *pagefile.Error
			if errors.As(err, &wrong) {
				refused++
				fmt.Fprintln(w.Stderr, terminal.OneLine(wrong.Error()))
				continue
			}
			if err != nil {
				return err
			}
			fmt.Fprint(w.Stdout, became)
		}
		if refused > 0 {
			return fmt.Errorf("%d of %d files were refused", refused, len(args))
		}
		return nil
	})
	return cmd
}

func postsChange(w terminal.World) *cobra.Command {
	cmd := &cobra.Command{
		Use: "change LINK FILE.md", Short: "Change the published post of a link to match a file, including its link", Args: cobra.ExactArgs(2),
		Example: "  shop posts change spf-v-gorode spf-letom.md",
	}
	how := howFlags(cmd)
	cmd.RunE = command.WithShop(w, func(ctx context.Context, s *app.Shop, _ *cobra.Command, args []string) error {
		return withPost(ctx, s, w, args[1], how, "change", func(p pagefile.Post, posts *blogOf) error {
			changed, err := posts.Change(ctx, args[0], p.Article)
			if err != nil {
				return p.Blame(err)
			}
			_, err = fmt.Fprint(w.Stdout, posts.outcome(p.Article.Link, "changed", changed))
			return err
		})
	})
	return cmd
}

func postsUnpublish(w terminal.World) *cobra.Command {
	cmd := &cobra.Command{Use: "unpublish LINK", Short: "Hide a post", Args: cobra.ExactArgs(1)}
	how := howFlags(cmd)
	cmd.RunE = command.WithShop(w, func(ctx context.Context, s *app.Shop, _ *cobra.Command, args []string) error {
		posts := posts(s, w, how, "unpublish", args[0])
		changed, err := posts.Unpublish(ctx, args[0])
		if err != nil {
			return err
		}
		_, err = fmt.Fprint(w.Stdout, posts.outcome(args[0], "unpublished", changed))
		return err
	})
	return cmd
}

func postsList(w terminal.World) *cobra.Command {
	cmd := &cobra.Command{Use: "list", Short: "List the posts, newest first, hidden ones too", Args: cobra.NoArgs}
	format := command.FormatFlag(cmd)
	limit, offset := command.PageFlags(cmd, 1000)
	cmd.PreRunE = func(*cobra.Command, []string) error { return command.CheckPage(*limit, *offset) }
	cmd.RunE = command.WithShop(w, func(ctx context.Context, s *app.Shop, _ *cobra.Command, _ []string) error {
		if err := s.CatchUp(ctx, w, "posts"); err != nil {
			return err
		}
		rows, err := staff.Shop{DB: s.Pool}.Posts(ctx, *limit, *offset)
		if err != nil {
			return err
		}
		return terminal.WriteList(w.Stdout, *format, rows,
			terminal.Left("DATE", func(p staff.PostLine) string { return terminal.Moment(p.CreatedAt) }),
			terminal.Left("LINK", func(p staff.PostLine) string { return p.Link }),
			terminal.Left("PUBLISHED", func(p staff.PostLine) string { return command.YesNo(p.Published) }),
			terminal.Left("TITLE", func(p staff.PostLine) string { return p.Title }),
		)
	})
	return cmd
}

func postsShow(w terminal.World) *cobra.Command {
	cmd := &cobra.Command{Use: "show LINK", Short: "Show a post with its HTML", Args: cobra.ExactArgs(1)}
	format := command.FormatFlag(cmd)
	cmd.RunE = command.WithShop(w, func(ctx context.Context, s *app.Shop, _ *cobra.Command, args []string) error {
		if err := s.CatchUp(ctx, w, "posts"); err != nil {
			return err
		}
		p, err := staff.Shop{DB: s.Pool}.Post(ctx, args[0])
		if errors.Is(err, readapi.ErrNotFound) {
			return fmt.Errorf("there is no post %s", args[0])
		}
		if err != nil {
			return err
		}
		if *format == "json" {
			return terminal.WriteIndented(w.Stdout, p)
		}
		image := "-"
		if p.Image != nil {
			image = *p.Image
		}
		fmt.Fprintf(w.Stdout, "%s\n%s  published %s  %s\nimage %s\n%s\n\n", terminal.OneLine(p.Title), p.Link, command.YesNo(p.Published), terminal.Moment(p.CreatedAt), terminal.OneLine(image), terminal.OneLine(p.Description))
		for line := range strings.Lines(p.Content) {
			fmt.Fprintln(w.Stdout, terminal.OneLine(strings.TrimSuffix(line, "\n")))
		}
		return nil
	})
	return cmd
}

// blogOf are the commands about the blog, each of which makes a change.
type blogOf struct {
	blog.Posts
	// became is what became of the last change, would what a dry run would change.
	became said
	would  []string
}

// posts are those of a subcommand about a post, which people call by a link.
func posts(s *app.Shop, w terminal.World, how how, verb, link string) *blogOf {
	b := &blogOf{Posts: blog.Posts{Handler: s.Handler, Log: s.Store, DryRun: *how.dryRun}}
	b.Would = func(is post.State, article *post.Article) { b.would = postDifferences(is, article) }
	b.Write = func(ctx context.Context, id domain.ID, article *post.Article) (bool, error) {
		var now *changes.Article
		if article != nil {
			now = changes.ArticleAs(*article)
		}
		item, err := ask("post", id.String(), "article", nil, now)
		if err != nil {
			return false, err
		}
		b.became, err = how.propose(ctx, s, w, "shop posts "+verb+": "+link, item)
		return b.became.changed, err
	}
	return b
}

// outcome says what became of a command about a link, which answered whether anything is other than before.
func (b *blogOf) outcome(link, done string, changed bool) string {
	became := b.became
	became.changed = changed
	said := link + ": " + became.outcome(done, b.DryRun) + "\n"
	for _, line := range b.would {
		said += "  " + terminal.OneLine(line) + "\n"
	}
	return said
}

// withPost reads the post of a file and hands it over with commands that know the pictures beside it.
func withPost(ctx context.Context, s *app.Shop, w terminal.World, name string, how how, verb string, do func(pagefile.Post, *blogOf) error) error {
	text, err := terminal.ReadText(name)
	if err != nil {
		return err
	}
	pictures, err := images.Pictures()
	if err != nil {
		return err
	}
	folder, err := os.OpenRoot(filepath.Dir(name))
	if err != nil {
		return err
	}
	defer folder.Close()
	files := &importer.PictureFiles{Folder: folder, Album: s.Album}
	p, err := pagefile.ReadPost(filepath.Base(name), text, pictures, func(name string) (catalog.Picture, error) { return files.Look(ctx, name) })
	if err != nil {
		return err
	}
	posts := posts(s, w, how, verb, p.Article.Link)
	posts.Store = func(ctx context.Context, post domain.ID) error {
		files.Kept = !how.at.IsZero() // nothing shows them yet
		for _, name := range p.Files {
			if _, err := files.Store(ctx, post, name); err != nil {
				return err
			}
		}
		return nil
	}
	return do(p, posts)
}
