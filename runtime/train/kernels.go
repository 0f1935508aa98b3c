package train

import (
	"bytes"
	"fmt"

	"github.com/gradcue/gradcue/runtime/exec"
	"github.com/gradcue/gradcue/runtime/state"
)

// choices are the options of a session that say what the run chose before, or
// what another run did that it is to follow.
func (l *loop) choices(o exec.Options) (exec.Options, error) {
	if l.folder == nil {
		o.Choices = l.o.Kernels
		return o, nil
	}
	var err error
	if o.Continues, err = l.folder.Saved(); err != nil {
		return o, err
	}
	if o.Choices, err = state.Kernels(l.o.Dir); err != nil {
		return o, err
	}
	switch {
	case l.o.Kernels == nil || bytes.Equal(l.o.Kernels, o.Choices):
	case o.Continues || o.Choices != nil:
		return o, finding("run.kernels", "", fmt.Sprintf("%s has begun with other kernels than those of --kernels, which have other bits", l.o.Dir),
			"leave --kernels out to go on, or start another run with -o DIR")
	default:
		o.Choices = l.o.Kernels
	}
	return o, nil
}

// keepChoices writes down what the session chose, before anything is computed.
func (l *loop) keepChoices() error {
	c, ok := l.sess.(exec.Chooser)
	if !ok {
		return nil
	}
	l.res.Kernels = c.Chosen()
	text, err := c.Choices()
	if err != nil || text == nil || l.folder == nil {
		return err
	}
	if was, err := state.Kernels(l.o.Dir); err != nil || bytes.Equal(was, text) {
		return err
	}
	return l.folder.KeepKernels(text)
}
