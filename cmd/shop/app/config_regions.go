package app

import "strings"

// The settings of the relay and of regions.
var (
	natsURL = setting{"SHOP_NATS_URL", "", "tls://host:port of NATS with JetStream, several with commas; for the role relay and for regions; on this machine nats:// will do", func(c *Config, v string) error {
		if c.Nats.Servers = v; v == "" {
			return nil
		}
		return c.Nats.Check()
	}}
	natsCredentials = setting{"SHOP_NATS_CREDENTIALS", "", "file of NATS credentials; default: the user and password in SHOP_NATS_URL", func(c *Config, v string) error {
		c.Nats.Credentials = v
		return nil
	}}
	natsCA = setting{"SHOP_NATS_CA", "", "file of the certificates that those of NATS are signed by; default: the system's", func(c *Config, v string) error {
		c.Nats.CA = v
		return nil
	}}
	regionSetting = setting{"SHOP_REGION", "", "name of the region, such as almaty, whose database holds a copy of the log (docs/regions.md); default: this is the home region", func(c *Config, v string) error {
		c.Region.Name = v
		return nil
	}}
	homeURL = setting{"SHOP_HOME_URL", "", "in a region: https:// address of the home region's site, where commands go", func(c *Config, v string) (err error) {
		if v == "" {
			return nil
		}
		if err := secretsURL(v); err != nil {
			return err
		}
		c.Region.HomeURL, err = webURL(strings.TrimSuffix(v, "/"))
		return err
	}}
	homeDatabaseURL = setting{"SHOP_HOME_DATABASE_URL", "", "in a region: postgres://… of the home region's database, or of a standby of it, with a role that may read", func(c *Config, v string) error {
		c.Region.HomeDatabaseURL = v
		if v == "" {
			return nil
		}
		_, err := databaseInClear(v)
		return err
	}}
)
