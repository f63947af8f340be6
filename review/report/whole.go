package report

import "reflect"

// whole returns a copy of v in which every list and map exists. A list that was
// never made and an empty one mean the same, so they must have the same bytes.
// Texts become [legible].
func whole(v reflect.Value) reflect.Value {
	out := reflect.New(v.Type()).Elem()
	switch v.Kind() {
	case reflect.Struct:
		out.Set(v)
		for i := range v.NumField() {
			if out.Field(i).CanSet() { // an embedded header is copied as it is
				out.Field(i).Set(whole(v.Field(i)))
			}
		}
	case reflect.Slice:
		out.Set(reflect.MakeSlice(v.Type(), v.Len(), v.Len()))
		for i := range v.Len() {
			out.Index(i).Set(whole(v.Index(i)))
		}
	case reflect.Map:
		out.Set(reflect.MakeMap(v.Type()))
		for it := v.MapRange(); it.Next(); {
			out.SetMapIndex(it.Key(), whole(it.Value()))
		}
	case reflect.Pointer:
		if !v.IsNil() {
			out.Set(reflect.New(v.Type().Elem()))
			out.Elem().Set(whole(v.Elem()))
		}
	case reflect.String:
		out.SetString(legible(v.String()))
	default:
		out.Set(v)
	}
	return out
}
