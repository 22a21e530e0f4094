package search

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"shop/readapi/replicas"
)

// Index is the goods on sale as searches see them. It is safe for concurrent use.
type Index struct {
	db       replicas.DB
	analyzer *analyzer
	// following lets one caller at a time bring the index up to date.
	following sync.Mutex

	mu    sync.RWMutex
	index *index
	state state
}

// state says what an index has seen of the read model.
type state struct {
	// Table is the table's number in the database, which a rebuild changes; Positions are the last of each part.
	Table     int64
	Positions []int64
	// Groups changes with any brand, category or mark, Lexicon with the block of content.
	Groups, Lexicon string
}

// New is an index over a database, which is read when the first search comes.
func New(db replicas.DB) *Index { return &Index{db: db, analyzer: newAnalyzer()} }

// LexiconBlock is the block of content that takes the place of Synonyms.
const LexiconBlock = "synonyms"

const presentState = `SELECT 'catalog.product'::regclass::oid::bigint,
	ARRAY(SELECT coalesce((SELECT max(position) FROM catalog.product WHERE part = n), 0) FROM generate_series(0, 3) n ORDER BY n),
	(SELECT coalesce(sum(position), 0) FROM catalog.brand)::text || '/' || (SELECT coalesce(sum(position), 0) FROM catalog.category)::text
		|| '/' || (SELECT coalesce(sum(position), 0) FROM catalog.mark)::text,
	coalesce((SELECT updated_at::text || length(text) FROM content.block WHERE name = '` + LexiconBlock + `'), '')`

// follow brings the index up to what the read model shows now.
func (s *Index) follow(ctx context.Context) error {
	var now state
	if err := s.db.QueryRow(ctx, presentState).Scan(&now.Table, &now.Positions, &now.Groups, &now.Lexicon); err != nil {
		return fmt.Errorf("ask what has changed for searches: %w", err)
	}
	if s.seen(now) {
		return nil
	}
	s.following.Lock()
	defer s.following.Unlock()
	if s.seen(now) {
		return nil
	}
	s.mu.RLock()
	old, had := s.index, s.state
	s.mu.RUnlock()
	if old == nil || had.Table != now.Table || had.Groups != now.Groups || had.Lexicon != now.Lexicon || old.gone > len(old.by) {
		return s.rebuild(ctx, now)
	}
	rows, err := s.rows(ctx, had.Positions)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.index.take(rows)
	s.state = now
	return nil
}

// seen is whether the index shows at least this.
func (s *Index) seen(now state) bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.index == nil || s.state.Table != now.Table || s.state.Groups != now.Groups || s.state.Lexicon != now.Lexicon {
		return false
	}
	for i, position := range now.Positions {
		if s.state.Positions[i] < position {
			return false
		}
	}
	return true
}

func (s *Index) rebuild(ctx context.Context, now state) error {
	text := Synonyms
	err := s.db.QueryRow(ctx, "SELECT text FROM content.block WHERE name = $1 AND text <> ''", LexiconBlock).Scan(&text)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return fmt.Errorf("read the lexicon: %w", err)
	}
	// A line that cannot be read was refused when the block was written; what an older block has of them is left out.
	lexicon, _ := readLexicon(text, s.analyzer)
	rows, err := s.rows(ctx, []int64{0, 0, 0, 0})
	if err != nil {
		return err
	}
	fresh := newIndex(s.analyzer, lexicon)
	fresh.take(rows)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.index, s.state = fresh, now
	return nil
}

// row is a product of the read model.
type row struct {
	Product
	OnSale bool
}

// rows are the products that changed after these positions.
func (s *Index) rows(ctx context.Context, after []int64) ([]row, error) {
	rows, err := s.db.Query(ctx, `SELECT p.id, p.article, p.name, p.package_size, coalesce(b.id, @none), coalesce(b.name, ''), coalesce(c.id, @none), coalesce(c.name, ''),
			coalesce(cp.id, @none), coalesce(cp.name, ''), ARRAY(SELECT m.name FROM catalog.mark m WHERE m.id = ANY(p.marks) AND NOT m.archived),
			p.description, p.composition, p.discounted_price, p.price, p.on_sale, p.kazakh->>'name', p.kazakh->>'package_size', p.kazakh->>'description', coalesce(c.kazakh->>'name', ''),
			coalesce(cp.kazakh->>'name', ''), ARRAY(SELECT m.kazakh->>'name' FROM catalog.mark m WHERE m.id = ANY(p.marks) AND NOT m.archived)
		FROM unnest(@after::bigint[]) WITH ORDINALITY AS seen(position, place)
		JOIN catalog.product p ON p.part = seen.place - 1 AND p.position > seen.position
		LEFT JOIN catalog.brand b ON b.id = p.brand_id AND NOT b.archived
		LEFT JOIN catalog.category c ON c.id = p.category_id AND NOT c.archived
		LEFT JOIN catalog.category cp ON cp.id = c.parent_id AND NOT cp.archived
		ORDER BY p.added_at DESC, p.id`, pgx.NamedArgs{"after": after, "none": uuid.Nil})
	if err != nil {
		return nil, fmt.Errorf("read products for searches: %w", err)
	}
	found, err := pgx.CollectRows(rows, func(r pgx.CollectableRow) (p row, err error) {
		err = r.Scan(&p.ID, &p.Article, &p.Name, &p.Size, &p.BrandID, &p.Brand, &p.CategoryID, &p.Category, &p.ParentID, &p.Parent, &p.Marks, &p.Description, &p.Composition, &p.Price, &p.FullPrice, &p.OnSale,
			&p.Kazakh.Name, &p.Kazakh.Size, &p.Kazakh.Description, &p.Kazakh.Category, &p.Kazakh.Parent, &p.Kazakh.Marks)
		return p, err
	})
	if err != nil {
		return nil, fmt.Errorf("read products for searches: %w", err)
	}
	return found, nil
}

func (x *index) take(rows []row) {
	for _, r := range rows {
		if r.OnSale {
			x.put(r.Product)
		} else {
			x.remove(r.ID)
		}
	}
	x.finish()
}

// Found is what a search found.
type Found struct {
	// Hits are the products, best first. None: nothing in the shop answers, and Near holds what is nearest to it.
	Hits []Hit
	Near []Hit
	// Corrected is the text that the search was understood as; empty: as it was written.
	Corrected string
	// Brands and Categories are those that the text names, best first.
	Brands, Categories []uuid.UUID
	// Needs are the needs that the hits answer, with how many of them do.
	Needs []NeedCount

	query query
}

// NeedCount is a need with how many goods of a list answer it.
type NeedCount struct {
	Need
	Count int `json:"count"`
}

// Search finds products by any text. typing: its last word is probably unfinished.
func (s *Index) Search(ctx context.Context, text string, typing bool) (Found, error) {
	if err := s.follow(ctx); err != nil {
		return Found{}, err
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	x := s.index
	q := x.understand(text, typing)
	f := Found{Hits: x.affordable(x.matching(q), q.budget), Corrected: q.corrected, query: q}
	if len(f.Hits) == 0 {
		f.Corrected = ""
		if !q.article && len(q.units) > 0 {
			f.Near = x.ranked(q, false)
		}
		return f, nil
	}
	f.Brands, f.Categories = x.owners(q)
	f.Needs = x.needs(f.Hits)
	return f, nil
}

// Marked are the words of a name, as it spells them, that a search asked for.
func (s *Index) Marked(f Found, name string) []string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.index.marked(f.query, name)
}

// Answering are the products that answer one of these needs.
func (s *Index) Answering(ctx context.Context, needs []string) ([]uuid.UUID, error) {
	if err := s.follow(ctx); err != nil {
		return nil, err
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	found := []uuid.UUID{}
	for _, need := range needs {
		for _, p := range s.index.postings["?"+need] {
			if product := &s.index.products[p.product]; product.alive && p.places&strong != 0 {
				found = append(found, product.ID)
			}
		}
	}
	return found, nil
}
