// Package campaign sums up runs with and without a tool over several repositories.
//
// A campaign has two arms, and each run works on one repository, its [arms.Run.Task]. [Analyze] gives per repository the
// medians of both arms and what the tool saved, and over all repositories the mean of those savings, each repository with the
// same weight. Of two repositories where the tool saves 20 % and costs 10 % more time, the average is 5 % LOWER, whatever their sizes.
//
// It reads no files: package rundir finds and reads those. It is no test of one repository: with a few runs each, what one of
// them shows is noise, and the table of all runs, paired by repository, has the p-values.
package campaign
