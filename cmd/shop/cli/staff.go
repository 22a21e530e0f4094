package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/mail"
	"os"
	"strings"

	"github.com/google/uuid"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"shop/cmd/shop/app"
	"shop/cmd/shop/cli/command"
	"shop/cmd/shop/terminal"
	"shop/commands/identity"
	"shop/commands/identity/signin"
	"shop/domain/staff"
)

func staffCommand(w terminal.World) *cobra.Command {
	return command.Group("staff", "Manage staff accounts and their roles",
		staffAdd(w), staffList(w), staffRole(w), staffReset(w),
		staffSwitch(w, "disable", "Shut an account out, at once", (*identity.Staff).Disable),
		staffSwitch(w, "enable", "Let a disabled account in again", (*identity.Staff).Enable),
		staffSwitch(w, "unlock", "Forget the failed attempts to sign in to an account", (*identity.Staff).Unlock),
		staffSwitch(w, "sign-out", "End all sessions of an account", (*identity.Staff).EndSessions),
	)
}

// roleValue is a flag or argument that names a role.
func roleValue(v string) (staff.Role, error) {
	var names []string
	for _, r := range staff.Roles {
		names = append(names, string(r))
	}
	return staff.Role(v), app.OneOf(v, names...)
}

func staffAdd(w terminal.World) *cobra.Command {
	var email, role string
	var password bool
	cmd := &cobra.Command{
		Use: "add --email E --role R", Short: "Add an account", Args: cobra.NoArgs,
		Long: "Add an account and print a link with which its owner chooses a password; the link works once, for 24 hours. With\n" +
			"--password the command asks for the password on the terminal, or reads it from standard input. At the first sign-in the owner\n" +
			"enrols an authenticator.",
		Example: "  shop staff add --email aigerim@shop.example --role manager",
	}
	cmd.Flags().StringVar(&email, "email", "", "e-mail address to sign in with")
	cmd.Flags().StringVar(&role, "role", "", "admin, manager, catalog, warehouse, courier, support, content, analyst or operator")
	cmd.Flags().BoolVar(&password, "password", false, "read a password instead of printing a link")
	cmd.MarkFlagRequired("email")
	cmd.MarkFlagRequired("role")
	cmd.PreRunE = func(*cobra.Command, []string) error {
		if a, err := mail.ParseAddress(email); err != nil || a.Address != strings.TrimSpace(email) {
			return terminal.Usage(fmt.Errorf("--email: %q is not an e-mail address", email))
		}
		if _, err := roleValue(role); err != nil {
			return terminal.Usage(fmt.Errorf("--role: %w", err))
		}
		return nil
	}
	cmd.RunE = command.WithShop(w, func(ctx context.Context, s *app.Shop, _ *cobra.Command, _ []string) error {
		chosen, err := readPassword(w, password, acceptable(s, email))
		if err != nil {
			return err
		}
		id, err := s.Staff.Add(ctx, email, staff.Role(role))
		if err != nil {
			return err
		}
		fmt.Fprintf(w.Stdout, "%s: added, %s\n", staff.NormalEmail(email), role)
		return giveAccess(ctx, s, w, id, email, chosen)
	})
	return cmd
}

// giveAccess sets a password, or prints a link to choose one when there is none.
func giveAccess(ctx context.Context, s *app.Shop, w terminal.World, id uuid.UUID, email, password string) error {
	if password != "" {
		return s.Accounts.SetPassword(ctx, id, password)
	}
	token, ends, err := s.Staff.Invite(ctx, email)
	if err != nil {
		return err
	}
	origin := s.Config.PublicURL
	if origin == "" {
		origin = "http://" + s.Config.Addr
	}
	// Behind the # it reaches no server's log.
	_, err = fmt.Fprintf(w.Stdout, "choose a password until %s: %s/ops/password#%s\n", terminal.Moment(ends), origin, token)
	return err
}

// acceptable says whether a password may be chosen for an e-mail.
func acceptable(s *app.Shop, email string) func(password string) error {
	return func(password string) error { return s.Accounts.Acceptable(staff.NormalEmail(email), password) }
}

// readPassword asks for a password, twice on a terminal; empty when none is wanted.
func readPassword(w terminal.World, wanted bool, acceptable func(password string) error) (string, error) {
	if !wanted {
		return "", nil
	}
	in := int(os.Stdin.Fd())
	if !term.IsTerminal(in) {
		line, err := bufio.NewReader(os.Stdin).ReadString('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return "", fmt.Errorf("read the password: %w", err)
		}
		if line = strings.TrimRight(line, "\r\n"); line == "" {
			return "", errors.New("there is no password on standard input")
		}
		return line, acceptable(line)
	}
	ask := func(prompt string) (string, error) {
		fmt.Fprint(w.Stderr, prompt)
		defer fmt.Fprintln(w.Stderr)
		typed, err := term.ReadPassword(in)
		return string(typed), err
	}
	first, err := ask("Password: ")
	if err != nil {
		return "", fmt.Errorf("read the password: %w", err)
	}
	if err := acceptable(first); err != nil {
		return "", err
	}
	second, err := ask("Again: ")
	if err != nil {
		return "", fmt.Errorf("read the password: %w", err)
	}
	if first != second {
		return "", errors.New("the passwords differ")
	}
	return first, nil
}

func staffList(w terminal.World) *cobra.Command {
	cmd := &cobra.Command{Use: "list", Short: "List the accounts", Args: cobra.NoArgs}
	format := command.FormatFlag(cmd)
	cmd.RunE = command.WithShop(w, func(ctx context.Context, s *app.Shop, _ *cobra.Command, _ []string) error {
		list, err := s.Accounts.List(ctx)
		if err != nil {
			return err
		}
		return terminal.WriteList(w.Stdout, *format, list,
			terminal.Left("E-MAIL", func(a signin.Account) string { return a.Email }),
			terminal.Left("ROLE", func(a signin.Account) string { return a.Role }),
			terminal.Left("STATE", func(a signin.Account) string { return a.State }),
			terminal.Left("AUTHENTICATOR", func(a signin.Account) string {
				if a.TOTP {
					return "yes"
				}
				return "no"
			}),
			terminal.Left("SIGNED IN", func(a signin.Account) string {
				if a.SignedInAt == nil {
					return "never"
				}
				return terminal.Moment(*a.SignedInAt)
			}),
			terminal.Left("ID", func(a signin.Account) string { return a.ID.String() }),
		)
	})
	return cmd
}

func staffRole(w terminal.World) *cobra.Command {
	return &cobra.Command{
		Use: "role EMAIL ROLE", Short: "Give an account another role",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 2 {
				return errors.New("want an e-mail and a role")
			}
			_, err := roleValue(args[1])
			return err
		},
		RunE: command.WithShop(w, func(ctx context.Context, s *app.Shop, _ *cobra.Command, args []string) error {
			if err := s.Staff.ChangeRole(ctx, args[0], staff.Role(args[1])); err != nil {
				return err
			}
			_, err := fmt.Fprintf(w.Stdout, "%s: %s\n", staff.NormalEmail(args[0]), args[1])
			return err
		}),
	}
}

func staffSwitch(w terminal.World, use, short string, do func(*identity.Staff, context.Context, string) error) *cobra.Command {
	return &cobra.Command{
		Use: use + " EMAIL", Short: short, Args: cobra.ExactArgs(1),
		RunE: command.WithShop(w, func(ctx context.Context, s *app.Shop, _ *cobra.Command, args []string) error {
			if err := do(s.Staff, ctx, args[0]); err != nil {
				return err
			}
			done := map[string]string{"disable": "disabled", "enable": "enabled", "unlock": "unlocked", "sign-out": "signed out"}[use]
			_, err := fmt.Fprintf(w.Stdout, "%s: %s\n", staff.NormalEmail(args[0]), done)
			return err
		}),
	}
}

func staffReset(w terminal.World) *cobra.Command {
	var password bool
	cmd := &cobra.Command{
		Use: "reset EMAIL", Short: "Void an account's password, authenticator and sessions", Args: cobra.ExactArgs(1),
		Long: "Void password, authenticator, recovery codes and sessions of an account, and print a link to choose a new password.",
	}
	cmd.Flags().BoolVar(&password, "password", false, "read a password instead of printing a link")
	cmd.RunE = command.WithShop(w, func(ctx context.Context, s *app.Shop, _ *cobra.Command, args []string) error {
		chosen, err := readPassword(w, password, acceptable(s, args[0]))
		if err != nil {
			return err
		}
		id, err := s.Staff.Reset(ctx, args[0])
		if err != nil {
			return err
		}
		fmt.Fprintf(w.Stdout, "%s: reset\n", staff.NormalEmail(args[0]))
		return giveAccess(ctx, s, w, id, args[0], chosen)
	})
	return cmd
}
