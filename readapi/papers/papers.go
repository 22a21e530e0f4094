package papers

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/go-fonts/dejavu/dejavusans"
	"github.com/go-fonts/dejavu/dejavusansbold"
	"github.com/go-pdf/fpdf"

	"shop/domain"
	"shop/readapi/staff"
)

// Kind is what a paper is for.
type Kind string

const (
	// Slip lists the goods for whoever packs, Invoice the sums for the customer, Label goes on the parcel.
	Slip    Kind = "slips"
	Invoice Kind = "invoices"
	Label   Kind = "labels"
)

// Size is what it is printed on; labels have a size of their own.
type Size string

const (
	A4   Size = "a4"
	Roll Size = "80mm"
)

// Widths and heights in millimetres.
const (
	rollWidth   = 80.0
	labelWidth  = 100.0
	labelHeight = 60.0
)

// paper is a document in the making.
type paper struct {
	*fpdf.Fpdf
	seller string
	roll   bool
	margin float64
	width  float64
}

// Print makes the papers of orders, one after the other, each on a page of its own.
func Print(kind Kind, size Size, seller string, orders []staff.Parcel) ([]byte, error) {
	p := paper{Fpdf: fpdf.NewCustom(&fpdf.InitType{UnitStr: "mm", Size: fpdf.SizeType{Wd: 210, Ht: 297}}), seller: seller, roll: size == Roll, margin: 15, width: 210}
	if p.roll {
		p.margin, p.width = 4, rollWidth
	}
	if kind == Label {
		p.roll, p.margin, p.width = false, 4, labelWidth
	}
	p.AddUTF8FontFromBytes("sans", "", dejavusans.TTF)
	p.AddUTF8FontFromBytes("sans", "B", dejavusansbold.TTF)
	p.SetMargins(p.margin, p.margin, p.margin)
	p.SetTitle(fmt.Sprintf("%s, %d", kind, len(orders)), true)
	for _, o := range orders {
		p.page(kind, o)
		switch kind {
		case Slip:
			p.slip(o)
		case Invoice:
			p.invoice(o)
		case Label:
			p.label(o)
		}
	}
	var out bytes.Buffer
	if err := p.Output(&out); err != nil {
		return nil, fmt.Errorf("print %d %s: %w", len(orders), kind, err)
	}
	return out.Bytes(), nil
}

func (p paper) page(kind Kind, o staff.Parcel) {
	switch {
	case kind == Label:
		p.SetAutoPageBreak(false, 0)
		p.AddPageFormat("P", fpdf.SizeType{Wd: labelWidth, Ht: labelHeight})
	case p.roll: // as long as its goods; what does not fit goes on the next piece
		p.SetAutoPageBreak(true, p.margin)
		p.AddPageFormat("P", fpdf.SizeType{Wd: rollWidth, Ht: 95 + 16*float64(len(o.Lines))})
	default:
		p.SetAutoPageBreak(true, p.margin)
		p.AddPageFormat("P", fpdf.SizeType{Wd: 210, Ht: 297})
	}
}

// text writes a paragraph.
func (p paper) text(style string, size float64, text string) {
	if text == "" {
		return
	}
	p.SetFont("sans", style, size)
	p.MultiCell(0, size*0.5, text, "", "L", false)
}

func (p paper) head(title string, o staff.Parcel) {
	p.text("", 9, p.seller)
	p.text("B", 14, title+" "+strconv.FormatInt(o.Number, 10))
	p.code(o.Number, p.margin, p.GetY()+1, 45, 12)
	p.SetY(p.GetY() + 15)
	p.text("", 9, "Оформлен "+o.CreatedAt.In(domain.Almaty).Format("02.01.2006")+promised(o))
	p.text("", 10, strings.Trim(o.Name+", "+o.Phone, ", "))
	p.text("", 10, where(o))
	p.text("", 9, o.Comment)
	p.Ln(2)
}

func promised(o staff.Parcel) string {
	if o.Day == nil {
		return ""
	}
	day, err := time.Parse(time.DateOnly, *o.Day)
	if err != nil {
		return ""
	}
	return ", доставка " + day.Format("02.01.2006")
}

func where(o staff.Parcel) string {
	if o.Delivery == string(domain.Pickup) {
		return "Самовывоз"
	}
	return strings.Trim(o.City+", "+o.Address, ", ")
}

func (p paper) slip(o staff.Parcel) {
	p.head("Сборочный лист", o)
	p.row("B", "Полка", "Артикул и товар", "Шт.")
	for _, l := range o.Lines {
		p.row("", l.Shelf, l.Article+"  "+l.Name, strconv.FormatInt(l.Amount, 10))
	}
	if o.ToCollect > 0 {
		p.Ln(2)
		p.text("B", 11, "Получить с покупателя: "+domain.Tenge(domain.Money(o.ToCollect)))
	}
}

func (p paper) invoice(o staff.Parcel) {
	p.head("Накладная к заказу №", o)
	p.row("B", "Шт.", "Товар", "Сумма, ₸")
	for _, l := range o.Lines {
		p.row("", strconv.FormatInt(l.Amount, 10), l.Name, domain.Tenge(domain.Money(l.Total)))
	}
	if o.DeliveryPrice > 0 {
		p.row("", "", "Доставка", domain.Tenge(domain.Money(o.DeliveryPrice)))
	}
	p.row("B", "", "Итого к оплате", domain.Tenge(domain.Money(o.TotalPaid)))
	if o.ToCollect > 0 {
		p.row("B", "", "Осталось оплатить", domain.Tenge(domain.Money(o.ToCollect)))
	} else {
		p.row("", "", "Оплачено", "")
	}
}

// row writes a row of three columns; the middle one takes as many lines as it needs.
func (p paper) row(style, left, middle, right string) {
	wide := 24.0
	if p.roll {
		wide = 17
	}
	size := 9.0
	p.SetFont("sans", style, size)
	_, height := p.GetPageSize()
	middleWidth := p.width - 2*p.margin - 2*wide
	lines := len(p.SplitText(middle, middleWidth-2))
	need := float64(max(1, lines)) * 4.5
	if p.GetY()+need > height-p.margin {
		p.AddPageFormat("P", fpdf.SizeType{Wd: p.width, Ht: height})
	}
	x, y := p.margin, p.GetY()
	p.CellFormat(wide, 4.5, left, "", 0, "L", false, 0, "")
	p.MultiCell(middleWidth, 4.5, middle, "", "L", false)
	after := p.GetY()
	p.SetXY(x+wide+middleWidth, y)
	p.CellFormat(wide, 4.5, right, "", 0, "R", false, 0, "")
	p.SetDrawColor(190, 190, 190)
	p.Line(x, after+0.7, p.width-p.margin, after+0.7)
	p.SetXY(x, after+1.5)
}

func (p paper) label(o staff.Parcel) {
	p.SetXY(p.margin, p.margin)
	p.text("B", 22, "№ "+strconv.FormatInt(o.Number, 10))
	p.code(o.Number, labelWidth-58, p.margin, 54, 16)
	p.SetXY(p.margin, 24)
	p.text("B", 12, o.Name)
	p.text("", 10, o.Phone)
	p.text("", 10, where(o))
	if o.ToCollect > 0 {
		p.text("B", 12, "Получить "+domain.Tenge(domain.Money(o.ToCollect)))
	}
	p.SetXY(p.margin, labelHeight-6)
	p.text("", 7, p.seller)
}

// code draws the number of an order as Code 128.
func (p paper) code(number int64, x, y, width, height float64) {
	widths, err := code128(strconv.FormatInt(number, 10))
	if err != nil { // digits are always coded
		return
	}
	modules := 0
	for _, w := range widths {
		modules += w
	}
	unit := width / float64(modules)
	p.SetFillColor(0, 0, 0)
	for i, w := range widths {
		if i%2 == 0 {
			p.Rect(x, y, unit*float64(w), height, "F")
		}
		x += unit * float64(w)
	}
}
