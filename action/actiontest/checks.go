package actiontest

import (
	"encoding/json"
	"net/http"
	"slices"
	"unicode/utf8"
)

func (h *Hub) checkObject(c CheckRun) map[string]any {
	o := like("check-run", map[string]any{
		"id": c.ID, "name": c.Name, "head_sha": c.Head, "external_id": c.ExternalID, "status": c.Status,
		"html_url": "https://github.test/" + h.state.Owner + "/" + h.state.Name + "/runs/" + c.Name,
		"app":      like("nullable-integration", map[string]any{"slug": c.App}),
		"output": map[string]any{"title": c.Title, "summary": c.Summary, "text": nil,
			"annotations_count": len(c.Annotations), "annotations_url": "https://github.test/"}})
	if c.Conclusion != "" {
		o["conclusion"] = c.Conclusion
	}
	return o
}

func (h *Hub) listCheckRuns(w http.ResponseWriter, r *http.Request) {
	var list []any
	for _, c := range slices.Backward(h.state.CheckRuns) { // the newest first
		if c.Head == r.PathValue("sha") && c.Name == r.URL.Query().Get("check_name") && h.ours(r) {
			list = append(list, h.checkObject(c))
		}
	}
	page(w, r, list, func(part []any, total int) any {
		return map[string]any{"total_count": total, "check_runs": part}
	})
}

// A checkRequest is what a write of a check run says.
type checkRequest struct {
	Name       string `json:"name"`
	HeadSHA    string `json:"head_sha"`
	ExternalID string `json:"external_id"`
	Status     string `json:"status"`
	Conclusion string `json:"conclusion"`
	Output     struct {
		Title       string       `json:"title"`
		Summary     string       `json:"summary"`
		Annotations []Annotation `json:"annotations"`
	} `json:"output"`
}

func readCheck(w http.ResponseWriter, r *http.Request) (in checkRequest, ok bool) {
	refuse := func(why string) (checkRequest, bool) {
		answer(w, http.StatusUnprocessableEntity, validationError("Invalid request.", why))
		return in, false
	}
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		return refuse(err.Error())
	}
	if n := utf8.RuneCountInString(in.Output.Summary); n > 65_535 {
		return refuse("Only 65535 characters are allowed")
	}
	if len(in.Output.Annotations) > 50 {
		return refuse("No more than 50 items are allowed")
	}
	return in, true
}

// apply changes a check run. Annotations are added.
func (c *CheckRun) apply(in checkRequest) {
	if in.ExternalID != "" {
		c.ExternalID = in.ExternalID
	}
	c.Status, c.Conclusion = in.Status, in.Conclusion
	c.Title, c.Summary = in.Output.Title, in.Output.Summary
	c.Annotations = append(c.Annotations, in.Output.Annotations...)
}

func (h *Hub) createCheckRun(w http.ResponseWriter, r *http.Request) {
	in, ok := readCheck(w, r)
	if !ok {
		return
	}
	c := CheckRun{ID: h.id(), Head: in.HeadSHA, Name: in.Name, App: "github-actions"}
	c.apply(in)
	h.state.CheckRuns = append(h.state.CheckRuns, c)
	answer(w, http.StatusCreated, h.checkObject(c))
}

func (h *Hub) updateCheckRun(w http.ResponseWriter, r *http.Request) {
	id := number(r, "id")
	i := slices.IndexFunc(h.state.CheckRuns, func(c CheckRun) bool { return c.ID == id })
	if i < 0 {
		notFound(w)
		return
	}
	in, ok := readCheck(w, r)
	if !ok {
		return
	}
	c := &h.state.CheckRuns[i]
	c.apply(in)
	answer(w, http.StatusOK, h.checkObject(*c))
}
