package diff

// slide moves every run that only adds or only removes as far down as it goes
// without changing what it means, as git does: an added function then starts at
// its own first line, not at the closing brace of the one before.
func (c *comparison) slide() {
	slideRuns(c.new, c.added, c.coarseNew, boundaries(c.removed, c.added))
	slideRuns(c.old, c.removed, c.coarseOld, boundaries(c.added, c.removed))
}

// boundaries returns, for the unchanged lines of mine in order, whether the
// other side has changed lines directly before each; the last entry stands for
// the end of the file. A run may not slide over such a place: it would come to
// stand in front of lines it is not aligned with.
func boundaries(other, mine []bool) []bool {
	unchanged := 0
	for _, changed := range mine {
		if !changed {
			unchanged++
		}
	}
	out := make([]bool, unchanged+1)
	k := 0
	for _, changed := range other {
		if changed {
			out[k] = true
		} else {
			k++
		}
	}
	return out
}

func slideRuns(lines []int32, changed, coarse []bool, boundary []bool) {
	k := 0 // unchanged lines passed
	for i := 0; i < len(lines); {
		if !changed[i] {
			i, k = i+1, k+1
			continue
		}
		end := i
		for end < len(lines) && changed[end] {
			end++
		}
		for !boundary[k] && end < len(lines) && !changed[end] && lines[i] == lines[end] && !coarse[i] {
			changed[i], changed[end] = false, true
			i, end, k = i+1, end+1, k+1
			for end < len(lines) && changed[end] {
				end++ // it met the next run and goes on with it
			}
		}
		i = end
	}
}
