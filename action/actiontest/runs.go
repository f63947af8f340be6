package actiontest

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
)

func (h *Hub) uploadSARIF(w http.ResponseWriter, r *http.Request) {
	var in struct {
		CommitSHA string `json:"commit_sha"`
		Ref       string `json:"ref"`
		SARIF     string `json:"sarif"`
	}
	err := json.NewDecoder(r.Body).Decode(&in)
	var plain []byte
	if err == nil {
		plain, err = unpack(in.SARIF)
	}
	var file struct {
		Runs []struct {
			Tool struct {
				Driver struct {
					Name string `json:"name"`
				} `json:"driver"`
			} `json:"tool"`
		} `json:"runs"`
	}
	if err == nil {
		err = json.Unmarshal(plain, &file)
	}
	if err != nil || len(file.Runs) != 1 {
		answer(w, http.StatusBadRequest, problem(fmt.Sprintf("no SARIF: %v", err)))
		return
	}
	a := Analysis{ID: fmt.Sprintf("47177e22-%04d", h.id()), Head: in.CommitSHA, Ref: in.Ref, SARIF: string(plain), Tool: file.Runs[0].Tool.Driver.Name}
	h.state.Analyses = append(h.state.Analyses, a)
	answer(w, http.StatusAccepted, map[string]any{"id": a.ID, "url": "https://github.test/" + a.ID})
}

func unpack(s string) ([]byte, error) {
	packed, err := base64.StdEncoding.DecodeString(s)
	if err != nil {
		return nil, err
	}
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(z)
}

func (h *Hub) listAnalyses(w http.ResponseWriter, r *http.Request) {
	if !slices.Contains(h.state.Scopes, SecurityEventsScope) {
		answer(w, http.StatusForbidden, problem("Resource not accessible by integration"))
		return
	}
	var list []any
	for _, a := range slices.Backward(h.state.Analyses) {
		if a.Ref == r.URL.Query().Get("ref") {
			list = append(list, like("code-scanning-analysis", map[string]any{"commit_sha": a.Head, "ref": a.Ref, "sarif_id": a.ID,
				"tool": map[string]any{"name": a.Tool, "guid": nil, "version": nil}}))
		}
	}
	page(w, r, list, nil)
}

func (h *Hub) listArtifacts(w http.ResponseWriter, r *http.Request) {
	var list []any
	for _, a := range h.state.Artifacts {
		if a.RunID == number(r, "id") && h.ours(r) {
			list = append(list, like("artifact", map[string]any{"id": a.ID, "name": a.Name, "size_in_bytes": len(a.Zip), "expired": a.Expired}))
		}
	}
	page(w, r, list, func(part []any, total int) any {
		return map[string]any{"total_count": total, "artifacts": part}
	})
}

func (h *Hub) artifact(r *http.Request) *Artifact {
	id := number(r, "id")
	i := slices.IndexFunc(h.state.Artifacts, func(a Artifact) bool { return a.ID == id })
	if i < 0 {
		return nil
	}
	return &h.state.Artifacts[i]
}

func (h *Hub) downloadArtifact(w http.ResponseWriter, r *http.Request) {
	a := h.artifact(r)
	switch {
	case a == nil || !h.ours(r):
		notFound(w)
	case a.Expired:
		answer(w, http.StatusGone, problem("Artifact has expired"))
	default:
		w.Header().Set("Location", fmt.Sprintf("http://%s/blobs/%d", r.Host, a.ID))
		w.WriteHeader(http.StatusFound)
	}
}

// blob stands for the storage that downloads are redirected to. It must never
// see the token.
func (h *Hub) blob(w http.ResponseWriter, r *http.Request) {
	a := h.artifact(r)
	if a == nil || r.Header.Get("Authorization") != "" {
		w.WriteHeader(http.StatusForbidden)
		return
	}
	w.Header().Set("Content-Type", "application/zip")
	if _, err := w.Write(a.Zip); err != nil {
		panic(http.ErrAbortHandler) // nobody reads any more
	}
}
