package diag

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/url"
	"path"
	"slices"
	"strings"
)

// Tool names the program in a SARIF log.
type Tool struct {
	// Name and Version of the program; Version may be empty.
	Name, Version string
	// Titles gives a one-line title for some rule ids.
	Titles map[string]string
}

// SARIF writes a SARIF 2.1.0 log with one run. Columns are code points. The
// fingerprint of a result is its code and path, so that moving a line does not
// make it a new one.
func SARIF(w io.Writer, l List, t Tool) error {
	var ids []string
	for _, d := range l {
		ids = append(ids, d.Rule())
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	run := sarifRun{ColumnKind: "unicodeCodePoints", Results: []sarifResult{}}
	run.Tool.Driver = sarifDriver{Name: t.Name, Version: t.Version, Rules: []sarifRule{}}
	for _, id := range ids {
		r := sarifRule{ID: id}
		if s := t.Titles[id]; s != "" {
			r.Short = &sarifText{s}
		}
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, r)
	}
	for _, d := range l {
		i, _ := slices.BinarySearch(ids, d.Rule())
		run.Results = append(run.Results, sarifOf(d, i))
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(sarifLog{
		Schema:  "https://json.schemastore.org/sarif-2.1.0.json",
		Version: "2.1.0",
		Runs:    []sarifRun{run},
	})
}

func sarifOf(d Diagnostic, rule int) sarifResult {
	msg := d.Summary
	if d.Help != "" {
		msg += "\n" + d.Help
	}
	sum := sha256.Sum256([]byte(d.Code + "\x00" + d.Path))
	r := sarifResult{
		RuleID:       d.Rule(),
		RuleIndex:    rule,
		Level:        d.Severity.String(),
		Message:      sarifText{msg},
		Fingerprints: map[string]string{"codeAndPath/v1": hex.EncodeToString(sum[:16])},
	}
	loc := sarifLocation{Physical: sarifPlace(d.Pos, d.End)}
	if d.Path != "" {
		loc.Logical = []sarifLogical{{FullName: d.Path}}
	}
	if loc.Physical != nil || loc.Logical != nil {
		r.Locations = []sarifLocation{loc}
	}
	for i, o := range d.Related {
		r.Related = append(r.Related, sarifLocation{ID: i + 1, Physical: sarifPlace(o.Pos, Position{}), Message: &sarifText{o.Message}})
	}
	return r
}

// sarifPlace is nil for a position without a file, as the format wants a URI.
func sarifPlace(p, end Position) *sarifPhysical {
	if p.File == "" {
		return nil
	}
	out := &sarifPhysical{}
	out.Artifact.URI = fileURI(p.File)
	if p.Line > 0 {
		out.Region = &sarifRegion{StartLine: p.Line, StartColumn: p.Col, EndLine: end.Line, EndColumn: end.Col}
	}
	return out
}

// fileURI is a relative reference for a relative path, and a file: URI for an absolute one.
func fileURI(file string) string {
	slash := strings.ReplaceAll(file, "\\", "/")
	if path.IsAbs(slash) {
		return (&url.URL{Scheme: "file", Path: slash}).String()
	}
	if len(slash) > 1 && slash[1] == ':' {
		return (&url.URL{Scheme: "file", Path: "/" + slash}).String()
	}
	return (&url.URL{Path: slash}).String()
}

type sarifLog struct {
	Schema  string     `json:"$schema"`
	Version string     `json:"version"`
	Runs    []sarifRun `json:"runs"`
}

type sarifRun struct {
	Tool struct {
		Driver sarifDriver `json:"driver"`
	} `json:"tool"`
	ColumnKind string        `json:"columnKind"`
	Results    []sarifResult `json:"results"`
}

type sarifDriver struct {
	Name    string      `json:"name"`
	Version string      `json:"version,omitempty"`
	Rules   []sarifRule `json:"rules"`
}

type sarifRule struct {
	ID    string     `json:"id"`
	Short *sarifText `json:"shortDescription,omitempty"`
}

type sarifText struct {
	Text string `json:"text"`
}

type sarifResult struct {
	RuleID       string            `json:"ruleId"`
	RuleIndex    int               `json:"ruleIndex"`
	Level        string            `json:"level"`
	Message      sarifText         `json:"message"`
	Locations    []sarifLocation   `json:"locations,omitempty"`
	Related      []sarifLocation   `json:"relatedLocations,omitempty"`
	Fingerprints map[string]string `json:"partialFingerprints"`
}

type sarifLocation struct {
	ID       int            `json:"id,omitempty"`
	Physical *sarifPhysical `json:"physicalLocation,omitempty"`
	Logical  []sarifLogical `json:"logicalLocations,omitempty"`
	Message  *sarifText     `json:"message,omitempty"`
}

type sarifPhysical struct {
	Artifact struct {
		URI string `json:"uri"`
	} `json:"artifactLocation"`
	Region *sarifRegion `json:"region,omitempty"`
}

type sarifRegion struct {
	StartLine   int `json:"startLine"`
	StartColumn int `json:"startColumn,omitempty"`
	EndLine     int `json:"endLine,omitempty"`
	EndColumn   int `json:"endColumn,omitempty"`
}

type sarifLogical struct {
	FullName string `json:"fullyQualifiedName"`
}
