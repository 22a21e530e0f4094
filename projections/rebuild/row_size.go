package rebuild

import (
	"reflect"
	"time"
)

// maxSizerDepth is where a sizer stops: a type may contain itself.
const maxSizerDepth = 6

// sizer estimates the bytes a value takes.
type sizer struct {
	fixed int64
	// parts add what lies behind the value: texts, slices, pointers, maps.
	parts []func(reflect.Value) int64
}

func (s sizer) of(v reflect.Value) int64 {
	n := s.fixed
	for _, part := range s.parts {
		n += part(v)
	}
	return n
}

func sizerOf(t reflect.Type, depth int) sizer {
	s := sizer{fixed: int64(t.Size())}
	if depth == maxSizerDepth {
		return s
	}
	var behind func(reflect.Value) int64
	switch t.Kind() {
	case reflect.String:
		behind = func(v reflect.Value) int64 { return int64(v.Len()) }
	case reflect.Pointer:
		element := sizerOf(t.Elem(), depth+1)
		behind = func(v reflect.Value) int64 {
			if v.IsNil() {
				return 0
			}
			return element.of(v.Elem())
		}
	case reflect.Slice:
		element := sizerOf(t.Elem(), depth+1)
		behind = func(v reflect.Value) int64 {
			if len(element.parts) == 0 {
				return int64(v.Cap()) * element.fixed
			}
			var n int64
			for i := range v.Len() {
				n += element.of(v.Index(i))
			}
			return n
		}
	case reflect.Map:
		key, element := sizerOf(t.Key(), depth+1), sizerOf(t.Elem(), depth+1)
		behind = func(v reflect.Value) int64 {
			var n int64
			for it := v.MapRange(); it.Next(); {
				n += key.of(it.Key()) + element.of(it.Value())
			}
			return n
		}
	case reflect.Struct:
		if t == reflect.TypeFor[time.Time]() {
			return s
		}
		for i := range t.NumField() {
			field := sizerOf(t.Field(i).Type, depth+1)
			for _, part := range field.parts {
				s.parts = append(s.parts, func(v reflect.Value) int64 { return part(v.Field(i)) })
			}
		}
		return s
	default:
		return s
	}
	s.parts = append(s.parts, behind)
	return s
}
