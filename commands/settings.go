package commands

import (
	"context"

	"shop/domain/settings"
	"shop/eventstore"
)

// Settings publishes what the shop says of itself.
type Settings struct {
	Handler *Handler
	// Stated are the configuration's, in force while none are published.
	Stated settings.Settings
}

// Publish replaces the settings of the version expected; nil: whichever is in force.
func (s *Settings) Publish(ctx context.Context, to settings.Settings, expected *int64) (eventstore.Position, error) {
	return Change(ctx, s.Handler, SettingsStream(), publishSettings(to, expected))
}

// WouldPublish says whether Publish would add anything.
func (s *Settings) WouldPublish(ctx context.Context, to settings.Settings, expected *int64) (bool, error) {
	return WouldChange(ctx, s.Handler, SettingsStream(), publishSettings(to, expected))
}

func publishSettings(to settings.Settings, expected *int64) func(u *Unit) settings.Command {
	return func(u *Unit) settings.Command {
		return settings.Publish{Settings: to, Expected: expected, At: u.At()}
	}
}

// Show answers the settings in force.
func (s *Settings) Show(ctx context.Context) (settings.State, error) {
	state, err := See(ctx, s.Handler, SettingsStream())
	if err == nil && !state.Published {
		state.Settings = s.Stated
	}
	return state, err
}
