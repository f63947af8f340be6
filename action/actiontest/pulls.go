package actiontest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// most is how many bytes of a comment are accepted, as it was measured; the
// documented limit is lower.
const most = 262_144

func user(login, kind string) map[string]any {
	return like("simple-user", map[string]any{"login": login, "type": kind})
}

// us is the user that the token belongs to.
func (h *Hub) us() (login, kind string) {
	if strings.HasSuffix(h.state.Login, "[bot]") {
		return h.state.Login, "Bot"
	}
	return h.state.Login, "User"
}

func (h *Hub) getPull(w http.ResponseWriter, r *http.Request) {
	p := h.pull(r)
	if p == nil {
		notFound(w)
		return
	}
	state := "open"
	if p.Closed {
		state = "closed"
	}
	repo := like("repository", map[string]any{"id": h.state.RepositoryID, "name": h.state.Name, "full_name": h.state.Owner + "/" + h.state.Name,
		"owner": user(h.state.Owner, "Organization")})
	var fork any
	if p.HeadRepoID != 0 {
		fork = like("repository", map[string]any{"id": p.HeadRepoID, "name": h.state.Name, "owner": user("someone", "User")})
	}
	side := func(ref, sha string, repo any) map[string]any {
		return map[string]any{"label": "acme:" + ref, "ref": ref, "sha": sha, "repo": repo, "user": user("someone", "User")}
	}
	answer(w, http.StatusOK, like("pull-request", map[string]any{
		"number": p.Number, "state": state, "title": "A pull request",
		"head": side("topic", p.Head, fork), "base": side(p.BaseRef, p.Base, repo)}))
}

func (h *Hub) listFiles(w http.ResponseWriter, r *http.Request) {
	p := h.pull(r)
	if p == nil {
		notFound(w)
		return
	}
	var list []any
	for _, f := range p.Files {
		e := like("diff-entry", map[string]any{"filename": f.Path, "status": "modified", "sha": strings.Repeat("b", 40)})
		if f.Patch != "" {
			e["patch"] = f.Patch
		}
		list = append(list, e)
	}
	page(w, r, list[:min(len(list), 3000)], nil)
}

func (h *Hub) commentObject(c Comment) map[string]any {
	return like("issue-comment", map[string]any{"id": c.ID, "body": c.Body, "user": user(c.Login, c.Type),
		"html_url": fmt.Sprintf("https://github.test/%s/%s/pull/%d#issuecomment-%d", h.state.Owner, h.state.Name, c.Number, c.ID)})
}

func (h *Hub) listComments(w http.ResponseWriter, r *http.Request) {
	p := h.pull(r)
	if p == nil {
		notFound(w)
		return
	}
	var list []any
	for _, c := range h.state.Comments {
		if c.Number == p.Number {
			list = append(list, h.commentObject(c))
		}
	}
	page(w, r, list, nil)
}

// text reads the body of a comment from a request.
func text(w http.ResponseWriter, r *http.Request) (string, bool) {
	var in struct {
		Body string `json:"body"`
	}
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil || in.Body == "" {
		answer(w, http.StatusUnprocessableEntity, validationError("Validation Failed", "Body can't be blank"))
		return "", false
	}
	if len(in.Body) > most {
		answer(w, http.StatusUnprocessableEntity, validationError("Validation Failed", "Body is too long (maximum is 65536 characters)"))
		return "", false
	}
	return in.Body, true
}

func (h *Hub) createComment(w http.ResponseWriter, r *http.Request) {
	p := h.pull(r)
	if p == nil {
		notFound(w)
		return
	}
	body, ok := text(w, r)
	if !ok {
		return
	}
	login, kind := h.us()
	c := Comment{ID: h.id(), Number: p.Number, Login: login, Type: kind, Body: body}
	h.state.Comments = append(h.state.Comments, c)
	answer(w, http.StatusCreated, h.commentObject(c))
}

// own finds the comment of a path, if it is there and the token may change it.
func (h *Hub) own(w http.ResponseWriter, r *http.Request) int {
	id := number(r, "id")
	i := slices.IndexFunc(h.state.Comments, func(c Comment) bool { return c.ID == id })
	if i < 0 {
		notFound(w)
	}
	return i
}

func (h *Hub) editComment(w http.ResponseWriter, r *http.Request) {
	i := h.own(w, r)
	if i < 0 {
		return
	}
	body, ok := text(w, r)
	if !ok {
		return
	}
	c := &h.state.Comments[i]
	c.Body = body
	c.Edits++
	answer(w, http.StatusOK, h.commentObject(*c))
}

func (h *Hub) deleteComment(w http.ResponseWriter, r *http.Request) {
	if i := h.own(w, r); i >= 0 {
		h.state.Comments = slices.Delete(h.state.Comments, i, i+1)
		w.WriteHeader(http.StatusNoContent)
	}
}

func (h *Hub) reviewCommentObject(c ReviewComment) map[string]any {
	o := like("pull-request-review-comment", map[string]any{"id": c.ID, "body": c.Body, "path": c.Path, "user": user(c.Login, c.Type)})
	if c.Line > 0 {
		o["line"] = c.Line
	}
	return o
}

func (h *Hub) listReviewComments(w http.ResponseWriter, r *http.Request) {
	p := h.pull(r)
	if p == nil {
		notFound(w)
		return
	}
	var list []any
	for _, c := range h.state.ReviewComments {
		if c.Number == p.Number {
			list = append(list, h.reviewCommentObject(c))
		}
	}
	page(w, r, list, nil)
}

// A draft is a review comment as a request has it.
type draft struct {
	Path        string `json:"path"`
	Line        int    `json:"line"`
	Side        string `json:"side"`
	Body        string `json:"body"`
	SubjectType string `json:"subject_type"`
	CommitID    string `json:"commit_id"`
}

// misplaced says why GitHub would refuse a draft, or "".
func (p *PullRequest) misplaced(d draft) string {
	i := slices.IndexFunc(p.Files, func(f File) bool { return f.Path == d.Path })
	switch {
	case i < 0:
		return "Pull request review thread path is invalid"
	case d.SubjectType == "file":
		return ""
	case d.Side != "RIGHT" || !inHunk(p.Files[i].Patch, d.Line):
		return "Pull request review thread line must be part of the diff"
	}
	return ""
}

// inHunk reports whether a line of head lies in a hunk of a patch, context
// included.
func inHunk(patch string, line int) bool {
	for l := range strings.Lines(patch) {
		_, rest, ok := strings.Cut(l, "@@ -")
		if !ok {
			continue
		}
		_, rest, _ = strings.Cut(rest, "+")
		span, _, _ := strings.Cut(rest, " @@")
		start, count, both := strings.Cut(span, ",")
		from, err := strconv.Atoi(start)
		if err != nil {
			return false
		}
		n := 1
		if both {
			if n, err = strconv.Atoi(count); err != nil {
				return false
			}
		}
		if line >= from && line < from+n {
			return true
		}
	}
	return false
}

func (h *Hub) addReviewComment(p *PullRequest, d draft) ReviewComment {
	login, kind := h.us()
	c := ReviewComment{ID: h.id(), Number: p.Number, Login: login, Type: kind, Path: d.Path, Line: d.Line, Body: d.Body}
	h.state.ReviewComments = append(h.state.ReviewComments, c)
	return c
}

func (h *Hub) createReview(w http.ResponseWriter, r *http.Request) {
	p := h.pull(r)
	if p == nil {
		notFound(w)
		return
	}
	var in struct {
		CommitID string  `json:"commit_id"`
		Event    string  `json:"event"`
		Body     string  `json:"body"`
		Comments []draft `json:"comments"`
	}
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil || in.Body == "" && len(in.Comments) == 0 {
		answer(w, http.StatusUnprocessableEntity, plainError("Unprocessable Entity", "Body can't be blank"))
		return
	}
	for _, d := range in.Comments {
		if why := p.misplaced(d); why != "" {
			answer(w, http.StatusUnprocessableEntity, plainError("Unprocessable Entity", why))
			return
		}
	}
	for _, d := range in.Comments {
		h.addReviewComment(p, d)
	}
	h.state.Reviews++
	login, kind := h.us()
	answer(w, http.StatusOK, like("pull-request-review", map[string]any{"id": h.id(), "state": "COMMENTED", "commit_id": in.CommitID, "user": user(login, kind)}))
}

func (h *Hub) createReviewComment(w http.ResponseWriter, r *http.Request) {
	p := h.pull(r)
	if p == nil {
		notFound(w)
		return
	}
	var d draft
	if err := json.NewDecoder(r.Body).Decode(&d); err != nil {
		answer(w, http.StatusUnprocessableEntity, validationError("Validation Failed", err.Error()))
		return
	}
	if why := p.misplaced(d); why != "" {
		answer(w, http.StatusUnprocessableEntity, validationError("Validation Failed", why))
		return
	}
	answer(w, http.StatusCreated, h.reviewCommentObject(h.addReviewComment(p, d)))
}

func (h *Hub) compare(w http.ResponseWriter, r *http.Request) {
	sha := h.state.MergeBases[r.PathValue("basehead")]
	if sha == "" || !h.ours(r) {
		notFound(w)
		return
	}
	commit := like("commit", map[string]any{"sha": sha})
	answer(w, http.StatusOK, like("commit-comparison", map[string]any{"merge_base_commit": commit, "base_commit": commit, "status": "ahead"}))
}
