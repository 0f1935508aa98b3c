package check_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gradcue/gradcue/compiler"
	"github.com/gradcue/gradcue/compiler/check"
	"github.com/gradcue/gradcue/compiler/model"
	"github.com/gradcue/gradcue/spec"
)

// published is the number of parameters that is published for a configuration.
var published = map[string]int64{
	"llmc-124m":    124_475_904, // with the vocabulary padded to 50304
	"llmc-1558m":   1_557_686_400,
	"llama2-7b":    6_738_415_616,
	"llama2-13b":   13_015_864_320,
	"llama2-70b":   68_976_648_192,
	"llama3-8b":    8_030_261_248,
	"llama3-70b":   70_553_706_496,
	"qwen2.5-0.5b": 494_032_768,
	"qwen2.5-1.5b": 1_543_714_304,
	"qwen2.5-7b":   7_615_616_512,
}

// TestPublicConfigurations: configurations that are known to train well get
// silence: the schema, the rules on the spec, and the rules on the plan of those
// that gradcue can plan. Their models have the published number of parameters.
func TestPublicConfigurations(t *testing.T) {
	const root = "../testdata/public"
	dirs, err := os.ReadDir(root)
	if err != nil {
		t.Fatal(err)
	}
	if len(dirs) < 12 {
		t.Errorf("%d configurations", len(dirs))
	}
	for _, d := range dirs {
		t.Run(d.Name(), func(t *testing.T) {
			t.Parallel()
			ls, list := spec.Load(spec.Options{Dir: filepath.Join(root, d.Name())})
			if len(list) > 0 || len(ls) == 0 {
				t.Fatal(found(list))
			}
			for _, l := range ls {
				if got := found(specFindings(l)); len(got) > 0 {
					t.Errorf("%s:\n%s", l.Name, strings.Join(got, "\n"))
				}
				c := model.FromSpec(l.Experiment)
				if want := published[d.Name()]; want > 0 && c.Count() != want {
					t.Errorf("%s has %d parameters, published are %d", l.Name, c.Count(), want)
				}
				if check.Foreign(l.Experiment) {
					continue
				}
				r, list, err := compiler.Compile(compiler.Source{Experiment: l.Experiment, Name: l.Name, Where: l.Where}, compiler.Options{})
				if err != nil || len(list) > 0 {
					t.Errorf("%s: %v\n%s", l.Name, err, strings.Join(found(list), "\n"))
					continue
				}
				if r.Plan.Predictions.Parameters != c.Count() {
					t.Errorf("%s: the plan has %d parameters, the model %d", l.Name, r.Plan.Predictions.Parameters, c.Count())
				}
			}
		})
	}
}
