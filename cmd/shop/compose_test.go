package main

import (
	"context"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/jackc/pgx/v5"

	"shop/migrations/pgtest"
)

// composed is what a compose file says of its services, as far as it is about what they may do.
type composed struct {
	Services map[string]struct {
		Image       string
		Build       any
		Profiles    []string
		Command     []string
		User        string
		Environment map[string]string
		Ports       []string
		Volumes     []string
		Secrets     []string
		ReadOnly    bool     `yaml:"read_only"`
		Tmpfs       []string `yaml:"tmpfs"`
		CapDrop     []string `yaml:"cap_drop"`
		CapAdd      []string `yaml:"cap_add"`
		SecurityOpt []string `yaml:"security_opt"`
		MemLimit    string   `yaml:"mem_limit"`
		PidsLimit   int      `yaml:"pids_limit"`
		Privileged  bool
		NetworkMode string `yaml:"network_mode"`
	}
}

func readComposed(t *testing.T, path string) (c composed, text string) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	// A key beside a merge (<<) counts as a second one of that name, and wins.
	if err := yaml.UnmarshalWithOptions(b, &c, yaml.AllowDuplicateMapKey()); err != nil {
		t.Fatal(err)
	}
	return c, string(b)
}

var (
	// pinned is an image with a tag of its version and the digest that it had.
	pinned = regexp.MustCompile(`^[a-z0-9./-]+:v?\d+\.\d+(\.\d+)?(-[a-z]+)?@sha256:[0-9a-f]{64}$`)
	// withDefault is a variable that compose fills in when nobody does.
	withDefault = regexp.MustCompile(`\$\{[A-Z_]*(PASSWORD|SECRET)[A-Z_]*(:?-[^}]+)\}`)
	// secretVariable names what must not stand in the file.
	secretVariable = regexp.MustCompile(`PASSWORD|SECRET`)
)

// Whoever breaks into one of the services finds little to work with, and nobody knows a password from reading the file.
func TestComposeGivesServicesNoMoreThanTheyNeed(t *testing.T) {
	t.Parallel()
	c, text := readComposed(t, "../../docker-compose.yml")
	if len(c.Services) < 7 {
		t.Fatalf("only %d services", len(c.Services))
	}
	for name, s := range c.Services {
		if !s.ReadOnly {
			t.Errorf("%s may write to its file system", name)
		}
		if !slices.Equal(s.CapDrop, []string{"ALL"}) || len(s.CapAdd) > 0 || s.Privileged || s.NetworkMode != "" {
			t.Errorf("%s keeps capabilities: drops %v, adds %v", name, s.CapDrop, s.CapAdd)
		}
		if !slices.Contains(s.SecurityOpt, "no-new-privileges:true") {
			t.Errorf("%s may gain privileges", name)
		}
		if s.MemLimit == "" || s.PidsLimit == 0 {
			t.Errorf("%s may take all memory or all processes", name)
		}
		if s.Image != "" && !pinned.MatchString(s.Image) || s.Image == "" && s.Build == nil {
			t.Errorf("%s takes the image %q", name, s.Image)
		}
		for _, port := range s.Ports {
			if !strings.HasPrefix(port, "127.0.0.1:") {
				t.Errorf("%s is published at %s", name, port)
			}
		}
		for _, v := range s.Volumes {
			if strings.HasPrefix(v, ".") && !strings.HasSuffix(v, ":ro") || strings.Contains(v, "docker.sock") {
				t.Errorf("%s mounts %s", name, v)
			}
		}
		if slices.Contains(s.Command, "--demo") {
			t.Errorf("%s loads the demo, whose account has a published password", name)
		}
		for variable, value := range s.Environment {
			if secretVariable.MatchString(variable) && value != "" && !strings.HasPrefix(value, "${") {
				t.Errorf("%s: %s stands in the file", name, variable)
			}
		}
	}
	if found := withDefault.FindAllString(text, -1); len(found) > 0 {
		t.Errorf("passwords with defaults: %v", found)
	}
	for _, variable := range []string{"POSTGRES_PASSWORD", "SHOP_DATABASE_PASSWORD", "SHOP_OWNER_PASSWORD", "GRAFANA_PASSWORD"} {
		if !strings.Contains(text, "${"+variable+":?") {
			t.Errorf("%s is not asked for", variable)
		}
	}
	for _, name := range []string{"shop", "worker"} {
		of := c.Services[name].Environment
		if !strings.HasPrefix(of["SHOP_DATABASE_URL"], "postgres://shop:${SHOP_DATABASE_PASSWORD:?") || strings.Contains(of["SHOP_DATABASE_URL"], "POSTGRES_PASSWORD") {
			t.Errorf("%s connects by %s", name, of["SHOP_DATABASE_URL"])
		}
		if !strings.HasPrefix(of["SHOP_DATABASE_OWNER_URL"], "postgres://shop_owner:${SHOP_OWNER_PASSWORD:?") {
			t.Errorf("%s migrates by %s", name, of["SHOP_DATABASE_OWNER_URL"])
		}
		if of["SHOP_KEY_FILE"] != "/run/secrets/shop.key" || !slices.Equal(c.Services[name].Secrets, []string{"shop.key"}) {
			t.Errorf("%s takes its keys from %s, and is given %v", name, of["SHOP_KEY_FILE"], c.Services[name].Secrets)
		}
		for _, variable := range []string{"SHOP_PAYMENTS", "SHOP_TRUSTED_PROXIES"} {
			if of[variable] == "" {
				t.Errorf("%s is not told %s", name, variable)
			}
		}
		if of["SHOP_PAYMENTS"] != "${SHOP_PAYMENTS:-}" {
			t.Errorf("%s has the payments %q: the program could not tell that nobody chose", name, of["SHOP_PAYMENTS"])
		}
	}
	if user := c.Services["postgres"].Environment["POSTGRES_USER"]; user == "shop" {
		t.Error("the shop's role is the superuser")
	}
	grafana := c.Services["grafana"].Environment
	if grafana["GF_AUTH_ANONYMOUS_ENABLED"] != "false" || grafana["GF_USERS_ALLOW_SIGN_UP"] != "false" {
		t.Error("Grafana shows itself to anybody")
	}
	demo, _ := readComposed(t, "../../docker-compose.demo.yml")
	if shop := demo.Services["shop"]; len(demo.Services) != 1 || !slices.Equal(shop.Command, []string{"serve", "--demo"}) {
		t.Errorf("the demo's file says %+v", demo)
	}
	dockerfile, err := os.ReadFile("../../Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	if !regexp.MustCompile(`(?m)^FROM node:24[.-]`).Match(dockerfile) {
		t.Error("the storefront is not built by Node 24")
	}
	for _, from := range regexp.MustCompile(`(?m)^FROM (\S+)`).FindAllStringSubmatch(string(dockerfile), -1) {
		if image := from[1]; image != "scratch" && !pinned.MatchString(image) {
			t.Errorf("the program is built in the image %q", image)
		}
	}
}

// What compose makes in an empty volume is enough for the shop: a role that owns its database, and one that serves and can change no
// event. Neither is a superuser.
func TestTheShopNeedsNoSuperuser(t *testing.T) {
	t.Parallel()
	script, err := os.ReadFile("../../deploy/postgres/shop.sh")
	if err != nil {
		t.Fatal(err)
	}
	_, sql, found := strings.Cut(string(script), "<<'SQL'\n")
	sql, _, ended := strings.Cut(sql, "\nSQL\n")
	if !found || !ended {
		t.Fatal("the script holds no SQL")
	}
	url := pgtest.URL(t)
	admin, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer admin.Close(t.Context())
	const role = "shop_of_compose"
	sql = strings.NewReplacer(":'password'", "'secret'", ":'owner_password'", "'secret'", "shop_owner", role+"_owner").Replace(sql)
	sql = regexp.MustCompile(`\bshop\b`).ReplaceAllString(sql, role)
	for statement := range strings.SplitSeq(sql, ";") {
		if strings.TrimSpace(statement) == "" {
			continue
		}
		if _, err := admin.Exec(t.Context(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	t.Cleanup(func() {
		clean, err := pgx.Connect(context.Background(), url)
		if err != nil {
			return
		}
		defer clean.Close(context.Background())
		clean.Exec(context.Background(), "DROP DATABASE "+role+" WITH (FORCE)")
		clean.Exec(context.Background(), "DROP ROLE "+role)
		clean.Exec(context.Background(), "DROP ROLE "+role+"_owner")
	})
	settings, err := pgx.ParseConfig(url)
	if err != nil {
		t.Fatal(err)
	}
	byRole := func(role string) string {
		at := strings.Replace(url, "/"+settings.Database+"?", "/shop_of_compose?", 1)
		at = regexp.MustCompile(`\buser=[^&]*`).ReplaceAllString(at, "user="+role)
		if !strings.Contains(at, "user="+role) {
			at += "&user=" + role
		}
		return at + "&password=secret"
	}
	serving := byRole(role)
	p := program{t, []string{"SHOP_DATABASE_URL=" + serving, "SHOP_DATABASE_OWNER_URL=" + byRole(role+"_owner"), "SHOP_DATA_DIR=" + t.TempDir(), "SHOP_ADDR=127.0.0.1:0", "SHOP_DATABASE_CONNS=12"}}
	s := p.serve()
	s.placed(p.stocked("MK-1", 9_000, 5), 1, "CASH")
	if status := s.stop(); status != 0 {
		t.Errorf("ended with %d: %s", status, s.stderr)
	}
	if strings.Contains(s.stderr.String(), "database role") {
		t.Errorf("the roles are warned of: %s", s.stderr)
	}
	conn, err := pgx.Connect(t.Context(), serving)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	var super, creates, replicates bool
	if err := conn.QueryRow(t.Context(), "SELECT rolsuper, rolcreaterole OR rolcreatedb OR rolbypassrls, rolreplication FROM pg_roles WHERE rolname = current_user").Scan(&super, &creates, &replicates); err != nil {
		t.Fatal(err)
	}
	if super || creates || replicates {
		t.Error("the role may do more than it needs")
	}
	for _, sql := range []string{"UPDATE eventstore.events SET data = '{}'", "DELETE FROM eventstore.events", "TRUNCATE eventstore.events", "COPY (SELECT 1) TO PROGRAM 'true'"} {
		denied(t, conn, sql)
	}
	// A process without the owner's password serves as well, and says what it cannot do.
	p.env = without(p.env, "SHOP_DATABASE_OWNER_URL")
	alone := p.serve()
	alone.stop()
	if !strings.Contains(alone.stderr.String(), "owns no tables") {
		t.Errorf("nothing is told of the missing owner: %s", alone.stderr)
	}
}
