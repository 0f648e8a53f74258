// Package layers asks why runs succeeded: by capability, or through a control that failed.
//
// A run that succeeds can owe it to a budget that did not hold, to a memory that happened to be right, to a retrieval that was not
// needed. One success rate mixes these. So the contract layer, which is deterministic and needs no model, says which
// defects a run triggered ([Defect]: packages budget, memory, rag and harness find them), the capability layer says how it came
// out ([Outcome]: a task's tests, a judge, the caller), and [CrossTab] joins the two.
//
// Of ten runs, eight succeed; three of these with a budget that let a call through. The success rate is 80 %: 50 % without a
// defect and 30 % that a failed control had a part in. Of the six runs without a defect five succeeded: the capability is 83 %,
// and with so few runs it lies anywhere from 44 % to 97 %.
//
// It is no causal analysis: a defect in a successful run had its chance to help, and the tables say how often success
// came with it and without it. An outcome that is not known is unmeasured and in no rate: a judge that was down is never a pass.
package layers
