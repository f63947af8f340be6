// Package mcp offers the evidence of previdence to agents, over the Model Context
// Protocol: twelve tools, the reports and documents of worktrees as resources, and
// two prompts.
//
// Input is calls that name a worktree by its absolute path; output is the answers
// of graph/answer and of review/report, cut to a size that helps. The package sees
// those two contracts and an [Engine] that finds answers; it never sees a graph, a
// database or a repository. Every result says what it is about, how much the graph
// has seen and what was left out; an empty one says what was searched. What a
// repository has written stands in results as data, with the characters that
// cannot be seen spelled out. How bytes travel is the affair of mcp/wire.
package mcp
