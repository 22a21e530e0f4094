package main

import (
	"context"
	"errors"
	"fmt"
	netmail "net/mail"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"shop/commands"
	"shop/commands/mail"
	"shop/commands/policies"
	"shop/domain"
	"shop/domain/catalog"
	"shop/eventstore/feed"
)

// links are the shop's signed links.
func (s *shop) links(ctx context.Context) (mail.Links, error) {
	key, err := secret(ctx, s.pool, "links")
	return mail.Links{PublicURL: s.config.PublicURL, Key: key}, err
}

// outbox is where letters wait.
func (s *shop) outbox(ctx context.Context) (*mail.Outbox, error) {
	key, err := secret(ctx, s.pool, "mails")
	if err != nil {
		return nil, err
	}
	return mail.NewOutbox(s.pool, key, s.clock)
}

// renderer writes letters as the configuration has it.
func (c config) renderer(links mail.Links) *mail.Renderer {
	from := c.MailFrom
	if from == "" {
		from = (&netmail.Address{Name: c.Contact.Name, Address: c.Contact.Email}).String()
	}
	return &mail.Renderer{
		Links: links, From: from, ReplyTo: c.Contact.Email,
		Shop: mail.Shop{
			Name: c.Contact.Name, Email: c.Contact.Email, Phone: c.Contact.Phone, Hours: c.Contact.Hours, LegalName: c.Contact.LegalName,
			RegistrationNumber: c.Contact.RegistrationNumber, Address: c.Contact.Address, SocialName: c.Contact.SocialName, SocialURL: c.Contact.SocialURL,
		},
	}
}

// letterFolder is where letters are files; they may be there from before there was a mail server.
func (c config) letterFolder() mail.Folder {
	return mail.Folder{Path: filepath.Join(c.DataDir, "mail"), Kept: c.MailKept}
}

// sweepLetters removes old ones from the folder until ctx ends.
func (s *shop) sweepLetters(ctx context.Context) {
	s.config.letterFolder().Run(ctx, min(time.Hour, s.config.MailKept), s.log)
}

// transport is a mail server, or a folder without one.
func (c config) transport() (mail.Transport, error) {
	if c.SMTPURL == "" || c.SMTPURL == lettersInFolder {
		return c.letterFolder(), nil
	}
	return mail.NewSMTP(c.SMTPURL)
}

// mailing puts on the feed what makes letters of events, and what sends them.
func (s *shop) mailing(ctx context.Context) (func(*feed.Feed), error) {
	links, err := s.links(ctx)
	if err != nil {
		return nil, err
	}
	outbox, err := s.outbox(ctx)
	if err != nil {
		return nil, err
	}
	transport, err := s.config.transport()
	if err != nil {
		return nil, fmt.Errorf("SHOP_SMTP_URL: %w", err)
	}
	since, err := outbox.Started(ctx)
	if err != nil {
		return nil, err
	}
	policy := policies.Mails{Log: s.store, Outbox: outbox, Links: links, Since: since, Clock: s.clock}
	worker := &mail.Worker{Outbox: outbox, Composer: policy, Renderer: s.config.renderer(links), Transport: transport, Rate: s.config.MailRate, Logger: s.log}
	worker.Observe()
	return func(consumers *feed.Feed) {
		consumers.Add(policy.Consumer())
		consumers.AddJob("send-mails", worker.Run)
	}, nil
}

// unsubscription is the page that links in letters lead to.
func (s *shop) unsubscription(ctx context.Context) (mail.Unsubscription, error) {
	links, err := s.links(ctx)
	return mail.Unsubscription{Links: links, Shop: s.config.Contact.Name, Unsubscribe: s.leaveRestock}, err
}

// leaveRestock answers a link that the shop gave out, so also when its product is not there.
func (s *shop) leaveRestock(ctx context.Context, product, customer domain.ID) error {
	_, err := s.restock().Leave(commands.AsCustomer(ctx, customer), product, customer)
	if errors.Is(err, catalog.ErrUnknown) {
		return nil // nobody waits for it
	}
	return err
}

func mailsCommand(w world) *cobra.Command {
	return group("mails", "Show and retry letters that could not be sent", mailsList(w), mailsRetry(w), mailsSkip(w), mailsPreview(w))
}

func mailsList(w world) *cobra.Command {
	cmd := &cobra.Command{
		Use: "list", Short: "List dead letters with their errors", Args: cobra.NoArgs,
		Long: "List letters that are not tried any more. Recipients and contents are hidden; a letter about an order names its stream.",
	}
	format := formatFlag(cmd)
	all := cmd.Flags().Bool("all", false, "also list waiting and skipped letters")
	cmd.RunE = withShop(w, func(ctx context.Context, s *shop, _ *cobra.Command, _ []string) error {
		outbox, err := s.outbox(ctx)
		if err != nil {
			return err
		}
		entries, err := outbox.List(ctx, *all)
		if err != nil {
			return err
		}
		return writeList(w.stdout, *format, entries,
			column[mail.Entry]{"ID", false, func(e mail.Entry) string { return e.ID.String() }},
			column[mail.Entry]{"KIND", false, func(e mail.Entry) string { return string(e.Kind) }},
			column[mail.Entry]{"STATE", false, func(e mail.Entry) string { return string(e.State) }},
			column[mail.Entry]{"OF", false, func(e mail.Entry) string { return e.Stream }},
			column[mail.Entry]{"TRIED", true, func(e mail.Entry) string { return strconv.Itoa(e.Attempts) }},
			column[mail.Entry]{"SINCE", false, func(e mail.Entry) string { return moment(e.CreatedAt) }},
			column[mail.Entry]{"ERROR", false, func(e mail.Entry) string {
				if e.Reason != "" {
					return e.Error + " (given up: " + e.Reason + ")"
				}
				return e.Error
			}},
		)
	})
	return cmd
}

func mailsRetry(w world) *cobra.Command {
	cmd := &cobra.Command{
		Use: "retry ID", Short: "Try to send a dead letter again", Args: cobra.MaximumNArgs(1),
		Long: "Try to send a dead letter again, or all of them. The process with the role policies makes the attempt at once.",
	}
	all := cmd.Flags().Bool("all", false, "every dead letter")
	cmd.PreRunE = func(_ *cobra.Command, args []string) error {
		if *all == (len(args) == 1) {
			return usageError{errors.New("want an ID, or --all")}
		}
		return checkMailIDs(args)
	}
	cmd.RunE = withShop(w, func(ctx context.Context, s *shop, _ *cobra.Command, args []string) error {
		outbox, err := s.outbox(ctx)
		if err != nil {
			return err
		}
		var id uuid.UUID
		if len(args) == 1 {
			id = uuid.MustParse(args[0])
		}
		n, err := outbox.Retry(ctx, id)
		if err != nil {
			return err
		}
		if n == 0 && !*all {
			return errors.New("there is no such dead letter")
		}
		_, err = fmt.Fprintf(w.stdout, "%d to be tried again\n", n)
		return err
	})
	return cmd
}

func checkMailIDs(args []string) error {
	for _, arg := range args {
		if id, err := uuid.Parse(arg); err != nil || id == uuid.Nil {
			return usageError{fmt.Errorf("%q is not a letter's ID", arg)}
		}
	}
	return nil
}

func mailsSkip(w world) *cobra.Command {
	cmd := &cobra.Command{
		Use: "skip ID --reason TEXT", Short: "Skip a dead letter", Args: cobra.ExactArgs(1),
		Example: "  shop mails skip 01965b8e-7c00-7000-8000-000000000001 --reason 'mistyped address, customer was called'",
	}
	reason := cmd.Flags().String("reason", "", "why; it is kept for thirty days")
	cmd.PreRunE = func(_ *cobra.Command, args []string) error {
		if strings.TrimSpace(*reason) == "" {
			return usageError{errors.New("want --reason: somebody did not get a letter and may ask")}
		}
		return checkMailIDs(args)
	}
	cmd.RunE = withShop(w, func(ctx context.Context, s *shop, _ *cobra.Command, args []string) error {
		outbox, err := s.outbox(ctx)
		if err != nil {
			return err
		}
		found, err := outbox.Skip(ctx, uuid.MustParse(args[0]), commands.OriginOf(ctx).Actor, *reason)
		if err != nil {
			return err
		}
		if !found {
			return errors.New("there is no such dead letter")
		}
		_, err = fmt.Fprintln(w.stdout, "given up")
		return err
	})
	return cmd
}

func mailsPreview(w world) *cobra.Command {
	var names []string
	for _, k := range mail.Kinds() {
		names = append(names, string(k))
	}
	cmd := &cobra.Command{
		Use: "preview KIND...", Short: "Write sample letters as .html and .eml", Args: cobra.MinimumNArgs(1),
		Long: "Write sample letters as this shop would send them, to look at. Kinds: all, " + strings.Join(names, ", ") + ".",
	}
	out := cmd.Flags().String("out", ".", "folder to write to")
	cmd.PreRunE = func(_ *cobra.Command, args []string) error {
		for _, arg := range args {
			if arg != "all" {
				if err := oneOf(arg, names...); err != nil {
					return usageError{err}
				}
			}
		}
		return nil
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		c, err := readConfig(w.getenv)
		if err != nil {
			return err
		}
		if c.PublicURL == "" {
			c.PublicURL = "https://shop.example"
		}
		if slices.Contains(args, "all") {
			args = names
		}
		if err := os.MkdirAll(*out, 0o755); err != nil {
			return err
		}
		// A sample's links open nothing, so any key will do.
		renderer := c.renderer(mail.Links{PublicURL: c.PublicURL, Key: make([]byte, 32)})
		for _, name := range args {
			m, _, err := renderer.Sample(mail.Kind(name))
			if err != nil {
				return err
			}
			page := filepath.Join(*out, name+".html")
			if err := os.WriteFile(page, []byte(m.HTML), 0o644); err != nil {
				return err
			}
			if err := (mail.Folder{Path: *out}).Send(cmd.Context(), m); err != nil {
				return err
			}
			if _, err := fmt.Fprintln(w.stdout, page); err != nil {
				return err
			}
		}
		return nil
	}
	return cmd
}
