// Package campaign sums up runs with and without a tool over several repositories.
//
// A campaign has two arms, and each run works on one repository, its [arms.Run.Task]. [Analyze] gives per repository the
// medians of both arms and what the tool saved, and over all repositories the geometric mean of the ratios, each repository with the
// same weight. Of two repositories on which the tool takes 0.8 and 1.1 of the time, the average is √(0.8·1.1) = 0.938, so 6 % LOWER, whatever
// their sizes.
//
// It reads no files: package rundir finds and reads those. It is no test of one repository: with a few runs each, what one of
// them shows is noise, and the table of all runs, paired by repository, has the p-values.
package campaign
