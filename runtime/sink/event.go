package sink

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
)

// Version is the version of the events; it is in each start and resume.
const Version = 1

// Types of event.
const (
	Start  = "start"  // a run begins: Name, Engine, Identity, Program, Updates
	Resume = "resume" // it goes on after update From
	Update = "update" // update U was made
	Skip   = "skip"   // update U was tried, its gradient was not finite
	Empty  = "empty"  // a window without a trained token
	Eval   = "eval"   // held-out loss after update U
	Save   = "save"   // State holds update U
	Stop   = "stop"   // the run was left after update U, on request
	Done   = "done"   // all updates were made
	Fail   = "fail"   // Message says why the run ended
)

// Event is one line of events.jsonl. Fields that a type does not have are zero
// and are not written.
type Event struct {
	Type     string `json:"type"`
	Version  int    `json:"version,omitzero"`
	Time     string `json:"time,omitzero"` // RFC 3339, of start and resume
	Name     string `json:"name,omitzero"`
	Engine   string `json:"engine,omitzero"`
	ISA      string `json:"isa,omitzero"`     // instruction set, where the engine has a choice
	Was      string `json:"was,omitzero"`     // of the state that a resume goes on from, when its bits are others
	Kernels  string `json:"kernels,omitzero"` // what makes the products, where the engine has a choice
	Identity string `json:"identity,omitzero"`
	Program  string `json:"program,omitzero"`
	Updates  int    `json:"updates,omitzero"` // successful updates of a whole run
	From     *int   `json:"from,omitzero"`    // update that a resume starts after

	U            int    `json:"u,omitzero"`            // update, from 1
	Window       int    `json:"window,omitzero"`       // window, from 1
	Epoch        int    `json:"epoch,omitzero"`        // of the window's first row, from 0
	Row          int    `json:"row,omitzero"`          // in the order of the epoch, from 0
	MicroBatches int    `json:"microBatches,omitzero"` // that had something to train and were run
	Tokens       int    `json:"tokens,omitzero"`       // read by those
	Trained      int    `json:"trained,omitzero"`      // Σ m
	N            Float  `json:"n,omitzero"`            // Σ weight
	Loss         *Float `json:"loss,omitzero"`         // (1/N) Σ weight·ℓ
	Norm         *Float `json:"norm,omitzero"`         // of g before clipping
	Clip         Float  `json:"clip,omitzero"`         // factor
	LR           Float  `json:"lr,omitzero"`           // η_u
	Scale        Float  `json:"scale,omitzero"`        // s
	Nanos        int64  `json:"nanos,omitzero"`        // of the window

	Memory  *Memory `json:"memory,omitzero"` // of stop and done, where the engine needs more than the arenas
	State   string  `json:"state,omitzero"`  // folder, relative to the run folder
	Message string  `json:"message,omitzero"`
}

// Memory is what a run took, in bytes: the arenas, and apart from them what the
// plan does not know of. Each is another number, and only the first two are planned.
type Memory struct {
	Allocated int64  `json:"allocated"`       // arena of the device
	Host      int64  `json:"host"`            // arena of the host, pinned
	Reserved  int64  `json:"reserved"`        // of the device: modules, graphs, libraries; the most that there was
	At        string `json:"at,omitzero"`     // when that was
	Before    int64  `json:"before,omitzero"` // of the device, in use before the run: its context, other processes
	Pinned    int64  `json:"pinned,omitzero"` // of the host, for reads and writes of the device
}

// Float is a float64 that JSON can hold: what is not finite becomes a string.
type Float float64

// F makes the pointer that an optional field wants.
func F(x float64) *Float { return (*Float)(&x) }

// MarshalJSON writes the shortest number that reads back to the same bits.
func (f Float) MarshalJSON() ([]byte, error) {
	x := float64(f)
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return []byte(`"` + strconv.FormatFloat(x, 'g', -1, 64) + `"`), nil
	}
	return json.Marshal(x)
}

// UnmarshalJSON is the inverse of MarshalJSON.
func (f *Float) UnmarshalJSON(b []byte) error {
	x, err := strconv.ParseFloat(string(bytes.Trim(b, `"`)), 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return fmt.Errorf("%s is not a number", b)
	}
	*f = Float(x)
	return nil
}

// File is what a log is written to.
type File interface {
	io.Writer
	Sync() error
}

// Log writes events; each is one write, so a killed process leaves at most one
// unfinished line.
type Log struct{ f File }

// NewLog writes to a file that is open for appending; nil writes nowhere.
func NewLog(f File) *Log { return &Log{f} }

// Write appends one event.
func (l *Log) Write(e Event) error {
	if l.f == nil {
		return nil
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(e); err != nil {
		return err
	}
	if _, err := l.f.Write(b.Bytes()); err != nil {
		return fmt.Errorf("write event: %w", err)
	}
	return nil
}

// Sync makes the events so far durable.
func (l *Log) Sync() error {
	if l.f == nil {
		return nil
	}
	return l.f.Sync()
}

// maxLine is the longest line that is read.
const maxLine = 1 << 20

// Read reads all events in the order of the file. Lines that are not an event
// are counted and passed over.
func Read(r io.Reader) (events []Event, bad int, err error) {
	s := bufio.NewScanner(r)
	s.Buffer(nil, maxLine)
	for s.Scan() {
		var e Event
		if json.Unmarshal(s.Bytes(), &e) != nil || e.Type == "" {
			bad++
			continue
		}
		events = append(events, e)
	}
	return events, bad, s.Err()
}

// Updates is the updates among events in the order of u; the last record of a u
// counts, and none after the From of a later resume.
func Updates(events []Event) []Event { return latest(events, Update) }

// Evals is the held-out losses among events, by the rule of Updates.
func Evals(events []Event) []Event { return latest(events, Eval) }

func latest(events []Event, kind string) (out []Event) {
	for _, e := range events {
		switch {
		case e.Type == Resume && e.From != nil:
			for len(out) > 0 && out[len(out)-1].U > *e.From {
				out = out[:len(out)-1]
			}
		case e.Type == kind:
			for len(out) > 0 && out[len(out)-1].U >= e.U {
				out = out[:len(out)-1]
			}
			out = append(out, e)
		}
	}
	return out
}
