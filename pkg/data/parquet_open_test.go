package data

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// A footer that claims more than the file has is refused before memory is allocated for it.
func TestFooterClaims(t *testing.T) {
	whole, err := marshal(meta, randomGames(newRand(1), 0, 2, 3, 5))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := openParquet(bytes.NewReader(whole)); err != nil {
		t.Fatal(err)
	}
	length := len(whole) - 8
	for name, test := range map[string]struct {
		file []byte
		want string
	}{
		"4 GB":      {slices.Concat(whole[:length], []byte{0xff, 0xff, 0xff, 0xff}, whole[length+4:]), "claims 4294967295 bytes"},
		"one more":  {slices.Concat(whole[:length], binary.LittleEndian.AppendUint32(nil, uint32(length-3)), whole[length+4:]), "claims"},
		"truncated": {whole[:len(whole)-1], "truncated?"},
		"empty":     {nil, "truncated?"},
		"magic":     {[]byte("PAR1"), "truncated?"},
	} {
		if _, err := openParquet(bytes.NewReader(test.file)); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want %q", name, err, test.want)
		}
	}
}

// A page that claims more than the file has, or more than a reader should allocate, is
// refused, wherever its column begins.
func TestPageClaims(t *testing.T) {
	const size = 100 // of the page, compressed
	header := func(change func(*format.PageHeader)) format.PageHeader {
		h := format.PageHeader{Type: format.DataPage, CompressedPageSize: size, UncompressedPageSize: maxPageSize}
		h.DataPageHeader.Valid = true
		h.DataPageHeader.V.NumValues = maxPageValues
		change(&h)
		return h
	}
	for name, test := range map[string]struct {
		change func(*format.PageHeader)
		want   string // in the error; "" means none
	}{
		"the limits":    {func(h *format.PageHeader) {}, ""},
		"compressed":    {func(h *format.PageHeader) { h.CompressedPageSize++ }, "claims 101 bytes, and the column has 100 more"},
		"negative":      {func(h *format.PageHeader) { h.CompressedPageSize = -1 }, "claims -1 bytes"},
		"uncompressed":  {func(h *format.PageHeader) { h.UncompressedPageSize++ }, "after decompression"},
		"below nothing": {func(h *format.PageHeader) { h.UncompressedPageSize = -1 }, "after decompression"},
		"values":        {func(h *format.PageHeader) { h.DataPageHeader.V.NumValues++ }, "values"},
		"values, version 2": {func(h *format.PageHeader) {
			h.DataPageHeaderV2.Valid, h.DataPageHeaderV2.V.NumValues = true, maxPageValues+1
		}, "values"},
		"fewer values": {func(h *format.PageHeader) { h.DataPageHeader.V.NumValues-- }, "its pages have 16777215 values, and it claims 16777216"},
		"a null": {func(h *format.PageHeader) {
			h.DataPageHeaderV2.Valid, h.DataPageHeaderV2.V.NumNulls = true, 1
		}, "claims 1 nulls"},
		"a dictionary": {func(h *format.PageHeader) {
			h.DictionaryPageHeader.Valid, h.DictionaryPageHeader.V.NumValues = true, maxPageValues+1
		}, "values"},
	} {
		h, first := header(test.change), header(func(*format.PageHeader) {})
		var column, file []byte
		for _, h := range []format.PageHeader{first, h} {
			head, err := thrift.Marshal(new(thrift.CompactProtocol), &h)
			if err != nil {
				t.Fatal(err)
			}
			column = slices.Concat(column, head, make([]byte, size))
		}
		file = slices.Concat([]byte("PAR1"), column)
		meta := format.ColumnMetaData{DataPageOffset: 4, TotalCompressedSize: int64(len(column)), NumValues: 2 * maxPageValues}
		err := checkColumn(bytes.NewReader(file), int64(len(file)), &meta, false)
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want %q", name, err, test.want)
		}
		meta.TotalCompressedSize++
		if err := checkColumn(bytes.NewReader(file), int64(len(file)), &meta, false); err == nil || !strings.Contains(err.Error(), "claims the bytes 4 to") {
			t.Errorf("%s, a column beyond the file: error %v", name, err)
		}
	}
}
