package staff

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"shop/readapi"
)

const (
	// maxLike is how far orders are counted that hold words like the typed ones: each of them costs a comparison of the words.
	maxLike = 500
	// maxGoods is how many products the words of a search may mean, goodsTogether how many of them one scan of the index of goods
	// looks for: its cost grows with their number for every order that has one of them.
	maxGoods, goodsTogether = 1000, 16
	// newestOrders are looked through for a page before all orders that match are sorted.
	newestOrders = 2_000
)

// spelling is how the words of a search are compared: as they were typed, or with names or goods that are like them.
type spelling int

const (
	asTyped spelling = iota
	likeNames
	likeGoods
)

// most is how far matches are counted.
func (how spelling) most() int64 {
	if how == asTyped {
		return maxFound
	}
	return maxLike
}

// matched is what a search matches: where with args, in SQL of constants.
type matched struct {
	where string
	// walked is the same condition, cheap to check order by order and without an index of its own; only of words that many orders hold.
	walked string
	args   pgx.NamedArgs
	// count is how many orders match, as far as they are counted; more says that there are more.
	count int64
	more  bool
}

// Settings of a search for words. planned: PostgreSQL compares with a list of goods by a hash only when it plans for that list. byIndex:
// it cannot know how few orders hold a word, which its index does; words shorter than a trigram are not in the index. likeWords is how
// near a misspelt word has to be (pg_trgm's <%): at 0.45 one wrong letter in seven is forgiven.
const (
	planned   = "SET LOCAL plan_cache_mode = force_custom_plan;"
	byIndex   = "SET LOCAL enable_seqscan = off;"
	likeWords = "SET LOCAL pg_trgm.word_similarity_threshold = 0.45;"
	trigram   = 3
)

// match says what the search matches. When nothing holds the words as they were typed, they may be misspelt: a name, or else a product.
func (f OrderSearch) match(ctx context.Context, tx pgx.Tx, persons bool) (matched, error) {
	query := readapi.Clean(f.Query, maxQuery)
	typed := words(query, persons)
	if typed != "" {
		settings := planned + likeWords
		if utf8.RuneCountInString(typed) >= trigram {
			settings += byIndex
		}
		if _, err := tx.Exec(ctx, settings); err != nil {
			return matched{}, err
		}
	}
	for how := asTyped; ; how++ {
		if how == likeNames && !persons {
			continue
		}
		goods, err := goodsCalled(ctx, tx, how, typed)
		if err != nil {
			return matched{}, err
		}
		m := f.conditions(query, persons, how, goods)
		most := how.most()
		if m.walked == "" {
			err := tx.QueryRow(ctx, "SELECT count(*) FROM (SELECT FROM orders.orders o WHERE "+m.where+upTo(most)+") counted", m.args).Scan(&m.count)
			m.more = m.count > most
			m.count = min(m.count, most)
			return m, err
		}
		// Words cost more to look for than the orders that hold them: these are found once.
		ids, err := orderIDs(ctx, tx, "SELECT o.id FROM orders.orders o WHERE "+m.where+upTo(most), m.args)
		if err != nil {
			return matched{}, err
		}
		switch n := int64(len(ids)); {
		case n > most:
			m.count, m.more = most, true
			return m, nil
		case n > 0, isArticle(typed), how == likeGoods:
			return matched{where: "o.id = ANY (@ids)", args: pgx.NamedArgs{"ids": ids}, count: n}, nil
		}
	}
}

// isArticle says whether typed words look like an article: one word with three digits or more. All articles of a series are as like it as the
// one that was meant, so there is nothing to find by likeness.
func isArticle(typed string) bool {
	digits := 0
	for _, r := range typed {
		if unicode.IsDigit(r) {
			digits++
		}
	}
	return digits >= 3 && !strings.ContainsFunc(typed, unicode.IsSpace)
}

// upTo bounds how far orders are counted.
func upTo(most int64) string { return " LIMIT " + strconv.FormatInt(most+1, 10) }

func orderIDs(ctx context.Context, tx pgx.Tx, sql string, args pgx.NamedArgs) ([]uuid.UUID, error) {
	rows, err := tx.Query(ctx, sql, args)
	if err != nil {
		return nil, err
	}
	ids, err := pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
	return orEmpty(ids), err
}

// page are the ids of a page's orders in their order. What the list shows is read for these alone.
func (f OrderSearch) page(ctx context.Context, tx pgx.Tx, m matched) ([]uuid.UUID, error) {
	m.args["limit"], m.args["offset"], m.args["last"] = f.Limit, f.Offset, f.Limit+f.Offset
	sorted := " ORDER BY " + orderSorts[f.Sort] + " LIMIT @limit OFFSET @offset"
	switch {
	case m.more && m.walked != "" && f.Sort == "":
		// The newest orders mostly hold a page of what many orders match; else all that match are sorted.
		ids, err := orderIDs(ctx, tx, "SELECT o.id FROM (SELECT * FROM orders.orders o ORDER BY "+orderSorts[""]+" LIMIT "+strconv.Itoa(newestOrders)+") o WHERE "+m.walked+sorted, m.args)
		if err != nil || len(ids) == f.Limit {
			return ids, err
		}
		return orderIDs(ctx, tx, "WITH o AS MATERIALIZED (SELECT o.id, o.created_at, o.number FROM orders.orders o WHERE "+m.where+") SELECT o.id FROM o"+sorted, m.args)
	case f.Sort == "" && len(f.Statuses) > 1:
		// Each status has its orders by age; their heads are merged.
		m.args["each"] = distinct(f.Statuses)
		return orderIDs(ctx, tx, "SELECT o.id FROM unnest(@each::text[]) each (status) CROSS JOIN LATERAL (SELECT o.id, o.created_at, o.number FROM orders.orders o"+
			" WHERE o.status = each.status AND "+m.where+" ORDER BY "+orderSorts[""]+" LIMIT @last) o"+sorted, m.args)
	case m.more:
		// When many match, walking the orders as the list has them finds a page sooner than sorting all that match. The planner cannot
		// know how many match.
		if _, err := tx.Exec(ctx, "SET LOCAL enable_bitmapscan = off; SET LOCAL enable_sort = off"); err != nil {
			return nil, err
		}
		where := m.where
		if m.walked != "" {
			where = m.walked
		}
		ids, err := orderIDs(ctx, tx, "SELECT o.id FROM orders.orders o WHERE "+where+sorted, m.args)
		if err == nil {
			_, err = tx.Exec(ctx, "SET LOCAL enable_bitmapscan = on; SET LOCAL enable_sort = on")
		}
		return ids, err
	}
	return orderIDs(ctx, tx, "SELECT o.id FROM orders.orders o WHERE "+m.where+sorted, m.args)
}

func distinct(all []string) []string { return slices.Compact(slices.Sorted(slices.Values(all))) }

// productWords has an index of the catalog read model; it has to be spelled as there.
const productWords = "lower(p.name || ' ' || p.article)"

// goodsCalled finds the products that words may mean: those that hold them, or misspelt those that hold the like.
func goodsCalled(ctx context.Context, tx pgx.Tx, how spelling, words string) ([]uuid.UUID, error) {
	if words == "" || how == likeNames {
		return nil, nil
	}
	like, args := productWords+" LIKE @words", pgx.NamedArgs{"words": "%" + escaped(words) + "%"}
	if how == likeGoods {
		like, args = "@typed::text <% "+productWords, pgx.NamedArgs{"typed": words}
	}
	return orderIDs(ctx, tx, "SELECT p.id FROM catalog.product p WHERE "+like+" LIMIT "+strconv.Itoa(maxGoods), args)
}

// conditions are the search as SQL of constants, and the values it compares with.
func (f OrderSearch) conditions(query string, persons bool, how spelling, goods []uuid.UUID) matched {
	args := pgx.NamedArgs{}
	all := []string{"true"}
	add := func(given bool, name string, value any, sql string) {
		if given {
			all, args[name] = append(all, sql), value
		}
	}
	add(len(f.Statuses) > 0, "statuses", f.Statuses, "o.status = ANY (@statuses)")
	add(f.Paid != nil, "paid", f.Paid, "o.is_paid = @paid")
	add(f.PaymentMethod != "", "method", f.PaymentMethod, "o.payment_method = @method")
	add(f.DeliveryType != "", "delivery", f.DeliveryType, "o.delivery_type = @delivery")
	add(f.City != "", "city", readapi.Clean(f.City, maxQuery), "o.customer_city = @city")
	add(f.DayFrom != "", "day_from", f.DayFrom, "o.delivery_date >= @day_from::text::date")
	add(f.DayTo != "", "day_to", f.DayTo, "o.delivery_date <= @day_to::text::date")
	add(f.PlacedFrom != "", "placed_from", f.PlacedFrom, "o.created_at >= @placed_from::text::date::timestamp AT TIME ZONE 'Asia/Almaty'")
	add(f.PlacedTo != "", "placed_to", f.PlacedTo, "o.created_at < (@placed_to::text::date + 1)::timestamp AT TIME ZONE 'Asia/Almaty'")
	add(f.Tag != "", "tag", []string{strings.ToLower(readapi.Clean(f.Tag, maxQuery))}, "o.tags <> '[]' AND o.tags @> to_jsonb(@tag::text[])")
	add(f.AssignedTo != uuid.Nil, "assigned", f.AssignedTo, "o.assigned_to = @assigned AND o.assigned_to <> '00000000-0000-0000-0000-000000000000'")
	if f.Owing {
		all = append(all, "o.owed > 0")
	}
	m := matched{where: strings.Join(all, " AND "), args: args}
	if query == "" {
		return m
	}
	if words(query, persons) != "" {
		m.walked = m.where + " AND " + queried(query, persons, how, args, goodsWalked(goods, args))
	}
	m.where += " AND " + queried(query, persons, how, args, goodsIndexed(goods, args))
	return m
}

// goodsIndexed are the orders of goods by the index of goods.
func goodsIndexed(goods []uuid.UUID, args pgx.NamedArgs) []string {
	var ways []string
	for part := range slices.Chunk(goods, goodsTogether) {
		name := fmt.Sprint("goods", len(ways))
		args[name] = part
		ways = append(ways, "o.products && @"+name+"::uuid[]")
	}
	return ways
}

// goodsWalked are the orders of goods by looking at each order.
func goodsWalked(goods []uuid.UUID, args pgx.NamedArgs) []string {
	if len(goods) == 0 {
		return nil
	}
	args["goods"] = goods
	return []string{"EXISTS (SELECT FROM unnest(o.products) of (product) WHERE of.product = ANY (@goods::uuid[]))"}
}

// words are what a query says that is no number, phone or e-mail, in lower case; else empty.
func words(query string, persons bool) string {
	digits, ok := onlyDigits(query)
	switch {
	case ok && (isNumber(digits) || persons && len(digits) >= 4) && !strings.ContainsAny(query, "-/."): // an article may be made of digits and signs
		return ""
	case !ok && persons && strings.Contains(query, "@"):
		return ""
	}
	return strings.ToLower(query)
}

func isNumber(digits string) bool {
	_, err := strconv.ParseInt(digits, 10, 64)
	return err == nil
}

// queried is what a typed query asks for: a number, a phone, an e-mail, or words of a name or of goods, of which ofGoods are the orders.
func queried(query string, persons bool, how spelling, args pgx.NamedArgs, ofGoods []string) string {
	ways := []string{"false"}
	if digits, ok := onlyDigits(query); ok {
		if number, err := strconv.ParseInt(digits, 10, 64); err == nil {
			args["number"] = number
			ways = append(ways, "o.number = @number")
		}
		if persons && len(digits) >= 4 {
			args["phone"] = phoneStart(digits)
			ways = append(ways, orderPhone+" LIKE @phone || '%'")
			args["ending"] = reversed(digits)
			ways = append(ways, "reverse("+orderPhone+") LIKE @ending || '%'")
		}
	} else if persons && strings.Contains(query, "@") {
		args["email"] = escaped(strings.ToLower(query))
		return orderEmail + " LIKE @email || '%'"
	}
	if typed := words(query, persons); typed != "" {
		switch {
		case how == likeNames:
			args["typed"] = typed
			ways = append(ways, "@typed::text <% "+orderName)
		case how == asTyped && persons:
			args["words"] = "%" + escaped(typed) + "%"
			ways = append(ways, orderName+" LIKE @words")
		}
		if how != likeNames {
			ways = append(ways, ofGoods...)
		}
	}
	return "(" + strings.Join(ways, " OR ") + ")"
}
