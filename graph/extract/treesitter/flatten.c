#include "flatten.h"

#include <stdbool.h>
#include <stdlib.h>

// The few functions of the tree-sitter runtime that are needed. The runtime is
// compiled into the binary by the package go-tree-sitter; the symbols are weak,
// so that this package links by itself while cgo examines it.
#define WEAK __attribute__((weak))

typedef struct { uint32_t row, column; } TSPoint;
typedef struct { uint32_t context[4]; const void *id; const void *tree; } TSNode;
typedef struct { const void *tree; const void *id; uint32_t context[3]; } TSTreeCursor;
typedef struct { void *payload; uint32_t current_byte_offset; bool has_error; } TSParseState;
typedef struct { void *payload; bool (*progress_callback)(TSParseState *); } TSParseOptions;
typedef struct {
	void *payload;
	const char *(*read)(void *, uint32_t, TSPoint, uint32_t *);
	int encoding;
	uint32_t (*decode)(const uint8_t *, uint32_t, int32_t *);
} TSInput;

extern WEAK void ts_set_allocator(void *(*)(size_t), void *(*)(size_t, size_t), void *(*)(void *, size_t), void (*)(void *));
extern WEAK void *ts_parser_new(void);
extern WEAK bool ts_parser_set_language(void *, const void *);
extern WEAK void *ts_parser_parse_with_options(void *, const void *, TSInput, TSParseOptions);
extern WEAK void ts_parser_reset(void *);
extern WEAK void ts_tree_delete(void *);
extern WEAK TSNode ts_tree_root_node(const void *);
extern WEAK TSTreeCursor ts_tree_cursor_new(TSNode);
extern WEAK void ts_tree_cursor_delete(TSTreeCursor *);
extern WEAK TSNode ts_tree_cursor_current_node(const TSTreeCursor *);
extern WEAK uint16_t ts_tree_cursor_current_field_id(const TSTreeCursor *);
extern WEAK bool ts_tree_cursor_goto_first_child(TSTreeCursor *);
extern WEAK bool ts_tree_cursor_goto_next_sibling(TSTreeCursor *);
extern WEAK bool ts_tree_cursor_goto_parent(TSTreeCursor *);
extern WEAK uint16_t ts_node_symbol(TSNode);
extern WEAK uint32_t ts_node_start_byte(TSNode);
extern WEAK uint32_t ts_node_end_byte(TSNode);
extern WEAK TSPoint ts_node_start_point(TSNode);
extern WEAK TSPoint ts_node_end_point(TSNode);
extern WEAK bool ts_node_is_named(TSNode);
extern WEAK bool ts_node_is_missing(TSNode);
extern WEAK bool ts_node_is_error(TSNode);
extern WEAK bool ts_node_has_error(TSNode);
extern WEAK uint32_t ts_language_symbol_count(const void *);
extern WEAK const char *ts_language_symbol_name(const void *, uint16_t);
extern WEAK uint32_t ts_language_field_count(const void *);
extern WEAK const char *ts_language_field_name_for_id(const void *, uint16_t);

struct pv_parser {
	void *parser;
	pv_node *nodes; // kept between files: fresh memory is dear
	uint32_t count, capacity;
	const char *src;
	uint32_t len;
	uint64_t steps; // progress reports left
	int cancelled;  // set from another thread
};

// Without this the binding's allocator calls back into Go for every block.
void pv_init(void) { ts_set_allocator(NULL, NULL, NULL, NULL); }

pv_parser *pv_new(const void *language) {
	pv_parser *p = calloc(1, sizeof *p);
	if (!p) return NULL;
	p->parser = ts_parser_new();
	if (!p->parser || !ts_parser_set_language(p->parser, language)) {
		free(p);
		return NULL;
	}
	return p;
}

static const char *read_source(void *payload, uint32_t at, TSPoint point, uint32_t *n) {
	pv_parser *p = payload;
	(void)point;
	*n = at < p->len ? p->len - at : 0;
	return *n ? p->src + at : "";
}

static bool stop(TSParseState *state) {
	pv_parser *p = state->payload;
	if (__atomic_load_n(&p->cancelled, __ATOMIC_RELAXED)) return true;
	if (p->steps == 0) return true;
	p->steps--;
	return false;
}

static bool grow(pv_parser *p) {
	if (p->count < p->capacity) return true;
	uint32_t capacity = p->capacity ? p->capacity * 2 : 4096;
	pv_node *nodes = realloc(p->nodes, (size_t)capacity * sizeof *nodes);
	if (!nodes) return false;
	p->nodes = nodes;
	p->capacity = capacity;
	return true;
}

static void put(pv_parser *p, TSNode n, uint16_t field, int32_t parent) {
	pv_node *out = &p->nodes[p->count++];
	out->start = ts_node_start_byte(n);
	out->end = ts_node_end_byte(n);
	out->line = ts_node_start_point(n).row + 1;
	out->end_line = ts_node_end_point(n).row + 1;
	out->parent = parent;
	out->size = 1;
	out->kind = ts_node_symbol(n);
	out->field = field;
	out->flags = (ts_node_is_named(n) ? PV_NAMED : 0) | (ts_node_is_missing(n) ? PV_MISSING : 0) |
		(ts_node_is_error(n) ? PV_ERROR : 0) | (ts_node_has_error(n) ? PV_HAS_ERROR : 0);
}

static int flatten(pv_parser *p, void *tree, uint32_t max_nodes, uint32_t max_depth) {
	TSTreeCursor c = ts_tree_cursor_new(ts_tree_root_node(tree));
	int32_t parent = -1;
	uint32_t depth = 0;
	int outcome = PV_OK;
	for (;;) {
		if (p->count >= max_nodes) { outcome = PV_BUDGET; break; }
		if (!grow(p)) { outcome = PV_MEMORY; break; }
		int32_t self = (int32_t)p->count;
		put(p, ts_tree_cursor_current_node(&c), ts_tree_cursor_current_field_id(&c), parent);
		if (ts_tree_cursor_goto_first_child(&c)) {
			if (depth < max_depth) {
				parent = self;
				depth++;
				continue;
			}
			p->nodes[self].flags |= PV_CUT;
			ts_tree_cursor_goto_parent(&c);
		}
		while (!ts_tree_cursor_goto_next_sibling(&c)) {
			if (parent < 0) goto done;
			ts_tree_cursor_goto_parent(&c);
			p->nodes[parent].size = p->count - (uint32_t)parent;
			parent = p->nodes[parent].parent;
			depth--;
		}
	}
done:
	ts_tree_cursor_delete(&c);
	return outcome;
}

int pv_parse(pv_parser *p, const char *src, uint32_t len, uint64_t steps, uint32_t max_nodes, uint32_t max_depth) {
	p->src = src;
	p->len = len;
	p->steps = steps;
	p->count = 0;
	TSInput input = {p, read_source, 0, NULL};
	TSParseOptions options = {p, stop};
	void *tree = ts_parser_parse_with_options(p->parser, NULL, input, options);
	p->src = NULL;
	if (!tree) {
		ts_parser_reset(p->parser);
		return __atomic_load_n(&p->cancelled, __ATOMIC_RELAXED) ? PV_CANCELLED : PV_BUDGET;
	}
	int outcome = flatten(p, tree, max_nodes, max_depth);
	ts_tree_delete(tree);
	return outcome;
}

void pv_cancel(pv_parser *p) { __atomic_store_n(&p->cancelled, 1, __ATOMIC_RELAXED); }

const pv_node *pv_nodes(pv_parser *p, uint32_t *count) {
	*count = p->count;
	return p->nodes;
}

// An unusually large array is given back, the usual one is kept.
void pv_reset(pv_parser *p) {
	p->cancelled = 0;
	if (p->capacity > 1u << 20) {
		free(p->nodes);
		p->nodes = NULL;
		p->capacity = 0;
	}
	p->count = 0;
}

uint32_t pv_kind_count(const void *language) { return ts_language_symbol_count(language); }
const char *pv_kind_name(const void *language, uint16_t kind) { return ts_language_symbol_name(language, kind); }
uint32_t pv_field_count(const void *language) { return ts_language_field_count(language); }
const char *pv_field_name(const void *language, uint16_t field) { return ts_language_field_name_for_id(language, field); }
