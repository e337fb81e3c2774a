// Writes the shard of every key of standard input, one key on each line:
//
//	route SHARDS [jump|fastrange|modulo] [SEED] [text|u64] [DOWN,DOWN,...]
package main

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"os"
	"strconv"
	"strings"

	"github.com/OneOfOne/xxhash"
)

func hashText(key string, seed uint64) uint64 {
	return xxhash.ChecksumString64S(key, seed)
}

func hashU64(key, seed uint64) uint64 {
	var data [8]byte
	binary.LittleEndian.PutUint64(data[:], key)
	return xxhash.Checksum64S(data[:], seed)
}

func jump(key, buckets uint64) uint64 {
	bucket, next := int64(-1), int64(0)
	for next < int64(buckets) {
		bucket = next
		key = key*2862933555777941757 + 1
		next = int64(float64(bucket+1) * (float64(1<<31) / float64((key>>33)+1)))
	}
	return uint64(bucket)
}

func fastrange(hash, shards uint64) uint64 {
	high, _ := bits.Mul64(hash, shards)
	return high
}

func modulo(hash, shards uint64) uint64 {
	return hash % shards
}

func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

const gamma = 0x9e3779b97f4a7c15

type router struct {
	shards uint64
	place  func(hash, shards uint64) uint64
	down   map[uint64]bool
}

func (r router) route(hash uint64) uint64 {
	tried := hash
	for probe := uint64(1); probe <= 257; probe++ {
		shard := r.place(tried, r.shards)
		if !r.down[shard] {
			return shard
		}
		tried = mix(hash + probe*gamma)
	}
	best, highest := uint64(0), uint64(0)
	for shard := uint64(0); shard < r.shards; shard++ {
		score := mix(mix(shard+gamma) + hash)
		if score >= highest && !r.down[shard] {
			best, highest = shard, score
		}
	}
	return best
}

func number(text string) uint64 {
	value, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		panic(err)
	}
	return value
}

func main() {
	args := append(os.Args[1:], []string{"10", "jump", "0", "text", ""}[len(os.Args)-1:]...)
	strategies := map[string]func(hash, shards uint64) uint64{"jump": jump, "fastrange": fastrange, "modulo": modulo}
	r := router{shards: number(args[0]), place: strategies[args[1]], down: map[uint64]bool{}}
	seed, isU64 := number(args[2]), args[3] == "u64"
	for _, shard := range strings.FieldsFunc(args[4], func(c rune) bool { return c == ',' }) {
		r.down[number(shard)] = true
	}

	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, math.MaxInt) // by default a line has less than 64 KiB
	for lines.Scan() {
		if isU64 {
			fmt.Fprintln(out, r.route(hashU64(number(lines.Text()), seed)))
		} else {
			fmt.Fprintln(out, r.route(hashText(lines.Text(), seed)))
		}
	}
	if err := lines.Err(); err != nil {
		panic(err)
	}
}
