package contract

import (
	"regexp"
	"slices"
	"strings"
)

func isMigration(p string) bool {
	return strings.Contains("/"+p, "/migrations/") || strings.Contains("/"+p, "/alembic/") || strings.Contains("/"+p, "/versions/") || strings.Contains("/"+p, "/migrate/")
}

// pyMigration reads the operations of Django and Alembic that take something away
// or demand something. What only undoes a migration is left out.
func (p *program) pyMigration() {
	down := p.downgrade()
	arg := func(c call, n int, name string) string {
		if v, ok := c.named(name).literal(); ok {
			return v
		}
		v, _ := c.plain(n).literal()
		return v
	}
	for _, c := range p.calls {
		if down > 0 && c.line >= down {
			continue
		}
		i := Item{Kind: SQL, Line: c.line, Does: Removes, Effect: Breaking}
		switch c.name {
		case "RemoveField":
			i.Name = arg(c, 0, "model_name") + "." + arg(c, 1, "name")
		case "DeleteModel":
			i.Name = arg(c, 0, "name")
		case "drop_column":
			i.Name = arg(c, 0, "table_name") + "." + arg(c, 1, "column_name")
		case "drop_table":
			i.Name = arg(c, 0, "table_name")
		case "RenameField":
			i.Does, i.By, i.Name = Renames, arg(c, 0, "model_name")+"."+arg(c, 1, "old_name"), arg(c, 0, "model_name")+"."+arg(c, 2, "new_name")
		case "RenameModel":
			i.Does, i.By, i.Name = Renames, arg(c, 0, "old_name"), arg(c, 1, "new_name")
		case "rename_table":
			i.Does, i.By, i.Name = Renames, arg(c, 0, "old_table_name"), arg(c, 1, "new_table_name")
		case "alter_column":
			i.Does, i.Effect, i.Reason, i.Name = Changes, Unknown, "alters the column", arg(c, 0, "table_name")+"."+arg(c, 1, "column_name")
		case "AlterField":
			i.Does, i.Effect, i.Reason, i.Name = Changes, Unknown, "alters the field", arg(c, 0, "model_name")+"."+arg(c, 1, "name")
		default:
			continue
		}
		if strings.Trim(i.Name, ".") != "" {
			p.add(i)
		}
	}
}

// downgrade is the line from which on a migration undoes, 0 if there is none.
func (p *program) downgrade() int {
	for i := 1; i < len(p.tokens); i++ {
		if undoes.MatchString(p.tokens[i].text) && slices.Contains([]string{"def", "func", "function", "async", "."}, p.tokens[i-1].text) {
			return p.tokens[i].line
		}
	}
	return 0
}

// statements reads the SQL that a program has as texts, as migrations do that are
// written in its language.
func (p *program) statements() {
	down := p.downgrade()
	for i, t := range p.tokens {
		if t.kind != text || !definesTables.MatchString(t.text) || down > 0 && t.line >= down || !p.isStatement(i) {
			continue
		}
		sql := t.text
		if !t.raw {
			sql = escapes.Replace(sql)
		}
		items, _ := readSQL("", []byte(sql))
		for _, i := range items {
			i.Line += t.line - 1
			p.add(i)
		}
	}
}

// isStatement tells SQL from a message about it: it has a second line or an end, or
// is given to what runs it.
func (p *program) isStatement(i int) bool {
	if strings.ContainsAny(p.tokens[i].text, ";\n") {
		return true
	}
	return slices.ContainsFunc(p.tokens[max(0, i-4):i], func(t token) bool { return t.kind == word && runsSQL.MatchString(t.text) })
}

// escapes are those that stand between the words of a statement.
var escapes = strings.NewReplacer(`\n`, " ", `\t`, " ", `\"`, `"`)

var (
	runsSQL       = regexp.MustCompile(`(?i)^(?:must)?(?:exec|execute|query|raw|sql)`)
	undoes        = regexp.MustCompile(`^(?:downgrade|[dD]own(?:[A-Z_]\w*)?)$`)
	definesTables = regexp.MustCompile(`(?i)^[\s(]*(?:--[^\n]*\n\s*)*(?:create\s+(?:temp\w*\s+|unlogged\s+)?table|alter\s+table|drop\s+(?:table|view)|begin\b|create\s+(?:unique\s+)?index|create\s+type|create\s+extension|update\s|insert\s)`)

	sqlName     = "(?:if\\s+(?:not\\s+)?exists\\s+|only\\s+)*((?:[\\w$]+|\"[^\"]+\"|`[^`]+`|\\[[^\\]]+\\])(?:\\.(?:[\\w$]+|\"[^\"]+\"|`[^`]+`|\\[[^\\]]+\\]))*)"
	createTable = regexp.MustCompile(`(?is)^create\s+(?:temp(?:orary)?\s+|unlogged\s+)?table\s+` + sqlName + `\s*\((.*)\)`)
	dropTable   = regexp.MustCompile(`(?is)^drop\s+(?:table|view)\s+` + sqlName)
	alterTable  = regexp.MustCompile(`(?is)^alter\s+table\s+` + sqlName + `\s+(.*)$`)
	dropColumn  = regexp.MustCompile(`(?is)^drop\s+(?:column\s+)?` + sqlName)
	renameCol   = regexp.MustCompile(`(?is)^(?:rename\s+(?:column\s+)?|change\s+(?:column\s+)?)` + sqlName + `\s+(?:to\s+)?` + sqlName)
	renameTable = regexp.MustCompile(`(?is)^rename\s+(?:to|as)\s+` + sqlName)
	addColumn   = regexp.MustCompile(`(?is)^add\s+(?:column\s+)?` + sqlName + `\s+(.*)$`)
	alterColumn = regexp.MustCompile(`(?is)^(?:alter|modify)\s+(?:column\s+)?` + sqlName + `\s+(.*)$`)
	notColumn   = regexp.MustCompile(`(?i)^(constraint|primary|foreign|unique|check|index|key|exclude|like|fulltext|spatial|partition|period)\b`)
	downMarks   = regexp.MustCompile(`(?im)^\s*--\s*(?:\+goose\s+down|migrate:down|\+migrate\s+down|down\b|rollback\b|//@undo)`)
	sqlComments = regexp.MustCompile(`(?s)--[^\n]*|/\*.*?\*/`)
)

// readSQL reads the tables of a schema and the steps of a migration. What only
// undoes one is left out.
func readSQL(p string, data []byte) ([]Item, bool) {
	if strings.HasSuffix(p, ".down.sql") || strings.HasSuffix(p, "/down.sql") {
		return nil, true
	}
	src := string(data)
	if at := downMarks.FindStringIndex(src); at != nil {
		src = src[:at[0]]
	}
	src = sqlComments.ReplaceAllStringFunc(src, func(s string) string { return strings.Repeat("\n", strings.Count(s, "\n")) })
	var items []Item
	line := 1
	for statement := range strings.SplitSeq(src, ";") {
		trimmed := strings.TrimLeft(statement, " \t\r\n")
		at := line + strings.Count(statement[:len(statement)-len(trimmed)], "\n")
		items = append(items, statementItems(strings.TrimSpace(trimmed), at)...)
		line += strings.Count(statement, "\n")
		if len(items) > maxItems {
			break
		}
	}
	return items, true
}

func bare(name string) string {
	return strings.NewReplacer(`"`, "", "`", "", "[", "", "]", "").Replace(name)
}

func statementItems(s string, line int) []Item {
	if m := createTable.FindStringSubmatch(s); m != nil {
		table := bare(m[1])
		items := []Item{{Kind: SQL, Name: table, Line: line}}
		for _, column := range splitTop(m[2]) {
			name, typ, _ := strings.Cut(strings.TrimSpace(column), " ")
			if name == "" || notColumn.MatchString(strings.TrimSpace(column)) {
				continue
			}
			items = append(items, Item{Kind: SQL, Name: table + "." + bare(name), Type: strings.ToLower(strings.TrimSpace(typ)), Line: line})
		}
		return items
	}
	if m := dropTable.FindStringSubmatch(s); m != nil {
		return []Item{{Kind: SQL, Name: bare(m[1]), Line: line, Does: Removes, Effect: Breaking}}
	}
	m := alterTable.FindStringSubmatch(s)
	if m == nil {
		return nil
	}
	var items []Item
	for _, action := range splitTop(m[2]) {
		if i, ok := alteration(bare(m[1]), strings.TrimSpace(action)); ok {
			i.Kind, i.Line = SQL, line
			items = append(items, i)
		}
	}
	return items
}

// alteration is what one action of ALTER TABLE does.
func alteration(table, action string) (Item, bool) {
	lower := strings.ToLower(action)
	switch {
	case notColumn.MatchString(strings.TrimPrefix(strings.TrimPrefix(lower, "drop "), "add ")):
		return Item{}, false
	case strings.HasPrefix(lower, "drop"):
		if m := dropColumn.FindStringSubmatch(action); m != nil {
			return Item{Name: table + "." + bare(m[1]), Does: Removes, Effect: Breaking}, true
		}
	case renameTable.MatchString(action):
		return Item{Name: bare(renameTable.FindStringSubmatch(action)[1]), By: table, Does: Renames, Effect: Breaking}, true
	case strings.HasPrefix(lower, "rename"), strings.HasPrefix(lower, "change"):
		if m := renameCol.FindStringSubmatch(action); m != nil && m[1] != m[2] {
			return Item{Name: table + "." + bare(m[2]), By: table + "." + bare(m[1]), Does: Renames, Effect: Breaking}, true
		}
	case strings.HasPrefix(lower, "add"):
		if m := addColumn.FindStringSubmatch(action); m != nil {
			return added(table+"."+bare(m[1]), m[2]), true
		}
	case strings.HasPrefix(lower, "alter"), strings.HasPrefix(lower, "modify"):
		if m := alterColumn.FindStringSubmatch(action); m != nil {
			i := Item{Name: table + "." + bare(m[1]), Type: strings.ToLower(m[2]), Does: Changes, Effect: Unknown, Reason: "alters the column: " + strings.ToLower(m[2])}
			if strings.Contains(lower, "set not null") {
				i.Effect, i.Reason = Breaking, "it may not be empty any more"
			}
			return i, true
		}
	}
	return Item{}, false
}

// added is a column that an existing table gains.
func added(name, rest string) Item {
	lower := strings.ToLower(rest)
	i := Item{Name: name, Type: lower, Does: Adds, Effect: Compatible}
	if strings.Contains(lower, "not null") && !strings.Contains(lower, "default") && !strings.Contains(lower, "serial") && !strings.Contains(lower, "generated") {
		i.Effect, i.Reason = Breaking, "it may not be empty and has no default: rows that are there, and writers that do not know it, have none"
	}
	return i
}

// splitTop splits at commas outside of parentheses and strings.
func splitTop(s string) []string {
	var out []string
	depth, start := 0, 0
	quoted := false
	for i := range len(s) {
		switch c := s[i]; {
		case c == '\'':
			quoted = !quoted
		case quoted:
		case c == '(':
			depth++
		case c == ')':
			depth--
		case c == ',' && depth == 0:
			out = append(out, s[start:i])
			start = i + 1
		}
	}
	return append(out, s[start:])
}
