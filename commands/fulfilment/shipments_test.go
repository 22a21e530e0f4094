package fulfilment_test

import (
	"errors"
	"fmt"
	"testing"

	"shop/commands/fulfilment"
)

func TestAFileOfShipmentsIsRead(t *testing.T) {
	t.Parallel()
	rows, wrong, err := fulfilment.ReadShipments("\ufeffnumber;carrier;tracking\n100001;Казпочта;KZ-1234\n\nабв;cdek;1\n100002; ;77\n100001;cdek;5555\n100003;Курьер Сервис; 99 \n100004;cdek\n")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprint(rows), "[{2 100001 kazpost KZ-1234} {6 100003 Курьер Сервис 99}]"; got != want {
		t.Errorf("read %s, want %s", got, want)
	}
	codes := ""
	for _, w := range wrong {
		codes += fmt.Sprint(w.Line, " ", w.Order, " ", w.Code, "; ")
	}
	if want := "3 абв shipments/bad-row; 4 100002 shipments/no-carrier; 5 100001 shipments/repeated; 7 100004 shipments/bad-row; "; codes != want {
		t.Errorf("wrong rows %s, want %s", codes, want)
	}
	for _, bad := range []string{"", "number,carrier,tracking\n"} {
		if _, _, err := fulfilment.ReadShipments(bad); !errors.Is(err, fulfilment.ErrBadFile) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}
