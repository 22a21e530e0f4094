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
	"shop/commands/importer"
	"shop/commands/importer/pagefile"
	"shop/domain"
	"shop/domain/catalog"
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
			"used is reported with its line and field, and the other files are published; the exit status is then 1.",
		Example: "  shop posts publish blog/*.md --dry-run",
	}
	dryRun := command.DryRunFlag(cmd)
	cmd.RunE = command.WithShop(w, func(ctx context.Context, s *app.Shop, _ *cobra.Command, args []string) error {
		refused := 0
		for _, name := range args {
			p, changed := pagefile.Post{}, false
			err := withPost(ctx, s, name, *dryRun, func(read pagefile.Post, posts *blog.Posts) (err error) {
				p = read
				changed, err = posts.Publish(ctx, p.Article)
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
			fmt.Fprintf(w.Stdout, "%s: %s\n", p.Article.Link, command.Outcome("published", changed, *dryRun))
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
	dryRun := command.DryRunFlag(cmd)
	cmd.RunE = command.WithShop(w, func(ctx context.Context, s *app.Shop, _ *cobra.Command, args []string) error {
		return withPost(ctx, s, args[1], *dryRun, func(p pagefile.Post, posts *blog.Posts) error {
			changed, err := posts.Change(ctx, args[0], p.Article)
			if err != nil {
				return p.Blame(err)
			}
			_, err = fmt.Fprintf(w.Stdout, "%s: %s\n", p.Article.Link, command.Outcome("changed", changed, *dryRun))
			return err
		})
	})
	return cmd
}

func postsUnpublish(w terminal.World) *cobra.Command {
	cmd := &cobra.Command{Use: "unpublish LINK", Short: "Hide a post", Args: cobra.ExactArgs(1)}
	dryRun := command.DryRunFlag(cmd)
	cmd.RunE = command.WithShop(w, func(ctx context.Context, s *app.Shop, _ *cobra.Command, args []string) error {
		changed, err := posts(s, *dryRun).Unpublish(ctx, args[0])
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(w.Stdout, "%s: %s\n", args[0], command.Outcome("unpublished", changed, *dryRun))
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

// posts are the commands about the blog.
func posts(s *app.Shop, dryRun bool) *blog.Posts {
	return &blog.Posts{Handler: s.Handler, Log: s.Store, DryRun: dryRun}
}

// withPost reads the post of a file and hands it over with commands that know the pictures beside it.
func withPost(ctx context.Context, s *app.Shop, name string, dryRun bool, do func(pagefile.Post, *blog.Posts) error) error {
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
	posts := posts(s, dryRun)
	posts.Store = func(ctx context.Context, post domain.ID) error {
		for _, name := range p.Files {
			if _, err := files.Store(ctx, post, name); err != nil {
				return err
			}
		}
		return nil
	}
	return do(p, posts)
}
