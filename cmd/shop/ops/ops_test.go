package ops

import (
	"regexp"
	"strings"
	"testing"

	"shop/projections/rebuild"
	"shop/readapi/sentences"
)

// TestBuildsAreRefusedInTheLanguagesOfStaff: whatever is asked of a build in any state.
func TestBuildsAreRefusedInTheLanguagesOfStaff(t *testing.T) {
	t.Parallel()
	latin := regexp.MustCompile(`[A-Za-z]`)
	for _, state := range []rebuild.State{rebuild.Waiting, rebuild.Running, rebuild.Paused, rebuild.Ready, rebuild.Swapping, rebuild.Done, rebuild.Failed, rebuild.Cancelled} {
		build := rebuild.Build{ID: 77, State: state}
		refused := []error{&rebuild.Unfinished{Build: build}}
		for _, asked := range []string{"pause", "resume", "cancel", "swap"} {
			refused = append(refused, &rebuild.Refused{Build: build, Asked: asked})
		}
		for _, err := range refused {
			_, text, ok := OpsProblem(err)
			for _, language := range []string{"ru", "kk"} {
				if got := sentences.ForStaff(language, text); !ok || latin.MatchString(got) || !strings.Contains(got, "77") {
					t.Errorf("%q in %s is %q", text, language, got)
				}
			}
		}
	}
}
