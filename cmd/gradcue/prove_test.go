package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/gradcue/gradcue/compiler/plan"
	"github.com/gradcue/gradcue/runtime/prove"
)

// TestFailedProof: no spec makes a proof fail on a good engine, so the page, the
// document and the exit code of one that failed are tested on a report.
func TestFailedProof(t *testing.T) {
	rep := &prove.Report{Plan: &plan.Plan{Name: "x"}, Verdicts: []prove.Verdict{
		{ID: "split", Title: "the split changes nothing", Status: prove.OK, Numbers: []prove.Number{{Name: "N", Value: "12"}}, Nanos: 1234567890},
		{ID: "causal", Title: "nothing leaks", Status: prove.Failed, Numbers: []prove.Number{{Name: "losses", Value: "3"}}, Details: []string{"token 3 changed the loss at position 2"}, More: 4},
	}}
	var out, stderr bytes.Buffer
	a := &app{stdout: &out, stderr: &stderr}
	s := &prover{app: a}
	pg := newPage(&out, false)
	for i := range rep.Verdicts {
		s.verdict(pg, &rep.Verdicts[i])
	}
	if err := s.end(pg, rep); err != nil {
		t.Fatal(err)
	}
	want := `  split         ok         1.23 s  the split changes nothing
                                   N 12
  causal        FAILED     0.00 s  nothing leaks
                                   losses 3
                token 3 changed the loss at position 2
                and 4 more

  proofs        2 made · 1 failed · 1.23 s
`
	if out.String() != want {
		t.Errorf("page\n%s\nwant\n%s", out.String(), want)
	}
	if code := a.finish("gradcue prove", outcome(rep, false)); code != codeContent || !strings.Contains(stderr.String(), "1 proof of 2 failed [prove.failed]") {
		t.Errorf("code %d, %s", code, stderr.String())
	}
	stderr.Reset()
	if code := a.finish("gradcue prove", outcome(rep, true)); code != codeContent || stderr.Len() > 0 {
		t.Errorf("after --json: code %d, %s", code, stderr.String())
	}
	if err := outcome(&prove.Report{Verdicts: rep.Verdicts[:1]}, false); err != nil {
		t.Errorf("a report without failures is an error: %v", err)
	}
	b, err := json.Marshal(s.document(rep, nil))
	if err != nil || !strings.Contains(string(b), `"failed":1`) || !strings.Contains(string(b), `"smaller":[]`) {
		t.Errorf("document %s, %v", b, err)
	}
	var e *exit
	if !errors.As(s.failed(errors.New("there is no proof \"x\", only y")), &e) || e.code != codeWorld {
		t.Error("an unknown proof is no error of the command line")
	}
}
