// Package jsontext walks JSON text in place: one strict pass over the bytes, nothing decoded that nobody asks for, nothing
// allocated. It accepts exactly the values that encoding/json accepts.
//
// What it adds to a plain validator is the measure of strings: a [String] knows its length in UTF-16 code
// units, as JavaScript counts them, straight from the escaped text. The JSON string "a\né" has 3.
package jsontext
