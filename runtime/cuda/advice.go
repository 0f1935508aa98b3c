//go:build cuda

package cuda

import "errors"

// advised is an error of the surroundings with what can be done.
type advised struct{ summary, advice string }

func (e *advised) Error() string  { return e.summary }
func (e *advised) Advice() string { return e.advice }

// unopened is an error while a plan is opened.
type unopened struct{ error }

func (e unopened) Unwrap() error { return e.error }
func (e unopened) Advice() string {
	return "look at the device with nvidia-smi, or choose another engine"
}

// withAdvice is an error that says what can be done, if only to look.
func withAdvice(err error) error {
	var can interface{ Advice() string }
	if errors.As(err, &can) {
		return err
	}
	return unopened{err}
}

// firstCUDA is the CUDA version of the first driver that takes a version of PTX,
// by the table of the PTX ISA's release notes.
func firstCUDA(ptx string) string {
	for _, row := range [...][2]string{{"6.0", "9.0"}, {"6.1", "9.1"}, {"6.2", "9.2"}, {"6.3", "10.0"}, {"6.4", "10.1"}, {"6.5", "10.2"}, {"7.0", "11.0"},
		{"7.1", "11.1"}, {"7.2", "11.2"}, {"7.3", "11.3"}, {"7.4", "11.4"}, {"7.5", "11.5"}, {"7.8", "11.8"}, {"8.0", "12.0"}} {
		if row[0] == ptx {
			return "CUDA " + row[1]
		}
	}
	return "a later CUDA"
}
