package main

import (
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"shop/cmd/shop/app"
)

// knownSettings are the variables that the program reads.
func knownSettings() []string {
	var names []string
	for _, s := range app.Settings {
		names = append(names, s.Name)
	}
	return names
}

// What lies over docker-compose.yml to try out more than one machine gives services no more than they need, and names only settings
// and files that there are.
func TestComposeOfScale(t *testing.T) {
	t.Parallel()
	base, _ := readComposed(t, "../../docker-compose.yml")
	c, text := readComposed(t, "../../docker-compose.scale.yml")
	for _, name := range []string{"standby", "replica", "relay", "nats1", "nats2", "nats3", "almaty", "astana", "lb"} {
		if _, there := c.Services[name]; !there {
			t.Errorf("there is no %s", name)
		}
	}
	for name, s := range c.Services {
		if _, over := base.Services[name]; !over {
			if !s.ReadOnly || !slices.Equal(s.CapDrop, []string{"ALL"}) || len(s.CapAdd) > 0 || s.Privileged || s.NetworkMode != "" || !slices.Contains(s.SecurityOpt, "no-new-privileges:true") {
				t.Errorf("%s may do more than it needs", name)
			}
			if s.MemLimit == "" || s.PidsLimit == 0 {
				t.Errorf("%s may take all memory or all processes", name)
			}
			if s.Image != "" && !pinned.MatchString(s.Image) || s.Image == "" && s.Build == nil {
				t.Errorf("%s takes the image %q", name, s.Image)
			}
		}
		for _, port := range s.Ports {
			if !strings.HasPrefix(port, "127.0.0.1:") {
				t.Errorf("%s is published at %s", name, port)
			}
		}
		for _, v := range s.Volumes {
			from, _, _ := strings.Cut(v, ":")
			if !strings.HasPrefix(from, ".") {
				continue
			}
			if !strings.HasSuffix(v, ":ro") {
				t.Errorf("%s may write to %s", name, v)
			}
			if _, err := os.Stat(filepath.Join("../..", from)); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		for variable := range s.Environment {
			if strings.HasPrefix(variable, "SHOP_") && !slices.Contains(knownSettings(), variable) {
				t.Errorf("%s sets %s, which the program does not know", name, variable)
			}
		}
	}
	if found := withDefault.FindAllString(text, -1); len(found) > 0 {
		t.Errorf("passwords with defaults: %v", found)
	}
	for _, variable := range []string{"SHOP_DATABASE_URL", "SHOP_DATABASE_OWNER_URL"} {
		if at := c.Services["shop"].Environment[variable]; !strings.Contains(at, "target_session_attrs=read-write") {
			t.Errorf("%s does not follow the primary", variable)
		}
	}
	if command := strings.Join(c.Services["postgres"].Command, " "); !strings.Contains(command, "synchronous_standby_names=ANY 1 (standby)") {
		t.Errorf("the primary has no synchronous standby: %s", command)
	}
}

// manifest is what the test wants to know of an object of Kubernetes.
type manifest struct {
	Kind     string
	Metadata struct{ Name string }
	Data     map[string]string
	Spec     struct {
		Strategy struct {
			RollingUpdate struct {
				MaxUnavailable *int `yaml:"maxUnavailable"`
			} `yaml:"rollingUpdate"`
		}
		ScaleTargetRef struct{ Name string } `yaml:"scaleTargetRef"`
		Template       struct{ Spec podSpec }
	}
}

type podSpec struct {
	SecurityContext struct {
		RunAsNonRoot bool `yaml:"runAsNonRoot"`
	} `yaml:"securityContext"`
	Containers []struct {
		Args            []string
		ReadinessProbe  probe `yaml:"readinessProbe"`
		LivenessProbe   probe `yaml:"livenessProbe"`
		Resources       struct{ Limits map[string]string }
		SecurityContext struct {
			ReadOnlyRootFilesystem bool `yaml:"readOnlyRootFilesystem"`
		} `yaml:"securityContext"`
	}
}

type probe struct {
	HTTPGet struct{ Path string } `yaml:"httpGet"`
}

// Manifests of Kubernetes name what there is: files, roles, settings and paths.
func TestKubernetesManifests(t *testing.T) {
	t.Parallel()
	const folder = "../../deploy/kubernetes"
	var all []manifest
	for _, dir := range []string{folder, filepath.Join(folder, "migrate")} {
		text, err := os.ReadFile(filepath.Join(dir, "kustomization.yaml"))
		if err != nil {
			t.Fatal(err)
		}
		var k struct{ Resources []string }
		if err := yaml.Unmarshal(text, &k); err != nil {
			t.Fatal(err)
		}
		var files []string
		for _, found := range must(t)(filepath.Glob(filepath.Join(dir, "*.yml"))) {
			files = append(files, filepath.Base(found))
		}
		slices.Sort(k.Resources)
		if !slices.Equal(k.Resources, files) {
			t.Errorf("%s lists %v, there are %v", dir, k.Resources, files)
		}
		for _, name := range files {
			text, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			for document := range strings.SplitSeq(string(text), "\n---\n") {
				var m manifest
				if err := yaml.Unmarshal([]byte(document), &m); err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				all = append(all, m)
			}
		}
		if kubectl, err := exec.LookPath("kubectl"); err == nil {
			if out, err := exec.CommandContext(t.Context(), kubectl, "kustomize", dir).CombinedOutput(); err != nil {
				t.Errorf("kubectl kustomize %s: %v: %s", dir, err, out)
			}
		}
	}
	budgets, deployments := map[string]bool{}, map[string]bool{}
	for _, m := range all {
		switch m.Kind {
		case "PodDisruptionBudget":
			budgets[m.Metadata.Name] = true
		case "ConfigMap":
			for variable := range m.Data {
				if strings.HasPrefix(variable, "SHOP_") && !slices.Contains(knownSettings(), variable) {
					t.Errorf("%s sets %s, which the program does not know", m.Metadata.Name, variable)
				}
			}
		case "Deployment":
			deployments[m.Metadata.Name] = true
			if most := m.Spec.Strategy.RollingUpdate.MaxUnavailable; most == nil || *most != 0 {
				t.Errorf("%s takes a process away before its successor is there", m.Metadata.Name)
			}
		}
		for _, c := range m.Spec.Template.Spec.Containers {
			if !m.Spec.Template.Spec.SecurityContext.RunAsNonRoot || !c.SecurityContext.ReadOnlyRootFilesystem || c.Resources.Limits["memory"] == "" {
				t.Errorf("%s may do more than it needs", m.Metadata.Name)
			}
			if m.Kind != "Deployment" {
				continue
			}
			if c.ReadinessProbe.HTTPGet.Path != "/readyz" || c.LivenessProbe.HTTPGet.Path != "/healthz" {
				t.Errorf("%s is asked at %s and %s", m.Metadata.Name, c.ReadinessProbe.HTTPGet.Path, c.LivenessProbe.HTTPGet.Path)
			}
			var roles app.Roles
			if err := roles.Set(c.Args[len(c.Args)-1]); err != nil || c.Args[0] != "serve" {
				t.Errorf("%s: %v: %v", m.Metadata.Name, c.Args, err)
			}
		}
	}
	for _, m := range all {
		if target := m.Spec.ScaleTargetRef.Name; m.Kind == "HorizontalPodAutoscaler" && !deployments[target] {
			t.Errorf("%s scales %s, which is not there", m.Metadata.Name, target)
		}
	}
	if !maps.Equal(budgets, deployments) || len(deployments) < 3 {
		t.Errorf("deployments %v, budgets %v", deployments, budgets)
	}
}

// secretsOfSettings are variables that the ConfigMap's comment leaves to a secret.
var secretsOfSettings = regexp.MustCompile(`SHOP_[A-Z_]+`)

func TestKubernetesSecretsAreNamed(t *testing.T) {
	t.Parallel()
	text, err := fs.ReadFile(os.DirFS("../../deploy/kubernetes"), "settings.yml")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range secretsOfSettings.FindAllString(string(text), -1) {
		if !slices.Contains(knownSettings(), name) {
			t.Errorf("settings.yml names %s, which the program does not know", name)
		}
	}
}

// must is for calls that fail only when the test is wrong.
func must(t *testing.T) func(found []string, err error) []string {
	return func(found []string, err error) []string {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
}
