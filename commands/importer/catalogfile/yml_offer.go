package catalogfile

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math/big"
	"strings"
)

func (y *ymlSource) offer() (Row, error) {
	line := y.line
	element, err := y.capture("offer", maxRecord)
	switch {
	case errors.Is(err, errUnclosed):
		y.drop(1)
		return Row{}, &RowError{Line: line, Reason: "<offer> is not closed"}
	case errors.Is(err, errTooLarge):
		y.drop(1)
		return Row{}, &RowError{Line: line, Reason: fmt.Sprintf("<offer> is larger than %d MiB", maxRecord>>20)}
	case err != nil:
		return Row{}, err
	}
	o := offer{entry: entry{line: line, cells: map[Field]string{}, rate: y.rate}, mapping: y.mapping, rank: map[Field]int{}}
	err = o.read(element)
	y.drop(len(element))
	if err != nil {
		return Row{}, &RowError{Line: line, Reason: xmlReason(err, line)}
	}
	if err := y.finish(&o); err != nil {
		return Row{}, err
	}
	return o.row()
}

var ymlElements = map[string]Field{
	"name":              Name,
	"vendor":            Brand,
	"vendorCode":        Article,
	"price":             Price,
	"oldprice":          OldPrice,
	"description":       Description,
	"country_of_origin": MadeIn,
	"picture":           Pictures,
	"count":             Stock,
	"stock_quantity":    Stock,
	"quantity":          Stock,
	"quantity_in_stock": Stock,
}

// paramFields are the fields that a param may state.
var paramFields = map[Field]bool{
	Link: true, Brand: true, Composition: true, Expires: true, ApplyMethod: true,
	PackageSize: true, MadeIn: true, Marks: true, Stock: true, Archived: true,
	KazakhName: true, KazakhDescription: true, KazakhExpires: true, KazakhApplyMethod: true, KazakhPackageSize: true, KazakhMadeIn: true,
}

func (o *offer) put(field Field, rank int, value string) {
	value = strings.TrimSpace(value)
	switch {
	case value == "":
	case field == Pictures:
		if len(o.pictures) < 50 {
			o.pictures = append(o.pictures, value)
		}
	case field == Marks && o.rank[field] == rank:
		o.cells[field] += "|" + value
	case o.rank[field] < rank:
		o.cells[field], o.rank[field] = value, rank
	}
}

func (o *offer) fallback(field Field, value string) {
	if o.cells[field] == "" {
		o.cells[field] = value
	}
}

func (o *offer) read(element []byte) error {
	d := newDecoder(element)
	depth := 0
	var child xml.StartElement
	var text strings.Builder
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		switch t := token.(type) {
		case xml.StartElement:
			depth++
			switch {
			case depth == 1:
				o.attributes(t.Attr)
			case depth == 2:
				child = t.Copy()
				text.Reset()
			case child.Name.Local == "outlets":
				o.outlet(t)
			default: // HTML that stands in a description without CDATA
				fmt.Fprintf(&text, "<%s>", t.Name.Local)
			}
		case xml.EndElement:
			if depth == 2 {
				o.child(child, text.String())
			} else if depth > 2 {
				fmt.Fprintf(&text, "</%s>", t.Name.Local)
			}
			depth--
		case xml.CharData:
			if depth >= 2 {
				text.Write(t)
			}
		}
	}
}

func (o *offer) attributes(attrs []xml.Attr) {
	for _, a := range attrs {
		if field, ok := o.mapping[mappingKey("@"+a.Name.Local)]; ok {
			o.put(field, byMapping, a.Value)
		}
		switch a.Name.Local {
		case "id":
			o.id = a.Value
		case "available":
			o.put(Available, byElement, a.Value)
		case "deleted":
			o.put(Archived, byElement, a.Value)
		}
	}
}

func (o *offer) child(e xml.StartElement, text string) {
	name := e.Name.Local
	if name == "param" {
		o.param(attribute(e, "name"), attribute(e, "unit"), text)
		return
	}
	if field, ok := o.mapping[mappingKey(name)]; ok {
		o.put(field, byMapping, text)
	}
	switch name {
	case "categoryId":
		o.category = strings.TrimSpace(text)
	case "currencyId":
		o.currency = strings.TrimSpace(text)
	case "typePrefix":
		o.typePrefix = text
	case "model":
		o.model = text
	case "url":
		o.put(Link, byElement, linkOfURL(text))
	case "outlets":
		if o.hasOutlets {
			o.put(Stock, byParam, fmt.Sprint(o.outlets))
		}
	default:
		if field, ok := ymlElements[name]; ok {
			o.put(field, byElement, text)
		}
	}
}

func (o *offer) outlet(e xml.StartElement) {
	amount, _, reason := parseAmount(attribute(e, "instock"))
	if reason == "" && amount.IsInt() && amount.Sign() >= 0 && amount.Cmp(big.NewRat(MaxStock, 1)) <= 0 {
		o.outlets += amount.Num().Int64()
		o.hasOutlets = true
	}
}

func (o *offer) param(name, unit, value string) {
	if field, ok := o.mapping[mappingKey(name)]; ok {
		o.put(field, byMapping, value)
		return
	}
	if unit != "" && strings.TrimSpace(value) != "" {
		value = strings.TrimSpace(value) + " " + unit
	}
	if field, ok := fieldOfAlias[normalHeader(name)]; ok && paramFields[field] {
		o.put(field, byParam, value)
		return
	}
	name, value = oneLine(name), plainText(value)
	if name != "" && value != "" && len(o.params) < maxParams && len(name) <= 200 && len(value) <= 2000 {
		o.params = append(o.params, Param{name, value})
	}
}

func attribute(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// linkOfURL takes the slug from addresses of the form …/product/<slug>/;
// other shops' addresses say nothing about ours.
func linkOfURL(address string) string {
	path, _, _ := strings.Cut(strings.TrimSpace(address), "?")
	_, link, found := strings.Cut(path, "/product/")
	link = strings.TrimSuffix(link, "/")
	if !found || !slug.MatchString(link) {
		return ""
	}
	return link
}
