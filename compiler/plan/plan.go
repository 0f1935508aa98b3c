package plan

import (
	"github.com/gradcue/gradcue/compiler/ir"
	"github.com/gradcue/gradcue/compiler/loss"
	"github.com/gradcue/gradcue/compiler/rate"
)

// Version is the version of the plan's encoding.
const Version = 1

// Align is the granularity of offsets in an arena, in bytes.
const Align = 256

// Plan is a compiled experiment.
type Plan struct {
	Version  int       `json:"version"`
	Name     string    `json:"name"`
	Target   string    `json:"target"`  // cpu, cuda:sm_80 …
	Workers  int       `json:"workers"` // scratch space is planned for this many
	Arenas   []Arena   `json:"arenas"`  // indexed by tier
	Buffers  []Buffer  `json:"buffers"`
	Sections []Section `json:"sections"` // indexed by ir.Section; one without commands does not run
	Run      Run       `json:"run"`

	Predictions Predictions `json:"predictions"`
	Provenance  Provenance  `json:"provenance"`
	Hashes      Hashes      `json:"hashes"`
}

// Arena is the memory allocated once on one tier.
type Arena struct {
	Tier  string `json:"tier"`
	Bytes int64  `json:"bytes"`
}

// Buffer is a range of an arena that holds one value.
type Buffer struct {
	Name   string `json:"n"`            // blocks.3.fc, embed.weight, …
	Class  string `json:"c"`            // row of the ledger
	Tier   string `json:"t"`            // device or host
	DType  string `json:"d"`            //
	Shape  []int  `json:"s"`            //
	Bytes  int64  `json:"b"`            // b_i, exact
	Offset int64  `json:"o"`            // multiple of Align
	In     int    `json:"in,omitempty"` // index+1 of the staging region that holds it; the region counts in the ledger
	// Life: commands [First,Last] of one section, or the whole run. A gradient of a window of one micro-batch is stored
	// anew each time: before command From of micro it holds nothing, and other values may have its bytes.
	Run     bool `json:"run,omitempty"`
	From    int  `json:"from,omitempty"`
	Section int  `json:"sec,omitempty"` // ir.Section
	First   int  `json:"f,omitempty"`
	Last    int  `json:"l,omitempty"`
}

// Section is the ordered list of commands of one part of the timeline. All
// streams join at both ends.
type Section struct {
	Name     string    `json:"name"`
	Commands []Command `json:"commands"`
}

// Stream is where a command is queued. Commands of one stream run in order.
type Stream int

// The streams.
const (
	Compute Stream = iota
	Out            // device to host
	In             // host to device
	NumStreams
)

var streamNames = [...]string{"compute", "out", "in"}

func (s Stream) String() string { return streamNames[s] }

// Kinds of command.
const (
	Launch = "launch" // Op on Args, writing Results
	Copy   = "copy"   // Args[0] to Results[0], same bytes
	Record = "record" // Event happens when all earlier commands of the stream are done
	Wait   = "wait"   // later commands of the stream start after Event
)

// Command is one entry of a section. Args and Results are indices of buffers in
// the order of the op table, -1 for an absent optional argument; a result that
// the op table declares to be stored over an argument names the same buffer.
type Command struct {
	Kind    string   `json:"k"`
	Op      string   `json:"op,omitempty"`
	Args    []int    `json:"a,omitempty"`
	Results []int    `json:"r,omitempty"`
	Work    int      `json:"w,omitempty"` // buffer index+1 of the scratch space
	Attr    *ir.Attr `json:"x,omitempty"`
	Stream  Stream   `json:"st,omitempty"`
	Event   int      `json:"e,omitempty"`
	Phase   string   `json:"p,omitempty"`
	Layer   int      `json:"y,omitempty"` // block index + 1, 0 outside the blocks
	Origin  int      `json:"g,omitempty"` // index into Provenance.Origins
	Nanos   int64    `json:"ns,omitempty"`
}

// Run is everything the runtime needs that is not a buffer or a command.
type Run struct {
	Seed      int64         `json:"seed"`
	Model     Model         `json:"model"`
	Params    []Param       `json:"params"` // canonical order
	Inputs    Inputs        `json:"inputs"`
	Data      Data          `json:"data"`
	Loss      loss.Policy   `json:"loss"`
	Window    Window        `json:"window"`
	Optimizer Optimizer     `json:"optimizer"`
	Rate      rate.Schedule `json:"rate"`
	Precision Precision     `json:"precision"`
	Init      Init          `json:"init"`
	Save      Save          `json:"save"`
	Eval      Eval          `json:"eval"`
}

// Model is the shape of the network, for identity and reports.
type Model struct {
	Family     string  `json:"family"`
	Layers     int     `json:"layers"`
	Heads      int     `json:"heads"`
	KVHeads    int     `json:"kvHeads"`
	HeadDim    int     `json:"headDim"`
	Width      int     `json:"width"`
	FFN        int     `json:"ffn"`
	Vocab      int     `json:"vocab"`
	Context    int     `json:"context"`
	Activation string  `json:"activation"`
	NormEps    float64 `json:"normEps"`
	RopeBase   float64 `json:"ropeBase,omitempty"`
	Tied       bool    `json:"tied"`
	Window     int     `json:"window,omitempty"` // attention window, keys including self; 0 = all
}

// Param is one stored parameter tensor with the buffers that belong to it.
type Param struct {
	Name   string  `json:"name"`
	Shape  []int   `json:"shape"`
	Buffer int     `json:"buffer"`
	Grad   int     `json:"grad"`             // -1 in a plan without training
	Master int     `json:"master,omitempty"` // buffer index+1 of the f32 copy that is updated; 0 when the parameter is f32 itself
	State  []int   `json:"state"`            // moments: m, v or momentum
	Init   string  `json:"init"`             // normal, ones, zeros
	Std    float64 `json:"std,omitempty"`    // of normal
	Decay  float64 `json:"decay"`            // weight decay in force
	Scale  float64 `json:"lrScale"`          // factor on the rate
	Origin string  `json:"from,omitempty"`   // spec path
}

// Inputs are the buffers that the runtime writes before a section and reads
// after it, -1 when the plan has none.
type Inputs struct {
	Control   int `json:"control"`   // f64[ir.ControlLen]
	IDs       int `json:"ids"`       // i32[R]
	Targets   int `json:"targets"`   // i32[R]
	Weight    int `json:"weight"`    // f32[R], m·w
	Lo        int `json:"lo"`        // i32[R], first visible key in the sequence
	Positions int `json:"positions"` // i32[R]
	Row       int `json:"row"`       // i32[R], row of the compact embedding gradient, -1 for padding
	RowIDs    int `json:"rowids"`    // i32[rows], id of each compact row, -1 after the last
	TokenLoss int `json:"tokenLoss"` // f32[R], written by micro
	EvalLoss  int `json:"evalLoss"`  // f32[R], written by eval
	Last      int `json:"last"`      // i32[B], position asked for by logits
	Logits    int `json:"logits"`    // f32[B,V], written by logits
}

// Data says where tokens come from.
type Data struct {
	Train     []string `json:"train"` // paths or globs relative to the spec's folder
	Eval      []string `json:"eval"`
	Format    string   `json:"format"`    // text
	Tokenizer string   `json:"tokenizer"` // bytes
	Documents string   `json:"documents"` // file, line, paragraph
	Packing   string   `json:"packing"`   // concat, none, segments
	Cross     bool     `json:"cross"`     // documents of a row see each other
	Restart   bool     `json:"restart"`   // positions count each document of a row from 0
	Order     string   `json:"order"`     // shuffle, sequential
	EOS       bool     `json:"eos"`       // id 256 after each document
}

// Window is the accumulation window.
type Window struct {
	MicroBatches int    `json:"microBatches"` // K
	BatchSize    int    `json:"batchSize"`    // B sequences
	SeqLen       int    `json:"seqLen"`       // T
	Last         string `json:"last"`         // carry, drop, flush
	Empty        string `json:"empty"`        // skip, stop
}

// Optimizer is the update rule; per-parameter decay and rate stand in Param.
type Optimizer struct {
	Kind     string  `json:"kind"` // adamw, sgd
	LR       float64 `json:"lr"`
	Beta1    float64 `json:"beta1,omitempty"`
	Beta2    float64 `json:"beta2,omitempty"`
	Eps      float64 `json:"eps,omitempty"`
	Momentum float64 `json:"momentum,omitempty"`
	Nesterov bool    `json:"nesterov,omitempty"`
	ClipNorm float64 `json:"clipNorm"` // 0 = off
}

// Precision names storage and products, and the loss scale.
type Precision struct {
	Compute   string  `json:"compute"`
	Params    string  `json:"params"`
	Grads     string  `json:"grads"`
	Master    string  `json:"master"`
	Products  string  `json:"products"`
	Scaler    string  `json:"scaler"`                // none, static, dynamic
	Scale     float64 `json:"scale"`                 // s of the first update
	Growth    float64 `json:"growth,omitempty"`      // dynamic: factor on s after GrowthEvery applied updates in a row
	Every     int     `json:"growthEvery,omitempty"` //
	Backoff   float64 `json:"backoff,omitempty"`     // dynamic: factor on s after a skipped update
	SkipLimit int     `json:"skipLimit"`             // skipped updates in a row that end the run
}

// Init is the policy of initialisation; the numbers per tensor stand in Param.
type Init struct {
	Std           float64 `json:"std"`
	ResidualScale bool    `json:"residualScale"`
}

// Save says how often the state is saved and how many are kept.
type Save struct {
	Every int `json:"every"`
	Keep  int `json:"keep"`
}

// Eval says how often held-out loss is measured, on how many micro-batches.
type Eval struct {
	Every   int `json:"every"`
	Batches int `json:"batches"`
}

// Provenance says where the plan comes from.
type Provenance struct {
	Tool    string   `json:"tool"`
	Spec    string   `json:"spec"`  // hash of the resolved spec
	Files   []string `json:"files"` // relative to the spec's folder
	Origins []string `json:"origins"`
	Profile Profile  `json:"profile"`
}

// Profile is the device profile that times were predicted with.
type Profile struct {
	Name      string  `json:"name"`
	FLOPS     float64 `json:"flops"`            // FLOP/s
	Bandwidth float64 `json:"bandwidth"`        // bytes/s of device memory
	H2D       float64 `json:"h2d"`              // bytes/s
	D2H       float64 `json:"d2h"`              // bytes/s
	Launch    float64 `json:"launch,omitempty"` // seconds that a command costs beside its work

	Ops map[string]float64 `json:"ops,omitempty"` // measured FLOP/s of single ops
}

// Hashes are sha256 in hexadecimal.
type Hashes struct {
	Identity string `json:"identity"`
	Program  string `json:"program"`
	File     string `json:"file,omitempty"`
}

// Predictions are computed from the formulas and the profile.
type Predictions struct {
	Parameters   int64        `json:"parameters"`   // elements
	Tokens       int64        `json:"tokens"`       // K·B·T of an update
	Trained      int64        `json:"trained"`      // of which can count in the loss
	FLOPs        int64        `json:"flops"`        // of an update
	Recomputed   int64        `json:"recomputed"`   // of which by checkpointing
	Nanos        int64        `json:"nanos"`        // of an update
	Peak         Peak         `json:"peak"`         // M_peak over the whole timeline, device tier
	Sections     []Peak       `json:"sections"`     // peak of each section
	Fragments    int64        `json:"fragments"`    // device arena − M_peak
	HostBytes    int64        `json:"hostBytes"`    //
	MovedOut     int64        `json:"movedOut"`     // bytes of an update
	MovedIn      int64        `json:"movedIn"`      //
	TransferNs   int64        `json:"transferNs"`   // T_rt of an update
	ExposedNs    int64        `json:"exposedNs"`    // T_exposed of an update
	NoTransfer   []string     `json:"noTransfer"`   // declared offloads that move nothing, with the reason
	ClassAtPeak  []ClassBytes `json:"classAtPeak"`  //
	OwnersAtPeak []OwnerBytes `json:"ownersAtPeak"` // biggest first
}

// Peak is a maximum of M_t and its moment.
type Peak struct {
	Section string `json:"section"`
	Command int    `json:"command"`
	Bytes   int64  `json:"bytes"`
	What    string `json:"what"` // the command, readable
}

// ClassBytes is a row of the ledger.
type ClassBytes struct {
	Class string `json:"class"`
	Bytes int64  `json:"bytes"`
}

// OwnerBytes names what holds memory at the peak.
type OwnerBytes struct {
	Name  string `json:"name"`
	Class string `json:"class"`
	Bytes int64  `json:"bytes"`
	Count int    `json:"count"`
}
