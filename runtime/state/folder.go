package state

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/gradcue/gradcue/compiler/plan"
	"github.com/gradcue/gradcue/spec/diag"
)

// Names in a run folder.
const (
	SpecName   = "spec.json"
	PlanName   = "plan.json"
	EnvName    = "env.json"
	EventsName = "events.jsonl"
	DoneName   = "DONE"
	lockName   = "lock"
	statesName = "state"
)

// Env says where a run was made; it is information and never read back.
type Env struct {
	Tool   string `json:"tool,omitempty"` // version of the program
	Go     string `json:"go,omitempty"`
	OS     string `json:"os,omitempty"`
	Arch   string `json:"arch,omitempty"`
	CPU    string `json:"cpu,omitempty"`
	Engine string `json:"engine,omitempty"`
}

// Folder is a run folder that this process has locked.
type Folder struct {
	Dir   string
	Fresh bool // it was not a run folder before
	lock  *os.File
}

// Open makes or takes over the run folder of a plan and locks it. Findings:
// run.identity (a run of another experiment), run.folder (something else is in
// the folder, its plan is damaged, or it cannot be written), run.locked. On
// success plan, spec (may be nil) and environment in the folder are p, spec and env.
func Open(dir string, p *plan.Plan, spec []byte, env Env) (*Folder, diag.List) {
	fresh, l := look(dir)
	if l.HasErrors() {
		return nil, l
	}
	f := &Folder{Dir: dir, Fresh: fresh}
	if l = f.take(); l.HasErrors() {
		return nil, l
	}
	if !fresh {
		l = same(dir, p)
	}
	if !l.HasErrors() {
		if err := f.describe(p, spec, env); err != nil {
			l = append(l, world(dir, err))
		}
	}
	if l.HasErrors() {
		f.Close()
		return nil, l
	}
	return f, l
}

// look finds out whether a folder is a run folder, is or can become one, or
// belongs to somebody else.
func look(dir string) (fresh bool, l diag.List) {
	names, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil
	}
	if err != nil {
		return false, diag.List{world(dir, err)}
	}
	fresh = true
	other := ""
	for _, n := range names {
		switch name := strings.TrimSuffix(n.Name(), ".tmp"); name {
		case PlanName:
			fresh = fresh && name != n.Name()
		case SpecName, EnvName, lockName:
		default:
			if name == statesName && empty(filepath.Join(dir, name)) {
				continue // a run that was killed before it had described itself
			}
			if other == "" {
				other = n.Name()
			}
		}
	}
	if fresh && other != "" {
		return false, diag.List{{Code: "run.folder", Summary: fmt.Sprintf("%s is not a run folder: it holds %s and no %s", dir, other, PlanName),
			Help: "choose another folder with -o DIR"}}
	}
	return fresh, nil
}

func empty(dir string) bool {
	names, err := os.ReadDir(dir)
	return err == nil && len(names) == 0
}

func (f *Folder) take() diag.List {
	if err := os.MkdirAll(filepath.Join(f.Dir, statesName), 0o755); err != nil {
		return diag.List{world(f.Dir, err)}
	}
	lock, err := os.OpenFile(filepath.Join(f.Dir, lockName), os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return diag.List{world(f.Dir, err)}
	}
	held, err := lockFile(lock)
	if held || err != nil {
		lock.Close()
		if err != nil {
			return diag.List{world(f.Dir, err)}
		}
		return diag.List{{Code: "run.locked", World: true, Summary: f.Dir + " is in use by another process", Help: "wait for it or choose another folder with -o DIR"}}
	}
	f.lock = lock
	if err := f.recover(); err != nil {
		f.Close()
		return diag.List{world(f.Dir, err)}
	}
	return nil
}

// same compares the identity of the folder's plan with that of p.
func same(dir string, p *plan.Plan) diag.List {
	old, err := ReadPlan(dir)
	if err != nil {
		return diag.List{{Code: "run.folder", Pos: diag.Position{File: filepath.Join(dir, PlanName)}, Summary: fmt.Sprintf("cannot be read as a plan: %v", err),
			Help: "choose another folder with -o DIR"}}
	}
	if old.Hashes.Identity == p.Hashes.Identity {
		return nil
	}
	return diag.List{{Code: "run.identity", Pos: diag.Position{File: filepath.Join(dir, PlanName)},
		Summary: fmt.Sprintf("%s holds a run of another experiment: %s", dir, differences(old, p)), Help: "use another folder with -o DIR, or undo the change"}}
}

// shownParts is how many differences a message lists.
const shownParts = 6

func differences(was, is *plan.Plan) string {
	ds := plan.IdentityDiff(was, is)
	var parts []string
	for _, d := range ds[:min(len(ds), shownParts)] {
		parts = append(parts, fmt.Sprintf("%s was %s, is %s", d.Name, orNone(d.A), orNone(d.B)))
	}
	if n := len(ds) - shownParts; n > 0 {
		parts = append(parts, fmt.Sprintf("and %d more", n))
	}
	if len(parts) == 0 {
		return "the plans were made by programs that disagree on what an experiment is"
	}
	return strings.Join(parts, "; ")
}

func orNone(s string) string {
	if s == "" {
		return "absent"
	}
	return s
}

// describe writes what the run is; the plan last.
func (f *Folder) describe(p *plan.Plan, spec []byte, env Env) error {
	e, err := json.MarshalIndent(env, "", "  ")
	if err != nil {
		return err
	}
	encoded, err := plan.Encode(p)
	if err != nil {
		return err
	}
	if spec != nil {
		if err := writeFile(filepath.Join(f.Dir, SpecName), spec); err != nil {
			return err
		}
	}
	if err := writeFile(filepath.Join(f.Dir, EnvName), append(e, '\n')); err != nil {
		return err
	}
	return writeFile(filepath.Join(f.Dir, PlanName), encoded)
}

// Events opens events.jsonl for appending. A last line without an end, which a
// killed process leaves, gets one, so that it spoils no later line.
func (f *Folder) Events() (*os.File, error) {
	e, err := os.OpenFile(filepath.Join(f.Dir, EventsName), os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return nil, err
	}
	var last [1]byte
	if info, err := e.Stat(); err == nil && info.Size() > 0 {
		if _, err := e.ReadAt(last[:], info.Size()-1); err == nil && last[0] != '\n' {
			if _, err := e.WriteString("\n"); err != nil {
				e.Close()
				return nil, err
			}
		}
	}
	return e, nil
}

// Done marks the run as complete; the text says with what.
func (f *Folder) Done(text string) error {
	return writeFile(filepath.Join(f.Dir, DoneName), []byte(text+"\n"))
}

// Close lets go of the lock.
func (f *Folder) Close() error { return f.lock.Close() }

// ReadPlan reads the plan of a run folder.
func ReadPlan(dir string) (*plan.Plan, error) {
	r, err := os.Open(filepath.Join(dir, PlanName))
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return plan.Read(r)
}

func world(dir string, err error) diag.Diagnostic {
	return diag.Diagnostic{Code: "run.folder", World: true, Summary: fmt.Sprintf("cannot use %s: %v", dir, err), Help: "choose another folder with -o DIR"}
}
