package check_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gradcue/gradcue/compiler/check"
)

// chat is two samples of a prompt, a response and an end, the second shorter.
const chat = `
p5 p6 p7 r8 r9 e2
p5 p6 r8 e2 .0 .0
`

// TestData: what only a sample of the data shows.
func TestData(t *testing.T) {
	for _, c := range []struct {
		name, fields, sample string
		want                 []string
	}{
		{"good", ``, chat, nil},
		{"good labels", ``, chat + "labels\n-100 -100 8 9 2 -100\n-100 8 2 -100 -100 -100", nil},
		{"labels shifted twice", ``, chat + "labels\n-100 8 9 2 -100 -100\n8 2 -100 -100 -100 -100", []string{
			"loss.shift pipeline.targets: 5 of 5 labels of the sample are the token at t+2, expected t+1"}},
		{"labels not shifted", ``, chat + "labels\n-100 -100 -100 8 9 2\n-100 -100 8 2 -100 -100", []string{
			"loss.shift pipeline.targets: 5 of 5 labels of the sample are the token at t, expected t+1"}},
		{"a mask off by one with the right count", ``, chat + "labels\n-100 7 8 9 -100 -100\n6 8 -100 -100 -100 -100", []string{
			"mask.align pipeline.mask: 2 positions of the sample are trained and should not be, 2 should be and are not (first: row 0 position 1)"}},
		{"labels across a document", ``, "t1 t2 | t3 t4\nlabels\n2 3 4 -100", []string{
			"loss.edge pipeline.targets: 1 of 3 targets of the sample cross a row or document border"}},
		{"borders that are trained", `pipeline: targets: documentBorders: "trained"`, "t1 t2 | t3 t4", []string{
			"loss.edge pipeline.targets.documentBorders: the last token of a document is trained to predict the first one of the next document: 1 of 3 targets (33.33 %) cross a border"}},
		{"pad id in the text", `pipeline: {data: ids: pad: 9, mask: padding: foundBy: "id"}`, chat, []string{
			"mask.pad pipeline.data.ids.pad: pad id 9 occurs in the text, and padding is found by id: 1 of 8 real targets would be ignored"}},
		{"no end", ``, "p5 p6 r7 r8\np5 r7 e2 .0", []string{
			"mask.eos data: the end token is never a target in 1 of 2 samples, but mask.eos is first"}},
		{"no end, and none is wanted", `mask: eos: "none"`, "p5 p6 r7 r8", nil},
		{"plain text has no end", ``, "t5 t6 t7 t8", nil},
		{"a prompt alone", ``, "p5 p6 p7 e2\np5 p6 p7 .0", []string{
			"mask.empty pipeline.mask: 1 of 2 samples (50 %) carry no loss, at most 0 % are accepted"}},
		{"a prompt alone, accepted", `pipeline: mask: emptySamples: limit: 0.5`, "p5 p6 p7 e2\np5 p6 p7 .0", nil},
		{"a marker that is not found", `pipeline: mask: roles: {foundBy: "marker", marker: [6, 8]}`, chat, []string{
			"mask.empty pipeline.mask.roles.marker: 1 of 2 samples (50 %) carry no loss, at most 0 % are accepted"}},
		{"rows without keys", `pipeline: mask: scores: emptyRow: "softmax"`, ".0 t1 t2\nt1 t2 .0", []string{
			"mask.row pipeline.mask.scores.emptyRow: 1 of 6 query rows of the sample see no key (first: row 0), and their softmax is 0/0"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := parseSample(t, c.sample)
			s.Batch = 2
			if diff := cmp.Diff(c.want, brief(check.Data(trainedBy(t, c.fields), s))); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// TestForeign: another trainer is checked, and not run; what this version cannot
// build is no mistake of another trainer's.
func TestForeign(t *testing.T) {
	in := trainedBy(t, `pipeline: trainer: "lab"`+"\nwindow: replicas: 8\nprecision: {compute: \"bf16\", products: \"tf32\"}\nmodel: qkNorm: false")
	if got := brief(check.Spec(in)); len(got) > 0 {
		t.Errorf("vet: %v", got)
	}
	want := []string{"target.pipeline pipeline.trainer: this spec describes another trainer (lab); gradcue can vet it but not run it"}
	if diff := cmp.Diff(want, brief(check.Target(in))); diff != "" {
		t.Errorf("run, -want +got:\n%s", diff)
	}
	own := trainedBy(t, `pipeline: {trainer: "gradcue", window: batches: 8}`)
	want = []string{"target.pipeline pipeline: this section describes how a trainer works, but gradcue does not read it to run"}
	if diff := cmp.Diff(want, brief(check.Target(own))); diff != "" || check.Foreign(own.Experiment) {
		t.Errorf("gradcue's own, -want +got:\n%s", diff)
	}
	own = trainedBy(t, `pipeline: trainer: "gradcue"`)
	if got := brief(check.Target(own)); len(got) > 0 || check.Foreign(own.Experiment) {
		t.Errorf("gradcue: %v", got)
	}
}

// TestFactors: factors are multiplied exactly, and text that is none is named.
func TestFactors(t *testing.T) {
	for _, c := range []struct{ is, want string }{
		{"1/K", ""}, {"1 / ( K )", ""}, {"0.25", ""}, {"B/(K*B)", ""}, {"T/T/K", ""}, {"(1/2)/2", ""},
		{"1", "4 times too large"}, {"1/(K*K)", "4 times too small"}, {"1/K*K", "4 times too large"}, {"3/K", "3 times too large"}, {"1/(3*K)", "3 times too small"},
		{"0.1", "2.5 times too small"}, {"n/N", ""}, {"1/n", ""},
		{"(1/K", "is not"}, {"1/K)", "is not"}, {"0/K", "is not"}, {"1/0", "is not"}, {"..", "is not"}, {"*", "is not"}, {"K R", "is not"},
	} {
		t.Run(c.is, func(t *testing.T) {
			t.Parallel()
			fields := `pipeline: loss: factors: [{by: "a", is: "` + c.is + `"}]`
			switch c.is {
			case "n/N":
				fields = `pipeline: loss: {over: "micro-batch", factors: [{by: "a", is: "n/N"}]}`
			case "1/n":
				fields = `pipeline: loss: {over: "nothing", factors: [{by: "a", is: "1/n"}, {by: "b", is: "1/K"}]}` + "\npipeline: window: equalTargets: true"
			}
			got := strings.Join(brief(check.Spec(trainedBy(t, fields))), "\n")
			if c.want == "" && got != "" || !strings.Contains(got, c.want) {
				t.Errorf("%q: %s, want %q", c.is, got, c.want)
			}
		})
	}
}
