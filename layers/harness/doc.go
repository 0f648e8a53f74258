// Package harness measures the runtime around the model: the contract layer of what an agent does with its tools.
//
//   - [Compare]: do two sessions have the same trajectory, ids and times aside? The old and the new runtime, one scripted model.
//   - [Choose]: were the expected tool calls made, and no others?
//   - [Repeats]: which calls were made again with nothing changed in between?
//   - [Recoveries]: what came after a tool error?
//   - [PassAtK] and [PassHatK]: does it work once in k runs, and in all of k?
//   - [CheckGates]: which named conditions broke?
//   - [Attack] and [TallySecurity]: was an instruction in a tool result followed, and did the task succeed all the same?
//
// Of five runs of a task four succeed. One of three drawn from them succeeds for sure, pass@3 is 1; all three do in 4 of 10
// draws, pass^3 is 0.4.
//
// It runs no agent and judges no answers: whether a task was solved comes from the caller as [layers.Outcome].
package harness
