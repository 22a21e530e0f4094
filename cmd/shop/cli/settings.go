package cli

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"strconv"

	"github.com/spf13/cobra"

	"shop/cmd/shop/app"
	"shop/cmd/shop/cli/command"
	"shop/cmd/shop/terminal"
	"shop/commands/importer/settingsfile"
	"shop/domain/settings"
)

func settingsCommand(w terminal.World) *cobra.Command {
	return command.Group("settings", "Show and publish contacts, legal data, pickup, days without delivery, returns and documents", settingsShow(w), settingsPublish(w))
}

func settingsShow(w terminal.World) *cobra.Command {
	cmd := &cobra.Command{
		Use: "show", Short: "Show the settings in force; version 0 are those of the environment", Args: cobra.NoArgs,
		Example: "  shop settings show --format json > settings.json   # change it, then: shop settings publish settings.json",
	}
	format := command.FormatFlag(cmd)
	cmd.RunE = command.WithShop(w, func(ctx context.Context, s *app.Shop, _ *cobra.Command, _ []string) error {
		now, err := s.Settings.Show(ctx)
		if err != nil {
			return err
		}
		if *format == "json" {
			return terminal.WriteIndented(w.Stdout, settingsfile.File{Version: &now.Version, Settings: now.Settings})
		}
		return terminal.WriteList(w.Stdout, "table", settingLines(now),
			terminal.Left("SETTING", func(l settingLine) string { return l.name }),
			terminal.Left("VALUE", func(l settingLine) string { return cmp.Or(l.value, "-") }),
		)
	})
	return cmd
}

type settingLine struct{ name, value string }

func settingLines(now settings.State) []settingLine {
	s := now.Settings
	lines := []settingLine{{"version", strconv.FormatInt(now.Version, 10)}, {"email", s.Email}, {"phone", s.Phone}}
	both := func(name string, text settings.Text) {
		lines = append(lines, settingLine{name + ".ru", text.RU}, settingLine{name + ".kk", text.KK})
	}
	both("hours", s.Hours)
	lines = append(lines, settingLine{"legal_name", s.LegalName}, settingLine{"registration_number", s.RegistrationNumber})
	both("address", s.Address)
	both("pickup", s.Pickup)
	lines = append(lines, settingLine{"social_name", s.SocialName}, settingLine{"social_url", s.SocialURL}, settingLine{"privacy_url", s.PrivacyURL},
		settingLine{"offer_url", s.OfferURL}, settingLine{"offer_version", s.OfferVersion})
	both("returns", s.Returns)
	lines = append(lines, settingLine{"no_delivery", fmt.Sprint(s.NoDelivery)})
	for _, h := range s.Holidays {
		lines = append(lines, settingLine{"holiday", h.Date + "  " + h.Name.RU})
	}
	for _, e := range s.Menu {
		lines = append(lines, settingLine{"menu", e.Text.RU + "  " + e.Address})
	}
	for _, e := range s.FooterMenu {
		lines = append(lines, settingLine{"footer_menu", e.Text.RU + "  " + e.Address})
	}
	return lines
}

func settingsPublish(w terminal.World) *cobra.Command {
	cmd := &cobra.Command{
		Use: "publish FILE", Short: "Publish the settings of a JSON or YAML file", Args: cobra.ExactArgs(1),
		Long: "Publish the settings of a JSON or YAML file with the fields of 'shop settings show --format json'. Fields that the file leaves out\n" +
			"stay as they are; a list is replaced as a whole. With a version in the file nothing is published when the settings have changed since.\n" +
			"From the first time on, SHOP_EMAIL, SHOP_PHONE, SHOP_HOURS, SHOP_LEGAL_NAME, SHOP_REGISTRATION_NUMBER, SHOP_ADDRESS, SHOP_SOCIAL_NAME,\n" +
			"SHOP_SOCIAL_URL, SHOP_PRIVACY_URL and SHOP_OFFER_URL no longer change what shoppers see.",
	}
	how := howFlags(cmd)
	cmd.RunE = command.WithShop(w, func(ctx context.Context, s *app.Shop, _ *cobra.Command, args []string) error {
		text, err := terminal.ReadText(args[0])
		if err != nil {
			return err
		}
		now, err := s.Settings.Show(ctx)
		if err != nil {
			return err
		}
		file, err := settingsfile.Read(text, now.Settings)
		if err != nil {
			return fmt.Errorf("%s: %w", args[0], err)
		}
		// Settings are replaced as a whole, so fields that the file leaves out must not have changed either.
		expected := cmp.Or(file.Version, &now.Version)
		changed, err := s.Settings.WouldPublish(ctx, file.Settings, expected)
		if err != nil {
			return err
		}
		became := said{changed: changed}
		if changed {
			var was any // nothing was published
			if now.Published {
				was = now.Settings
			}
			item, err := ask("settings", settings.Stream, "whole", was, file.Settings)
			if err != nil {
				return err
			}
			if became, err = how.propose(ctx, s, w, "shop settings publish "+filepath.Base(args[0]), item); err != nil {
				return err
			}
		}
		_, err = fmt.Fprintf(w.Stdout, "settings: %s\n", became.outcome("published", *how.dryRun))
		return err
	})
	return cmd
}
