package readapi_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"shop/readapi"
)

var update = flag.Bool("update", false, "write the golden answers anew")

// contract checks answers against the contract and knows which calls it has seen.
type contract struct {
	compiler *jsonschema.Compiler
	seen     map[string]bool
}

const contractURL = "http://shop/openapi.json"

func newContract(t *testing.T) *contract {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(contractText(t)))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource(contractURL, doc); err != nil {
		t.Fatal(err)
	}
	return &contract{c, map[string]bool{}}
}

func contractText(t *testing.T) []byte {
	t.Helper()
	text, err := readapi.Contract()
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// check holds a body against what the contract says about a path and status.
func (c *contract) check(t *testing.T, path string, status int, body []byte) {
	t.Helper()
	schema := c.responseSchema(t, path, status)
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	if err != nil {
		t.Fatalf("%s: %v in %s", path, err, body)
	}
	if err := schema.Validate(value); err != nil {
		t.Errorf("%s answers %d against the contract: %v\n%s", path, status, err, body)
	}
	c.seen[path] = true
}

func (c *contract) responseSchema(t *testing.T, path string, status int) *jsonschema.Schema {
	t.Helper()
	escape := strings.NewReplacer("~", "~0", "/", "~1")
	at := fmt.Sprintf("/paths/%s/get/responses/%d", url.PathEscape(escape.Replace(path)), status)
	var doc map[string]any
	if err := json.Unmarshal(contractText(t), &doc); err != nil {
		t.Fatal(err)
	}
	response, ok := doc["paths"].(map[string]any)[path].(map[string]any)["get"].(map[string]any)["responses"].(map[string]any)[fmt.Sprint(status)].(map[string]any)
	if !ok {
		t.Fatalf("%s may not answer %d", path, status)
	}
	if ref, ok := response["$ref"].(string); ok {
		at = strings.TrimPrefix(ref, "#")
	}
	schema, err := c.compiler.Compile(contractURL + "#" + at + "/content/application~1json/schema")
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

func TestAnswersKeepTheContract(t *testing.T) {
	t.Parallel()
	_, shop := open(t, history())
	c := newContract(t)
	for _, call := range []struct {
		golden, path, address string
		status                int
	}{
		{"products", "/api/products/", "/api/products/?brief=true", 200},
		{"products-whole", "/api/products/", "/api/products/?limit=2&offset=1", 200},
		{"products-page", "/api/products/", "/api/products/?limit=2&offset=2&ordering=-price&brief=true", 200},
		{"products-search", "/api/products/", "/api/products/?brief=true&search=" + url.QueryEscape("крем"), 200},
		{"products-corrected", "/api/products/", "/api/products/?search=ifvgeym&limit=1&brief=true", 200},
		{"products-suggest", "/api/products/suggest/", "/api/products/suggest/?q=" + url.QueryEscape("дизод"), 200},
		{"products-nothing", "/api/products/", "/api/products?search=" + url.QueryEscape("абракадабра"), 200},
		{"products-bad-query", "/api/products/", "/api/products/?limit=0&offset=x&ordering=name&is_new=maybe&brief=maybe", 400},
		{"products-popular", "/api/products/popular/", "/api/products/popular/?limit=3&brief=true", 200},
		{"product", "/api/products/{id}/", "/api/products/ostara-niacinamide-serum/", 200},
		{"product-out-of-stock", "/api/products/{id}/", "/api/products/" + product(3).String(), 200},
		{"product-archived", "/api/products/{id}/", "/api/products/staryj-krem/", 200},
		{"product-missing", "/api/products/{id}/", "/api/products/nope/", 404},
		{"product-stock", "/api/products/{id}/stock/", "/api/products/norden-birch-shampoo/stock/", 200},
		{"product-similar", "/api/products/{id}/similar/", "/api/products/ostara-niacinamide-serum/similar?brief=true", 200},
		{"product-reviews", "/api/products/{id}/reviews/", "/api/products/ostara-niacinamide-serum/reviews/?limit=2", 200},
		{"product-reviews-with-photo", "/api/products/{id}/reviews/", "/api/products/ostara-niacinamide-serum/reviews/?ordering=with_photo", 200},
		{"product-reviews-none", "/api/products/{id}/reviews/", "/api/products/norden-deo/reviews/", 200},
		{"product-reviews-bad-query", "/api/products/{id}/reviews/", "/api/products/norden-deo/reviews/?ordering=best&limit=0", 400},
		{"product-reviews-missing", "/api/products/{id}/reviews/", "/api/products/nope/reviews/", 404},
		{"product-of-a-subscriber", "/api/products/{id}/", "/api/products/ostara-rose-toner/mine", 200},
		{"subscriptions", "/api/subscriptions/products/", "/api/subscriptions/products/", 200},
		{"bonuses", "/api/auth/profile/bonuses/", "/api/auth/profile/bonuses/", 200},
		{"categories", "/api/categories/", "/api/categories/", 200},
		{"category", "/api/categories/{id}/", "/api/categories/litso/?brief=true", 200},
		{"category-bad-query", "/api/categories/{id}/", "/api/categories/litso/?brief=maybe", 400},
		{"category-missing", "/api/categories/{id}/", "/api/categories/arhiv/", 404},
		{"brands", "/api/brands/", "/api/brands/", 200},
		{"brands-of-category", "/api/brands/", "/api/brands/?category_id=litso", 200},
		{"brand", "/api/brands/{id}/", "/api/brands/tilia?brief=true", 200},
		{"brand-bad-query", "/api/brands/{id}/", "/api/brands/tilia?brief=maybe", 400},
		{"brand-missing", "/api/brands/{id}/", "/api/brands/nope", 404},
		{"geonames", "/api/geonames/", "/api/geonames/?limit=5", 200},
		{"geonames-bad-query", "/api/geonames/", "/api/geonames/?limit=1000", 400},
		{"content-main-slider", "/api/content/find/{name}/", "/api/content/find/main-slider/", 200},
		{"content-discount-text", "/api/content/find/{name}/", "/api/content/find/discount-text/", 200},
		{"content-missing", "/api/content/find/{name}/", "/api/content/find/nope/", 404},
		{"content-home", "/api/content/home/", "/api/content/home/", 200},
		{"page-about", "/api/content/pages/{name}/", "/api/content/pages/about/", 200},
		{"page-advantages", "/api/content/pages/{name}/", "/api/content/pages/advantages/", 200},
		{"page-delivery", "/api/content/pages/{name}/", "/api/content/pages/delivery/", 200},
		{"page-missing", "/api/content/pages/{name}/", "/api/content/pages/privacy/", 404},
		{"document-offer", "/api/documents/{name}/", "/api/documents/offer/", 200},
		{"document-first", "/api/documents/{name}/", "/api/documents/offer/?version=2026-03-01", 200},
		{"document-built-in", "/api/documents/{name}/", "/api/documents/privacy/", 200},
		{"document-missing", "/api/documents/{name}/", "/api/documents/offer/?version=2020-01-01", 404},
		{"posts", "/api/blog/posts/", "/api/blog/posts/?limit=2", 200},
		{"posts-bad-query", "/api/blog/posts/", "/api/blog/posts/?limit=101&offset=-1", 400},
		{"post", "/api/blog/posts/{id}/", "/api/blog/posts/kak-chitat-inci/", 200},
		{"post-missing", "/api/blog/posts/{id}/", "/api/blog/posts/chernovik/", 404},
		{"rules", "/api/rules/", "/api/rules/", 200},
		{"shop", "/api/shop/", "/api/shop/", 200},
		{"promocode", "/api/promocodes/{code}/", "/api/promocodes/welcome10", 200},
		{"profile", "/api/auth/profile/", "/api/auth/profile/", 200},
		{"orders", "/api/orders/", "/api/orders/", 200},
		{"orders-active", "/api/orders/", "/api/orders/?active=true", 200},
		{"orders-processing", "/api/orders/", "/api/orders/?status=PROCESSING", 200},
		{"orders-bad-query", "/api/orders/", "/api/orders/?status=GONE&active=maybe", 400},
		{"order", "/api/orders/{id}/", "/api/orders/" + id(0xe1, 1).String() + "/", 200},
		{"order-missing", "/api/orders/{id}/", "/api/orders/" + id(0xe1, 4).String(), 404},
		{"promocode-missing", "/api/promocodes/{code}/", "/api/promocodes/nope/", 404},
	} {
		t.Run(call.golden, func(t *testing.T) {
			w := get(t, shop, call.address, "Asker", id(0xf0, 1).String())
			if w.Code != call.status {
				t.Fatalf("status %d, want %d: %s", w.Code, call.status, w.Body)
			}
			c.check(t, call.path, w.Code, w.Body.Bytes())
			golden(t, call.golden, w.Body.Bytes())
		})
	}
	var doc struct {
		Paths map[string]map[string]any `json:"paths"`
	}
	if err := json.Unmarshal(contractText(t), &doc); err != nil {
		t.Fatal(err)
	}
	for path, methods := range doc.Paths {
		// These come from the write side, whose tests hold them against the contract.
		written := path == "/api/auth/profile/export/" || path == "/api/auth/profile/sessions/" || path == "/api/auth/profile/passkeys/"
		if _, ok := methods["get"]; ok && !c.seen[path] && !written {
			t.Errorf("no answer of GET %s was checked", path)
		}
	}
}

// golden compares an answer with testdata/<name>.json, which the storefront's tests use as the server's words.
func golden(t *testing.T, name string, body []byte) {
	t.Helper()
	file := filepath.Join("testdata", name+".json")
	var pretty bytes.Buffer
	if err := json.Indent(&pretty, bytes.TrimSpace(body), "", "  "); err != nil {
		t.Fatal(err)
	}
	pretty.WriteByte('\n')
	if *update {
		if err := os.WriteFile(file, pretty.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(pretty.Bytes(), want) {
		t.Errorf("%s differs from the answer (go test ./readapi -update writes it anew):\n%s", file, pretty.Bytes())
	}
}
