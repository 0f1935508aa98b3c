package e2e

import (
	"os"
	"testing"

	"github.com/gradcue/gradcue/runtime/sink"
)

// eventsOf reads the events of a run folder.
func eventsOf(t testing.TB, file string) []sink.Event {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	events, bad, err := sink.Read(f)
	if err != nil || bad > 0 || len(events) == 0 {
		t.Fatalf("%s: %d events, %d bad lines, %v", file, len(events), bad, err)
	}
	return events
}
