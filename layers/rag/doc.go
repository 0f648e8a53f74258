// Package rag measures retrieval-augmented answers in three layers that one accuracy mixes.
//
//   - Retrieval: [Evaluate] scores rankings against judgements, query by query and as means: nDCG, recall, precision, reciprocal rank and average
//     precision. It needs no model.
//   - Abstention: [TallyAbstention] tells an agent that answers what it cannot know from one that abstains and is graded wrong for it.
//   - Grounding: [Ground] checks the citations and quotations of an answer against what the session's tools really returned, and a [Judge] says
//     whether evidence entails a claim.
//
// One relevant document at rank 2 has a discounted gain of 1/log₂3; the ideal has it at rank 1, so nDCG is 0.6309.
//
// It retrieves nothing and asks no model by itself. A citation that holds is no proof that the answer is right, only that its
// author was shown what it points at.
package rag
