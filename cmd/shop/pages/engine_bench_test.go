package pages

import (
	"context"
	"net/http"
	"os"
	"testing"
	"time"

	"shop/cmd/shop/shoptest"
	"shop/readapi"
)

// recorded is an endpoint that answers as the API did once.
func recorded(b *testing.B, name string) readapi.Endpoint {
	b.Helper()
	text, err := os.ReadFile("../../../readapi/testdata/" + name + ".json")
	if err != nil {
		b.Fatal(err)
	}
	return func(*http.Request) (*readapi.Reply, error) {
		return readapi.ReplyWith(rawJSON(text), readapi.Part{Model: "catalog"})
	}
}

type rawJSON []byte

func (r rawJSON) MarshalJSON() ([]byte, error) { return r, nil }

// BenchmarkFirstRender measures what a page costs an engine that nobody has asked for before: to learn what it asks, what
// its head is, and its HTML. A kept page costs an engine nothing: what it asks is remembered.
func BenchmarkFirstRender(b *testing.B) {
	p, err := LoadPages(shoptest.Built, "Дала", "https://shop.example", shoptest.Quiet)
	if err != nil {
		b.Fatal(err)
	}
	p.Engines = StartEngines(shoptest.ServerScript(), "Дала", p.Origin, 1)
	b.Cleanup(p.Engines.Stop)
	p.Gather = readapi.NewAnswers(16<<20, time.Now).Gather
	p.Reads = NewReads(map[string]readapi.Endpoint{
		"/api/products": recorded(b, "products"), "/api/products/popular": recorded(b, "products"), "/api/products/{id}": recorded(b, "product"),
		"/api/products/{id}/similar": recorded(b, "products"), "/api/categories": recorded(b, "categories"), "/api/brands": recorded(b, "brands"),
		"/api/brands/{id}": recorded(b, "brand"), "/api/rules": recorded(b, "rules"), "/api/shop": recorded(b, "shop"),
	})
	ctx := context.Background()
	for name, address := range map[string]string{"home": "/", "product": "/product/ostara-niacinamide-serum", "category": "/category/uhod-za-litsom?page=2"} {
		made, err := p.Engines.asks(ctx, address)
		if err != nil {
			b.Fatal(err)
		}
		f, err := p.fill(ctx, View{plan: made}, russian)
		if err != nil {
			b.Fatal(name, err)
		}
		given := string(f.given)
		if _, err := p.Engines.Render(ctx, russian, made.At, given); err != nil { // now it is warm
			b.Fatal(err)
		}
		b.Run(name+"/asks", func(b *testing.B) {
			for b.Loop() {
				p.Engines.asks(ctx, address)
			}
		})
		b.Run(name+"/answers and head", func(b *testing.B) {
			for b.Loop() {
				p.fill(ctx, View{plan: made}, russian)
			}
		})
		b.Run(name+"/render", func(b *testing.B) {
			for b.Loop() {
				p.Engines.Render(ctx, russian, made.At, given)
			}
		})
		b.Run(name+"/kept plan", func(b *testing.B) {
			for b.Loop() {
				p.plan(ctx, address)
			}
		})
	}
}
