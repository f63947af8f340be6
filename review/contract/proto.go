package contract

import (
	"bytes"
	"fmt"

	"github.com/emicklei/proto"
)

// readProto reads the messages, enumerations and services of a proto file. A field
// is named by its message and its type ends in its number, which is what stands
// on the wire: a renamed field keeps it.
func readProto(_ string, data []byte) (items []Item, ok bool) {
	defer func() {
		if recover() != nil {
			items, ok = nil, false
		}
	}()
	file, err := proto.NewParser(bytes.NewReader(data)).Parse()
	if err != nil {
		return nil, false
	}
	w := protoWalk{}
	w.elements("", file.Elements, 0)
	return w.items, true
}

type protoWalk struct{ items []Item }

// deepestMessage bounds how deep messages may lie in one another.
const deepestMessage = 50

func (w *protoWalk) elements(owner string, list []proto.Visitee, depth int) {
	if depth > deepestMessage || len(w.items) > maxItems {
		return
	}
	for _, e := range list {
		w.element(owner, e, depth+1)
	}
}

func (w *protoWalk) element(owner string, e proto.Visitee, depth int) {
	switch e := e.(type) {
	case *proto.Message:
		w.elements(owner+e.Name+".", e.Elements, depth)
	case *proto.Oneof:
		w.elements(owner, e.Elements, depth)
	case *proto.Group:
		w.elements(owner+e.Name+".", e.Elements, depth)
	case *proto.NormalField:
		typ := e.Type
		switch {
		case e.Repeated:
			typ = "repeated " + typ
		case e.Required:
			typ = "required " + typ
		}
		w.field(owner, e.Field, typ)
	case *proto.OneOfField:
		w.field(owner, e.Field, e.Type)
	case *proto.MapField:
		w.field(owner, e.Field, "map<"+e.KeyType+", "+e.Type+">")
	case *proto.Enum:
		w.elements(owner+e.Name+".", e.Elements, depth)
	case *proto.EnumField:
		w.add(owner+e.Name, fmt.Sprintf("= %d", e.Integer), fmt.Sprintf("%s%d", owner, e.Integer), e.Position.Line)
	case *proto.Service:
		w.elements(owner+e.Name+".", e.Elements, depth)
	case *proto.RPC:
		w.add(owner+e.Name, fmt.Sprintf("(%s) returns (%s)", stream(e.StreamsRequest, e.RequestType), stream(e.StreamsReturns, e.ReturnsType)), "", e.Position.Line)
	}
}

func stream(streams bool, typ string) string {
	if streams {
		return "stream " + typ
	}
	return typ
}

func (w *protoWalk) field(owner string, f *proto.Field, typ string) {
	w.add(owner+f.Name, fmt.Sprintf("%s = %d", typ, f.Sequence), fmt.Sprintf("%s%d", owner, f.Sequence), f.Position.Line)
}

func (w *protoWalk) add(name, typ, by string, line int) {
	w.items = append(w.items, Item{Kind: Proto, Name: name, Type: typ, By: by, Line: line})
}
