package main

import "github.com/spf13/cobra"

func newInitCmd(a *app) *cobra.Command      { return &cobra.Command{Use: "init"} }
func newShowCmd(a *app) *cobra.Command      { return &cobra.Command{Use: "show"} }
func newRunCmd(a *app) *cobra.Command       { return &cobra.Command{Use: "run"} }
func newSampleCmd(a *app) *cobra.Command    { return &cobra.Command{Use: "sample"} }
func newGradcheckCmd(a *app) *cobra.Command { return &cobra.Command{Use: "gradcheck"} }
func newDataCmd(a *app) *cobra.Command      { return &cobra.Command{Use: "data"} }
