package spec
import ("testing";"os";"path/filepath";"math/rand/v2";"time";"fmt")
func TestMut(t *testing.T) {
	files, _ := filepath.Glob("testdata/*/*/exp.cue")
	r := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 3))
	toks := []string{"{","}","[","]","(",")","&","|","*","experiment","_","int","number","string","_|_","...","1","-1","1e400","99999999999999999999","\"x\"","model","heads","\n",":",",","\"\\(heads)\"","for i in [1,2] ","if true ","let y = ","null","true","spec.#Model","spec.#Experiment","X=","!","?"}
	end := time.Now().Add(60*time.Second)
	n := 0
	for time.Now().Before(end) {
		data, _ := os.ReadFile(files[r.IntN(len(files))])
		s := string(data)
		for range 1+r.IntN(4) {
			i := r.IntN(len(s)); j := min(len(s), i+r.IntN(6))
			s = s[:i]+toks[r.IntN(len(toks))]+s[j:]
		}
		dir := t.TempDir()
		os.WriteFile(filepath.Join(dir,"exp.cue"), []byte(s), 0o644)
		done := make(chan bool,1)
		var diags any
		go func(){ l, d := Load(Options{Dir:dir}, "exp.cue"); diags = d; 
			for _, x := range d { if x.Code==codeInternal || x.Pos.File=="" || Explain(x.Rule())=="" { fmt.Printf("BAD %+v\n%s\n", x, s) } }
			if (len(l)>0)==d.HasErrors() { fmt.Printf("INCONS %+v\n%s\n", d, s) }
			done <- true }()
		select { case <-done: case <-time.After(10*time.Second): t.Fatalf("hang:\n%s", s) }
		_ = diags
		n++
	}
	t.Log(n)
}
