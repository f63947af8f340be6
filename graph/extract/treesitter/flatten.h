// Parsing with one call from Go: the tree is walked here and handed over as one
// flat array, because a call into C for every node costs more than parsing.
#ifndef PREVIDENCE_FLATTEN_H
#define PREVIDENCE_FLATTEN_H

#include <stdint.h>

typedef struct {
	uint32_t start, end;   // bytes
	uint32_t line, end_line; // from 1
	int32_t parent;        // index, -1 for the root
	uint32_t size;         // nodes of the subtree, itself included
	uint16_t kind, field;
	uint32_t flags;
} pv_node;

enum { PV_NAMED = 1, PV_MISSING = 2, PV_ERROR = 4, PV_HAS_ERROR = 8, PV_CUT = 16 };

// Outcomes of pv_parse.
enum { PV_OK = 0, PV_CANCELLED = 1, PV_BUDGET = 2, PV_MEMORY = 3 };

typedef struct pv_parser pv_parser;

void pv_init(void);
pv_parser *pv_new(const void *language);
int pv_parse(pv_parser *p, const char *src, uint32_t len, uint64_t steps, uint32_t max_nodes, uint32_t max_depth);
void pv_cancel(pv_parser *p);
const pv_node *pv_nodes(pv_parser *p, uint32_t *count);
void pv_reset(pv_parser *p);
uint32_t pv_kind_count(const void *language);
const char *pv_kind_name(const void *language, uint16_t kind);
uint32_t pv_field_count(const void *language);
const char *pv_field_name(const void *language, uint16_t field);

#endif
