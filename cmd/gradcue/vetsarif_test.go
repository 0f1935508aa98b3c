package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"cuelang.org/go/encoding/yaml"
)

// sarifObject is what SARIF 2.1.0 says of one kind of object, as far as it is
// used here: the properties that must be there and those that may.
type sarifObject struct{ required, optional []string }

var sarifObjects = map[string]sarifObject{
	"log":              {[]string{"version", "runs"}, []string{"$schema"}},
	"run":              {[]string{"tool"}, []string{"columnKind", "results"}},
	"tool":             {[]string{"driver"}, nil},
	"driver":           {[]string{"name"}, []string{"version", "rules"}},
	"rule":             {[]string{"id"}, []string{"shortDescription"}},
	"message":          {[]string{"text"}, nil},
	"result":           {[]string{"message"}, []string{"ruleId", "ruleIndex", "level", "locations", "relatedLocations", "partialFingerprints"}},
	"location":         {nil, []string{"id", "physicalLocation", "logicalLocations", "message"}},
	"logicalLocation":  {nil, []string{"fullyQualifiedName"}},
	"physicalLocation": {[]string{"artifactLocation"}, []string{"region"}},
	"artifact":         {[]string{"uri"}, nil},
	"region":           {[]string{"startLine"}, []string{"startColumn", "endLine", "endColumn"}},
}

// sarifChecker walks a log and collects what the format does not allow.
type sarifChecker struct{ faults []string }

func (c *sarifChecker) fault(format string, args ...any) {
	c.faults = append(c.faults, fmt.Sprintf(format, args...))
}

// object checks the names of an object's properties.
func (c *sarifChecker) object(kind string, x any) map[string]any {
	m, ok := x.(map[string]any)
	if !ok {
		c.fault("a %s is %T", kind, x)
		return nil
	}
	o := sarifObjects[kind]
	for _, name := range o.required {
		if _, ok := m[name]; !ok {
			c.fault("a %s has no %s", kind, name)
		}
	}
	for name := range m {
		if !slices.Contains(o.required, name) && !slices.Contains(o.optional, name) {
			c.fault("a %s has a property %s", kind, name)
		}
	}
	return m
}

func (c *sarifChecker) list(m map[string]any, name string) []any {
	x, ok := m[name]
	if !ok {
		return nil
	}
	l, ok := x.([]any)
	if !ok {
		c.fault("%s is %T", name, x)
	}
	return l
}

func (c *sarifChecker) text(m map[string]any, name string) string {
	s, ok := m[name].(string)
	if m != nil && (!ok || strings.TrimSpace(s) == "") {
		c.fault("%s is %v", name, m[name])
	}
	return s
}

func (c *sarifChecker) log(x any) {
	log := c.object("log", x)
	if c.text(log, "version") != "2.1.0" {
		c.fault("version %v", log["version"])
	}
	for _, r := range c.list(log, "runs") {
		run := c.object("run", r)
		if kind := run["columnKind"]; kind != "utf16CodeUnits" && kind != "unicodeCodePoints" {
			c.fault("columnKind %v", kind)
		}
		driver := c.object("driver", c.object("tool", run["tool"])["driver"])
		c.text(driver, "name")
		var ids []string
		for _, x := range c.list(driver, "rules") {
			rule := c.object("rule", x)
			id := c.text(rule, "id")
			if slices.Contains(ids, id) {
				c.fault("rule %s is there twice", id)
			}
			ids = append(ids, id)
			if short, ok := rule["shortDescription"]; ok {
				c.text(c.object("message", short), "text")
			}
		}
		for _, x := range c.list(run, "results") {
			c.result(x, ids)
		}
	}
}

func (c *sarifChecker) result(x any, ids []string) {
	r := c.object("result", x)
	c.text(c.object("message", r["message"]), "text")
	id := c.text(r, "ruleId")
	if i, ok := r["ruleIndex"].(float64); !ok || int(i) >= len(ids) || ids[int(i)] != id {
		c.fault("rule %s has index %v", id, r["ruleIndex"])
	}
	if l := c.text(r, "level"); !slices.Contains([]string{"none", "note", "warning", "error"}, l) {
		c.fault("level %s", l)
	}
	prints, _ := r["partialFingerprints"].(map[string]any)
	for name := range prints {
		c.text(prints, name)
	}
	seen := map[any]bool{}
	for _, name := range []string{"locations", "relatedLocations"} {
		for _, x := range c.list(r, name) {
			l := c.object("location", x)
			if id, ok := l["id"]; ok && seen[id] {
				c.fault("two locations have the id %v", id)
			}
			seen[l["id"]] = l["id"] != nil
			if m, ok := l["message"]; ok {
				c.text(c.object("message", m), "text")
			}
			for _, x := range c.list(l, "logicalLocations") {
				c.text(c.object("logicalLocation", x), "fullyQualifiedName")
			}
			if p, ok := l["physicalLocation"]; ok {
				c.place(c.object("physicalLocation", p))
			}
		}
	}
}

func (c *sarifChecker) place(p map[string]any) {
	uri := c.text(c.object("artifact", p["artifactLocation"]), "uri")
	if u, err := url.Parse(uri); err != nil || strings.ContainsAny(uri, " \\") || u.Scheme != "" && u.Scheme != "file" {
		c.fault("uri %q", uri)
	}
	x, ok := p["region"]
	if !ok {
		return
	}
	region := c.object("region", x)
	for _, name := range []string{"startLine", "startColumn", "endLine", "endColumn"} {
		if n, ok := region[name]; ok {
			if f, isNumber := n.(float64); !isNumber || f < 1 || f != float64(int(f)) {
				c.fault("%s is %v", name, n)
			}
		}
	}
	start, _ := region["startLine"].(float64)
	if end, ok := region["endLine"].(float64); ok && end < start {
		c.fault("a region ends in line %v and starts in line %v", end, start)
	}
}

// TestSARIF checks the logs of specs with findings of every origin against the
// structure of SARIF 2.1.0: the loader, the schema, rules in Go with related
// lines, warnings, a missing file, a file with a space in its name, and nothing.
func TestSARIF(t *testing.T) {
	const head = "package exp\nimport \"github.com/gradcue/gradcue/spec\"\nexperiment: spec.#Experiment & {\n\tname: \"x\"\n\tmodel: spec.#GPT2 & {layers: 2, heads: 2, headDim: 4, vocab: 256, context: 16}\n\twindow: {microBatches: 2, microBatchSize: 2, seqLen: 16}\n\toptimizer: lr: 1e-3\n\tschedule: updates: 10\n"
	for name, body := range map[string]string{
		"good.cue":       head + "}\n",
		"typo.cue":       head + "\tmodle: 1\n}\n",
		"syntax.cue":     head,
		"rule.cue":       head + "\tmask: ignoreIndex: 3\n\tmodel: kvHeads: 3\n}\n",
		"related.cue":    head + "\tpipeline: {window: globalBatch: 5, loss: factors: [], update: clears: []}\n}\n",
		"warning.cue":    head + "\toffload: place: activations: \"host\"\n}\n",
		"with space.cue": head + "\tdropout: attention: 0.5\n}\n",
		"gone.cue":       "",
	} {
		t.Run(name, func(t *testing.T) {
			a, out, errs := testApp(t)
			if body != "" {
				if err := os.WriteFile(filepath.Join(a.dir, name), []byte(body), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			code := a.main(context.Background(), []string{"vet", name, "--format", "sarif"})
			want, ok := map[string]int{"good.cue": codeGood, "warning.cue": codeGood, "gone.cue": codeWorld}[name]
			if !ok {
				want = codeContent
			}
			if code != want {
				t.Errorf("exit code %d, want %d: %s", code, want, errs)
			}
			var log any
			if err := json.Unmarshal(out.Bytes(), &log); err != nil {
				t.Fatal(err)
			}
			c := &sarifChecker{}
			c.log(log)
			for _, f := range c.faults {
				t.Error(f)
			}
			if n := strings.Count(out.String(), `"ruleId"`); (n == 0) != (name == "good.cue") {
				t.Errorf("%d results\n%s", n, out)
			}
		})
	}
}

// TestSARIFChecker: the check sees what the format does not allow.
func TestSARIFChecker(t *testing.T) {
	for _, c := range []struct{ log, want string }{
		{`{"version": "2.0.0", "runs": []}`, "version 2.0.0"},
		{`{"version": "2.1.0"}`, "a log has no runs"},
		{`{"version": "2.1.0", "runs": [{"columnKind": "bytes", "tool": {"driver": {"name": "g"}}}]}`, "columnKind bytes"},
		{`{"version": "2.1.0", "runs": [{"columnKind": "unicodeCodePoints", "tool": {"driver": {"name": "g", "rules": [{"id": "a"}, {"id": "a"}]}}}]}`, "rule a is there twice"},
		{`{"version": "2.1.0", "runs": [{"columnKind": "unicodeCodePoints", "tool": {"driver": {"name": "g", "rules": [{"id": "a"}]}}, "results": [{"ruleId": "b", "ruleIndex": 0, "level": "error", "message": {"text": "x"}}]}]}`, "rule b has index 0"},
		{`{"version": "2.1.0", "runs": [{"columnKind": "unicodeCodePoints", "tool": {"driver": {"name": "g", "rules": [{"id": "a"}]}}, "results": [{"ruleId": "a", "ruleIndex": 0, "level": "bad", "message": {"text": "x"}, "locations": [{"physicalLocation": {"artifactLocation": {"uri": "a b.cue"}, "region": {"startLine": 0}}}]}]}]}`,
			"level bad, uri \"a b.cue\", startLine is 0"},
	} {
		var log any
		if err := json.Unmarshal([]byte(c.log), &log); err != nil {
			t.Fatal(err)
		}
		k := &sarifChecker{}
		k.log(log)
		if got := strings.Join(k.faults, ", "); got != c.want {
			t.Errorf("%s\nwant %s\ngot  %s", c.log, c.want, got)
		}
	}
}

// TestCIFiles: the files of init --ci are YAML with what they need.
func TestCIFiles(t *testing.T) {
	files, err := ciFiles()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if _, err := yaml.Extract(f.Path, f.Data); err != nil {
			t.Errorf("%s: %v", f.Path, err)
		}
	}
	workflow, hook := string(files[0].Data), string(files[1].Data)
	for _, part := range []string{"security-events: write", "gradcue vet ./... --format sarif > gradcue.sarif", "github/codeql-action/upload-sarif@", "sarif_file: gradcue.sarif"} {
		if !strings.Contains(workflow, part) {
			t.Errorf("the workflow has no %q", part)
		}
	}
	if !strings.Contains(hook, "entry: gradcue vet ./...") || !strings.Contains(hook, "pass_filenames: false") {
		t.Errorf("the hook does not run vet on all packages: %s", hook)
	}
}
