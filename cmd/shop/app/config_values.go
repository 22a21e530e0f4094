package app

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"
)

// neededFor: the account must be named where it is used.
func neededFor(provider, v string) error {
	if provider == "cloudpayments" && strings.TrimSpace(v) == "" {
		return errors.New("must be set with SHOP_PAYMENTS=cloudpayments")
	}
	return nil
}

// durationOf reads a duration of least or more.
func durationOf(v string, least time.Duration) (time.Duration, error) {
	d, err := time.ParseDuration(v)
	if err != nil || d < least {
		return 0, fmt.Errorf("want a duration of %s or more, such as %s", least, 12*least)
	}
	return d, nil
}

func required(v string) error {
	if strings.TrimSpace(v) == "" {
		return errors.New("must not be empty")
	}
	return nil
}

func OneOf(v string, allowed ...string) error {
	for _, a := range allowed {
		if v == a {
			return nil
		}
	}
	return fmt.Errorf("%q is not known, want %s", v, strings.Join(allowed, " or "))
}

func webURL(v string) (*url.URL, error) {
	u, err := url.Parse(v)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, fmt.Errorf("%q is not a URL that starts with http:// or https://", v)
	}
	return u, nil
}

// link accepts a web address or a path of the shop's own.
func link(v string) error {
	if strings.HasPrefix(v, "/") && !strings.HasPrefix(v, "//") {
		return nil
	}
	_, err := webURL(v)
	return err
}
