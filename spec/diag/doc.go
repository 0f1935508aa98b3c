// Package diag is what gradcue says to a user: findings with a place, and the
// four formats they are written in.
//
// A [Diagnostic] has a stable code (the id of a rule, such as "attn.heads", or
// one of spec's own, such as "spec.unknown"), a severity, the dotted path of
// the field, the position in the user's file, a summary that says what was
// found and what was expected, and one thing to do. A [List] holds all findings
// of a run, never the first only; [List.Sort] and [List.Dedupe] make its order
// and content a function of the input.
//
// [Text], [JSON], [SARIF] and [GitHub] write a list. Lines and columns count
// from 1, columns in characters (code points), in every format.
//
// It is not the place of errors of the world inside a program: those are Go
// errors, wrapped where they happen. A finding about the world (a missing file)
// that a user can cause has World set, which a command turns into another exit
// code than wrong content.
//
// Codes may end in "/" and a detail, which tells two findings of one rule
// apart; [Diagnostic.Rule] cuts it off.
//
// The package imports nothing of gradcue, and not CUE: the spec, the compiler
// and the runtime all report through it.
package diag
