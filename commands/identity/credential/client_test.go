package credential_test

import (
	"testing"

	"shop/commands/identity/credential"
)

func TestDevice(t *testing.T) {
	t.Parallel()
	for agent, want := range map[string]string{
		"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36":                          "Chrome, Windows",
		"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36 Edg/141.0.0.0":            "Edge, Windows",
		"Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1":  "Safari, iPhone",
		"Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Mobile Safari/537.36":                          "Chrome, Android",
		"Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0":                                                                   "Firefox, Linux",
		"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 YaBrowser/25.8.0.0 Safari/537.36": "Yandex Browser, macOS",
		"Go-http-client/1.1":           "Go",
		"<a href=//evil.example>x</a>": "",
		"":                             "",
		"ваш аккаунт взломан, позвоните": "",
	} {
		if got := credential.Device(agent); got != want {
			t.Errorf("%q is %q, want %q", agent, got, want)
		}
	}
}

func TestNetwork(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"203.0.113.77": "203.0.113.*", "::ffff:203.0.113.77": "203.0.113.*", "2001:db8:1:2::5": "2001:db8:1::*", "nonsense": "", "": "",
	} {
		if got := credential.Network(address); got != want {
			t.Errorf("%q is %q, want %q", address, got, want)
		}
	}
}
