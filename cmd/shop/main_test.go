package main

import (
	"strings"
	"testing"

	"shop/cmd/shop/app"
	"shop/cmd/shop/terminal"
)

func TestWrongUsageIsStatus2AndSaysWhatIsRight(t *testing.T) {
	t.Parallel()
	// No database is named: wrong usage is told before one is needed.
	p := program{t, []string{"SHOP_DATA_DIR=/nonexistent/" + t.Name()}}
	for line, want := range map[string]string{
		"":                                       "want backup, blobs, catalog",
		"nonsense":                               `unknown command "nonsense"`,
		"stock":                                  "want adjust, ledger, list, receive",
		"stock nonsense":                         `unknown command "nonsense"`,
		"stock receive":                          "--article",
		"stock receive --article A":              "--quantity",
		"stock receive --article A --quantity x": `invalid argument "x" for "--quantity" flag: want a whole number`,
		"orders list --limit 99999999999999999999":  `for "--limit" flag: the number is too large`,
		"events tail --follow=perhaps":              `for "-f, --follow" flag: want true or false`,
		"stock adjust --article A":                  "--on-hand",
		"stock list --format xml":                   `"xml" is not known`,
		"stock list --limit 0":                      "--limit begins at 1",
		"orders show":                               "want one order number",
		"orders show abc":                           `"abc" is not an order number`,
		"orders show 1 2":                           "want one order number",
		"orders approve -1":                         "unknown shorthand flag",
		"orders list --status SOLD":                 `"SOLD" is not known`,
		"events stream":                             "accepts 1 arg",
		"events tail --lines -1":                    "must not be negative",
		"events export --format xml":                `"xml" is not known`,
		"events export --with-keys -":               "wants a file of its own",
		"events import":                             "accepts 1 arg",
		"staff add --role admin":                    "--email",
		"staff add --email a --role admin":          "is not an e-mail address",
		"staff add --email a@b.example --role x":    `"x" is not known`,
		"staff role a@b.example":                    "want an e-mail and a role",
		"staff role a@b.example king":               `"king" is not known`,
		"projections rebuild nothing":               "there is no projection \"nothing\"; want one of catalog",
		"projections pause":                         "want one of the projections",
		"projections builds nothing":                "there is no projection \"nothing\"; want one of catalog",
		"projections builds --limit 0":              "--limit begins at 1",
		"deadletters skip orders x --reason y":      `"x" is not a position`,
		"deadletters skip orders 5":                 "--reason",
		"catalog import":                            "arg",
		"catalog import x --new-stock 1000001":      "--new-stock: want a number from 0 to 1000000",
		"catalog import x --archived --reason move": "--archived: a copy of another shop is no change",
		"serve --unknown":                           "unknown flag",
		"version extra":                             `unknown command "extra"`,
	} {
		r := p.run(strings.Fields(line)...)
		if r.status != terminal.Misuse || !strings.Contains(r.stderr, want) || !strings.Contains(r.stderr, "--help' for usage.") || r.stdout != "" {
			t.Errorf("shop %s: status %d, stdout %q, stderr %q, want %q", line, r.status, r.stdout, r.stderr, want)
		}
	}
}

func TestFailureIsStatus1AndOneLine(t *testing.T) {
	t.Parallel()
	for name, env := range map[string][]string{
		"SHOP_ADDR: ":         {"SHOP_ADDR=nonsense"},
		"connect to":          {"SHOP_DATABASE_URL=postgres://shop:secret@127.0.0.1:1/shop", "SHOP_ADDR=127.0.0.1:0"},
		"SHOP_DATABASE_URL: ": {"SHOP_DATABASE_URL=nonsense://secret"},
	} {
		for _, args := range [][]string{{"serve"}, {"orders", "list"}, {"migrate"}} {
			r := program{t, env}.run(args...)
			last := r.stderr[strings.LastIndexByte(strings.TrimSpace(r.stderr), '\n')+1:]
			if r.status != terminal.Failed || !strings.HasPrefix(last, "shop: ") || !strings.Contains(last, name) || strings.Contains(r.stderr, "secret") {
				t.Errorf("%v %v: status %d, stderr %q", env, args, r.status, r.stderr)
			}
		}
	}
}

func TestHelpListsTheEnvironment(t *testing.T) {
	t.Parallel()
	help := program{t, nil}.ok("serve", "--help")
	for _, s := range app.Settings {
		if !strings.Contains(help, s.Name) {
			t.Errorf("%s is missing", s.Name)
		}
	}
}

func TestVersion(t *testing.T) {
	t.Parallel()
	if got := (program{t, nil}).ok("version"); !strings.HasPrefix(got, "shop ") {
		t.Errorf("got %q", got)
	}
}
