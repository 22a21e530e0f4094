package customer

import (
	"slices"
	"time"

	"shop/domain"
)

// MaxGroups is how many groups a customer may be in.
const MaxGroups = 20

// Refusals of groups of customers.
var (
	ErrBadGroup      = domain.Refuse("customer/bad-group", "Название группы — буквы, цифры и пробелы, до 40 знаков")
	ErrTooManyGroups = domain.Refuse("customer/too-many-groups", "Покупатель может быть не больше чем в 20 группах")
)

// JoinGroup puts the customer into a group, such as VIP; LeaveGroup takes the customer out. Without a change they add nothing.
type JoinGroup struct {
	Group string
	At    time.Time
}
type LeaveGroup struct {
	Group string
	At    time.Time
}

// GroupJoined: staff put the customer into a group. GroupLeft: staff took the customer out of it.
type GroupJoined struct {
	ID    domain.ID `json:"id"`
	Group string    `json:"group"`
	At    time.Time `json:"at"`
}
type GroupLeft struct {
	ID    domain.ID `json:"id"`
	Group string    `json:"group"`
	At    time.Time `json:"at"`
}

func (JoinGroup) isCommand()  {}
func (LeaveGroup) isCommand() {}

func (GroupJoined) EventType() string { return "customer.group-joined" }
func (GroupLeft) EventType() string   { return "customer.group-left" }

func (GroupJoined) isEvent() {}
func (GroupLeft) isEvent()   {}

func decideGroups(command Command, s State) ([]Event, error) {
	switch c := command.(type) {
	case JoinGroup:
		name := domain.GroupName(c.Group)
		switch {
		case name == "":
			return nil, ErrBadGroup
		case slices.Contains(s.Groups, name):
			return nil, nil
		case len(s.Groups) >= MaxGroups:
			return nil, ErrTooManyGroups
		}
		return []Event{GroupJoined{ID: s.ID, Group: name, At: c.At}}, nil
	case LeaveGroup:
		name := domain.GroupName(c.Group)
		if !slices.Contains(s.Groups, name) {
			return nil, nil
		}
		return []Event{GroupLeft{ID: s.ID, Group: name, At: c.At}}, nil
	default:
		return nil, domain.UnknownCommand(command)
	}
}

// evolveGroups is what an event makes of the groups, in order. The ones given stay as they are: states are shared.
func evolveGroups(groups []string, event Event) []string {
	switch e := event.(type) {
	case GroupJoined:
		groups = append(slices.Clone(groups), e.Group)
		slices.Sort(groups)
		return slices.Compact(groups)
	case GroupLeft:
		return slices.DeleteFunc(slices.Clone(groups), func(name string) bool { return name == e.Group })
	default:
		return groups
	}
}
