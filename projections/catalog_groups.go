package projections

import (
	"shop/domain"
	"shop/domain/catalog"
	"shop/eventstore"
)

// Category is a row of catalog.category. A zero ParentID is the top.
type Category struct {
	ID          domain.ID        `json:"id"`
	Link        string           `json:"link"`
	Name        string           `json:"name"`
	Description string           `json:"description"`
	Kazakh      catalog.Wording  `json:"kazakh"`
	ParentID    domain.ID        `json:"parent_id"`
	Picture     *catalog.Picture `json:"picture"`
	Placeholder string           `json:"placeholder"`
	SortOrder   int              `json:"sort_order"`
	Archived    bool             `json:"archived"`
	// Position is that of the last event.
	Position int64 `json:"position"`
}

var categories = Table[Category]{
	Name: "category", Key: "id", KeyType: "uuid",
	DDL: `CREATE TABLE category (
		id          uuid    PRIMARY KEY,
		link        text    NOT NULL,
		name        text    NOT NULL,
		description text    NOT NULL,
		kazakh      jsonb   NOT NULL,
		parent_id   uuid    NOT NULL,
		picture     jsonb,
		placeholder text    NOT NULL,
		sort_order  integer NOT NULL,
		archived    boolean NOT NULL,
		position    bigint NOT NULL,
		title       tsvector GENERATED ALWAYS AS (to_tsvector('russian', ` + plain("left(name, 2000)") + `)) STORED
	)`,
	Indexes: `
		CREATE INDEX category_by_link ON category (link);
		CREATE INDEX category_by_parent ON category (parent_id)`,
	Events: []domain.Event{catalog.CategoryAdded{}, catalog.CategoryChanged{}, catalog.CategoryArchived{}},
	Keys:   keyAfter("category-"), Stream: streamOf("category-"),
	Fold: func(_ string, c *Category, event eventstore.Event) bool {
		set := func(from catalog.Category) {
			c.Link, c.Name, c.Description, c.Kazakh, c.ParentID = from.Link, from.Name, from.Description, from.Kazakh, from.ParentID
			c.Picture, c.Placeholder, c.SortOrder = from.Picture, from.Placeholder, from.Order
		}
		switch e := event.Data.(type) {
		case catalog.CategoryAdded:
			c.ID, c.Archived = e.ID, false // it may come back
			set(e.Category)
		case catalog.CategoryChanged:
			set(e.Category)
			c.Archived = false
		case catalog.CategoryArchived:
			c.Archived = true
		}
		c.Position = int64(event.Position)
		return c.ID != domain.ID{}
	},
}

// Brand is a row of catalog.brand.
type Brand struct {
	ID                domain.ID        `json:"id"`
	Link              string           `json:"link"`
	Name              string           `json:"name"`
	Description       string           `json:"description"`
	DescriptionKazakh string           `json:"description_kk"`
	Logo              *catalog.Picture `json:"logo"`
	Picture           *catalog.Picture `json:"picture"`
	Archived          bool             `json:"archived"`
	// Position is that of the last event.
	Position int64 `json:"position"`
}

var brands = Table[Brand]{
	Name: "brand", Key: "id", KeyType: "uuid",
	DDL: `CREATE TABLE brand (
		id          uuid    PRIMARY KEY,
		link        text    NOT NULL,
		name        text    NOT NULL,
		description text    NOT NULL,
		description_kk text NOT NULL,
		logo        jsonb,
		picture     jsonb,
		archived    boolean NOT NULL,
		position    bigint NOT NULL,
		called      text     GENERATED ALWAYS AS (btrim(regexp_replace(` + plain("lower(left(name, 400))") + `, ' +', ' ', 'g'))) STORED,
		title       tsvector GENERATED ALWAYS AS (to_tsvector('simple', ` + plain("left(name, 2000)") + `)) STORED
	)`,
	Indexes: `CREATE INDEX brand_by_link ON brand (link)`,
	Events:  []domain.Event{catalog.BrandAdded{}, catalog.BrandChanged{}, catalog.BrandArchived{}},
	Keys:    keyAfter("brand-"), Stream: streamOf("brand-"),
	Fold: func(_ string, b *Brand, event eventstore.Event) bool {
		set := func(from catalog.Brand) {
			b.Link, b.Name, b.Description, b.DescriptionKazakh = from.Link, from.Name, from.Description, from.DescriptionKazakh
			b.Logo, b.Picture = from.Logo, from.Picture
		}
		switch e := event.Data.(type) {
		case catalog.BrandAdded:
			b.ID, b.Archived = e.ID, false // it may come back
			set(e.Brand)
		case catalog.BrandChanged:
			set(e.Brand)
			b.Archived = false
		case catalog.BrandArchived:
			b.Archived = true
		}
		b.Position = int64(event.Position)
		return b.ID != domain.ID{}
	},
}

// Mark is a row of catalog.mark.
type Mark struct {
	ID          domain.ID        `json:"id"`
	Name        string           `json:"name"`
	Description string           `json:"description"`
	Kazakh      catalog.Wording  `json:"kazakh"`
	Picture     *catalog.Picture `json:"picture"`
	Archived    bool             `json:"archived"`
	// Position is that of the last event.
	Position int64 `json:"position"`
}

var marks = Table[Mark]{
	Name: "mark", Key: "id", KeyType: "uuid",
	DDL: `CREATE TABLE mark (
		id          uuid    PRIMARY KEY,
		name        text    NOT NULL,
		description text    NOT NULL,
		kazakh      jsonb   NOT NULL,
		picture     jsonb,
		archived    boolean NOT NULL,
		position    bigint NOT NULL
	)`,
	Events: []domain.Event{catalog.MarkAdded{}, catalog.MarkChanged{}, catalog.MarkArchived{}},
	Keys:   keyAfter("mark-"), Stream: streamOf("mark-"),
	Fold: func(_ string, m *Mark, event eventstore.Event) bool {
		set := func(from catalog.Mark) {
			m.Name, m.Description, m.Kazakh, m.Picture = from.Name, from.Description, from.Kazakh, from.Picture
		}
		switch e := event.Data.(type) {
		case catalog.MarkAdded:
			m.ID, m.Archived = e.ID, false // it may come back
			set(e.Mark)
		case catalog.MarkChanged:
			set(e.Mark)
			m.Archived = false
		case catalog.MarkArchived:
			m.Archived = true
		}
		m.Position = int64(event.Position)
		return m.ID != domain.ID{}
	},
}
