;; BLAKE3, unkeyed, 32 bytes of output. Written from the specification.
;;
;; Memory:
;;   0       the input: up to 64 KiB, and room to fill the last block with zeros
;;   66560   the stack: the 32-byte chaining values of the whole subtrees to the left, largest first;
;;           after `finish` its first 32 bytes are the hash
;;   68608   the initial value
;;
;; The number of values on the stack is the number of one bits in the number of chunks absorbed so far.
;; A caller that hashes several streams saves and restores the stack; everything else is scratch.
(module
  (memory (export "memory") 2)
  (global $STACK i32 (i32.const 66560))
  (global $IV i32 (i32.const 68608))
  (data (i32.const 68608)
    "\67\e6\09\6a\85\ae\67\bb\72\f3\6e\3c\3a\f5\4f\a5"
    "\7f\52\0e\51\8c\68\05\9b\ab\d9\83\1f\19\cd\e0\5b")

  ;; Absorbs `chunks` whole chunks from the start of the input. None of them may be the last of the message.
  ;; `counter`: the number of chunks absorbed before.
  (func (export "absorb") (param $chunks i32) (param $counter f64)
    (local $at i32) (local $index i64) (local $top i32) (local $end i32) (local $taken i32)
    (local.set $index (i64.trunc_f64_u (local.get $counter)))
    (local.set $top (call $top_of (local.get $index)))
    (local.set $end (i32.mul (local.get $chunks) (i32.const 1024)))
    (block $done
      (loop $more
        (br_if $done (i32.ge_u (local.get $at) (local.get $end)))
        (if (i32.and
              (i64.eqz (i64.and (local.get $index) (i64.const 3)))
              (i32.lt_u (i32.add (local.get $at) (i32.const 1024)) (local.get $end)))
          (then
            (local.set $taken (i32.shr_u (i32.sub (local.get $end) (local.get $at)) (i32.const 10)))
            (if (i32.gt_u (local.get $taken) (i32.const 4)) (then (local.set $taken (i32.const 4))))
            (local.set $top
              (call $four_chunks_onto
                (local.get $at) (local.get $index) (local.get $top) (local.get $taken)))
            (local.set $at (i32.add (local.get $at) (i32.shl (local.get $taken) (i32.const 10))))
            (local.set $index (i64.add (local.get $index) (i64.extend_i32_u (local.get $taken))))
            (if (i32.eq (local.get $taken) (i32.const 4))
              (then
                (local.set $top
                  (call $merge (local.get $top) (i64.shr_u (local.get $index) (i64.const 2)))))))
          (else
            (call $chunk
              (local.get $at) (i32.const 1024) (local.get $index) (i32.const 0) (local.get $top))
            (local.set $at (i32.add (local.get $at) (i32.const 1024)))
            (local.set $index (i64.add (local.get $index) (i64.const 1)))
            (local.set $top (call $merge (i32.add (local.get $top) (i32.const 32)) (local.get $index)))))
        (br $more))))

  ;; Hashes the last chunk, `length` bytes at the start of the input, and all that is on the stack.
  (func (export "finish") (param $length i32) (param $counter f64)
    (local $index i64) (local $top i32)
    (local.set $index (i64.trunc_f64_u (local.get $counter)))
    (local.set $top (call $top_of (local.get $index)))
    (call $chunk
      (i32.const 0) (local.get $length) (local.get $index)
      (select (i32.const 8) (i32.const 0) (i64.eqz (local.get $index)))
      (local.get $top))
    (block $done
      (loop $more
        (br_if $done (i32.eq (local.get $top) (global.get $STACK)))
        (local.set $top (i32.sub (local.get $top) (i32.const 32)))
        (call $parent
          (local.get $top)
          (select (i32.const 8) (i32.const 0) (i32.eq (local.get $top) (global.get $STACK)))
          (local.get $top))
        (br $more))))

  ;; Puts the values of two to four chunks onto the stack, those of one subtree joined; returns the new top.
  ;; Four are compressed in any case: an unused lane costs no time.
  (func $four_chunks_onto
    (param $at i32) (param $index i64) (param $top i32) (param $taken i32) (result i32)
    (call $four_chunks (local.get $at) (local.get $index) (local.get $top))
    (call $parent (local.get $top) (i32.const 0) (local.get $top))
    (local.set $top (i32.add (local.get $top) (i32.const 32)))
    (if (i32.eq (local.get $taken) (i32.const 3))
      (then
        (memory.copy (local.get $top) (i32.add (local.get $top) (i32.const 32)) (i32.const 32))
        (local.set $top (i32.add (local.get $top) (i32.const 32)))))
    (if (i32.eq (local.get $taken) (i32.const 4))
      (then
        (call $parent (i32.add (local.get $top) (i32.const 32)) (i32.const 0) (local.get $top))
        (call $parent
          (i32.sub (local.get $top) (i32.const 32)) (i32.const 0) (i32.sub (local.get $top) (i32.const 32)))))
    (local.get $top))

  ;; Where the next value goes on the stack after so many chunks.
  (func $top_of (param $chunks i64) (result i32)
    (i32.add (global.get $STACK) (i32.shl (i32.wrap_i64 (i64.popcnt (local.get $chunks))) (i32.const 5))))

  ;; Joins the last two values while they are the halves of one subtree, that is while `count` is even.
  (func $merge (param $top i32) (param $count i64) (result i32)
    (block $done
      (loop $more
        (br_if $done (i32.and (i32.wrap_i64 (local.get $count)) (i32.const 1)))
        (local.set $top (i32.sub (local.get $top) (i32.const 32)))
        (call $parent
          (i32.sub (local.get $top) (i32.const 32)) (i32.const 0) (i32.sub (local.get $top) (i32.const 32)))
        (local.set $count (i64.shr_u (local.get $count) (i64.const 1)))
        (br $more)))
    (local.get $top))

  ;; The parent of two values that lie side by side at `pair`.
  (func $parent (param $pair i32) (param $flags i32) (param $out i32)
    (call $compress
      (global.get $IV) (local.get $pair) (i64.const 0) (i32.const 64)
      (i32.or (i32.const 4) (local.get $flags)) (local.get $out)))

  ;; One chunk of up to 1024 bytes.
  (func $chunk (param $at i32) (param $length i32) (param $index i64) (param $flags i32) (param $out i32)
    (local $value i32) (local $last i32) (local $start i32)
    ;; the last block, filled up with zeros
    (if (local.get $length)
      (then
        (local.set $last
          (i32.add
            (local.get $at)
            (i32.and (i32.sub (local.get $length) (i32.const 1)) (i32.const -64)))))
      (else (local.set $last (local.get $at))))
    (memory.fill
      (i32.add (local.get $at) (local.get $length))
      (i32.const 0)
      (i32.sub (i32.add (local.get $last) (i32.const 64)) (i32.add (local.get $at) (local.get $length))))
    (local.set $length (i32.sub (i32.add (local.get $at) (local.get $length)) (local.get $last)))
    (local.set $value (global.get $IV))
    (local.set $start (i32.const 1))
    (block $done
      (loop $more
        (br_if $done (i32.eq (local.get $at) (local.get $last)))
        (call $compress
          (local.get $value) (local.get $at) (local.get $index) (i32.const 64) (local.get $start)
          (local.get $out))
        (local.set $value (local.get $out))
        (local.set $start (i32.const 0))
        (local.set $at (i32.add (local.get $at) (i32.const 64)))
        (br $more)))
    (call $compress
      (local.get $value) (local.get $at) (local.get $index) (local.get $length)
      (i32.or (i32.or (local.get $start) (i32.const 2)) (local.get $flags)) (local.get $out)))

  ;; The compression function: one block of 64 bytes.
  (func $compress
    (param $value i32) (param $block i32) (param $index i64) (param $length i32) (param $flags i32)
    (param $out i32)
    (local $round i32)
    (local $s0 i32) (local $s1 i32) (local $s2 i32) (local $s3 i32)
    (local $s4 i32) (local $s5 i32) (local $s6 i32) (local $s7 i32)
    (local $s8 i32) (local $s9 i32) (local $s10 i32) (local $s11 i32)
    (local $s12 i32) (local $s13 i32) (local $s14 i32) (local $s15 i32)
    (local $m0 i32) (local $m1 i32) (local $m2 i32) (local $m3 i32)
    (local $m4 i32) (local $m5 i32) (local $m6 i32) (local $m7 i32)
    (local $m8 i32) (local $m9 i32) (local $m10 i32) (local $m11 i32)
    (local $m12 i32) (local $m13 i32) (local $m14 i32) (local $m15 i32)
    (local.set $s0 (i32.load offset=0 (local.get $value)))
    (local.set $s1 (i32.load offset=4 (local.get $value)))
    (local.set $s2 (i32.load offset=8 (local.get $value)))
    (local.set $s3 (i32.load offset=12 (local.get $value)))
    (local.set $s4 (i32.load offset=16 (local.get $value)))
    (local.set $s5 (i32.load offset=20 (local.get $value)))
    (local.set $s6 (i32.load offset=24 (local.get $value)))
    (local.set $s7 (i32.load offset=28 (local.get $value)))
    (local.set $s8 (i32.const 0x6a09e667))
    (local.set $s9 (i32.const 0xbb67ae85))
    (local.set $s10 (i32.const 0x3c6ef372))
    (local.set $s11 (i32.const 0xa54ff53a))
    (local.set $s12 (i32.wrap_i64 (local.get $index)))
    (local.set $s13 (i32.wrap_i64 (i64.shr_u (local.get $index) (i64.const 32))))
    (local.set $s14 (local.get $length))
    (local.set $s15 (local.get $flags))
    (local.set $m0 (i32.load offset=0 (local.get $block)))
    (local.set $m1 (i32.load offset=4 (local.get $block)))
    (local.set $m2 (i32.load offset=8 (local.get $block)))
    (local.set $m3 (i32.load offset=12 (local.get $block)))
    (local.set $m4 (i32.load offset=16 (local.get $block)))
    (local.set $m5 (i32.load offset=20 (local.get $block)))
    (local.set $m6 (i32.load offset=24 (local.get $block)))
    (local.set $m7 (i32.load offset=28 (local.get $block)))
    (local.set $m8 (i32.load offset=32 (local.get $block)))
    (local.set $m9 (i32.load offset=36 (local.get $block)))
    (local.set $m10 (i32.load offset=40 (local.get $block)))
    (local.set $m11 (i32.load offset=44 (local.get $block)))
    (local.set $m12 (i32.load offset=48 (local.get $block)))
    (local.set $m13 (i32.load offset=52 (local.get $block)))
    (local.set $m14 (i32.load offset=56 (local.get $block)))
    (local.set $m15 (i32.load offset=60 (local.get $block)))
    (local.set $round (i32.const 7))
    (loop $rounds
      ;; columns
      (local.set $s0 (i32.add (i32.add (local.get $s0) (local.get $s4)) (local.get $m0)))
      (local.set $s12 (i32.rotr (i32.xor (local.get $s12) (local.get $s0)) (i32.const 16)))
      (local.set $s8 (i32.add (local.get $s8) (local.get $s12)))
      (local.set $s4 (i32.rotr (i32.xor (local.get $s4) (local.get $s8)) (i32.const 12)))
      (local.set $s0 (i32.add (i32.add (local.get $s0) (local.get $s4)) (local.get $m1)))
      (local.set $s12 (i32.rotr (i32.xor (local.get $s12) (local.get $s0)) (i32.const 8)))
      (local.set $s8 (i32.add (local.get $s8) (local.get $s12)))
      (local.set $s4 (i32.rotr (i32.xor (local.get $s4) (local.get $s8)) (i32.const 7)))
      (local.set $s1 (i32.add (i32.add (local.get $s1) (local.get $s5)) (local.get $m2)))
      (local.set $s13 (i32.rotr (i32.xor (local.get $s13) (local.get $s1)) (i32.const 16)))
      (local.set $s9 (i32.add (local.get $s9) (local.get $s13)))
      (local.set $s5 (i32.rotr (i32.xor (local.get $s5) (local.get $s9)) (i32.const 12)))
      (local.set $s1 (i32.add (i32.add (local.get $s1) (local.get $s5)) (local.get $m3)))
      (local.set $s13 (i32.rotr (i32.xor (local.get $s13) (local.get $s1)) (i32.const 8)))
      (local.set $s9 (i32.add (local.get $s9) (local.get $s13)))
      (local.set $s5 (i32.rotr (i32.xor (local.get $s5) (local.get $s9)) (i32.const 7)))
      (local.set $s2 (i32.add (i32.add (local.get $s2) (local.get $s6)) (local.get $m4)))
      (local.set $s14 (i32.rotr (i32.xor (local.get $s14) (local.get $s2)) (i32.const 16)))
      (local.set $s10 (i32.add (local.get $s10) (local.get $s14)))
      (local.set $s6 (i32.rotr (i32.xor (local.get $s6) (local.get $s10)) (i32.const 12)))
      (local.set $s2 (i32.add (i32.add (local.get $s2) (local.get $s6)) (local.get $m5)))
      (local.set $s14 (i32.rotr (i32.xor (local.get $s14) (local.get $s2)) (i32.const 8)))
      (local.set $s10 (i32.add (local.get $s10) (local.get $s14)))
      (local.set $s6 (i32.rotr (i32.xor (local.get $s6) (local.get $s10)) (i32.const 7)))
      (local.set $s3 (i32.add (i32.add (local.get $s3) (local.get $s7)) (local.get $m6)))
      (local.set $s15 (i32.rotr (i32.xor (local.get $s15) (local.get $s3)) (i32.const 16)))
      (local.set $s11 (i32.add (local.get $s11) (local.get $s15)))
      (local.set $s7 (i32.rotr (i32.xor (local.get $s7) (local.get $s11)) (i32.const 12)))
      (local.set $s3 (i32.add (i32.add (local.get $s3) (local.get $s7)) (local.get $m7)))
      (local.set $s15 (i32.rotr (i32.xor (local.get $s15) (local.get $s3)) (i32.const 8)))
      (local.set $s11 (i32.add (local.get $s11) (local.get $s15)))
      (local.set $s7 (i32.rotr (i32.xor (local.get $s7) (local.get $s11)) (i32.const 7)))
      ;; diagonals
      (local.set $s0 (i32.add (i32.add (local.get $s0) (local.get $s5)) (local.get $m8)))
      (local.set $s15 (i32.rotr (i32.xor (local.get $s15) (local.get $s0)) (i32.const 16)))
      (local.set $s10 (i32.add (local.get $s10) (local.get $s15)))
      (local.set $s5 (i32.rotr (i32.xor (local.get $s5) (local.get $s10)) (i32.const 12)))
      (local.set $s0 (i32.add (i32.add (local.get $s0) (local.get $s5)) (local.get $m9)))
      (local.set $s15 (i32.rotr (i32.xor (local.get $s15) (local.get $s0)) (i32.const 8)))
      (local.set $s10 (i32.add (local.get $s10) (local.get $s15)))
      (local.set $s5 (i32.rotr (i32.xor (local.get $s5) (local.get $s10)) (i32.const 7)))
      (local.set $s1 (i32.add (i32.add (local.get $s1) (local.get $s6)) (local.get $m10)))
      (local.set $s12 (i32.rotr (i32.xor (local.get $s12) (local.get $s1)) (i32.const 16)))
      (local.set $s11 (i32.add (local.get $s11) (local.get $s12)))
      (local.set $s6 (i32.rotr (i32.xor (local.get $s6) (local.get $s11)) (i32.const 12)))
      (local.set $s1 (i32.add (i32.add (local.get $s1) (local.get $s6)) (local.get $m11)))
      (local.set $s12 (i32.rotr (i32.xor (local.get $s12) (local.get $s1)) (i32.const 8)))
      (local.set $s11 (i32.add (local.get $s11) (local.get $s12)))
      (local.set $s6 (i32.rotr (i32.xor (local.get $s6) (local.get $s11)) (i32.const 7)))
      (local.set $s2 (i32.add (i32.add (local.get $s2) (local.get $s7)) (local.get $m12)))
      (local.set $s13 (i32.rotr (i32.xor (local.get $s13) (local.get $s2)) (i32.const 16)))
      (local.set $s8 (i32.add (local.get $s8) (local.get $s13)))
      (local.set $s7 (i32.rotr (i32.xor (local.get $s7) (local.get $s8)) (i32.const 12)))
      (local.set $s2 (i32.add (i32.add (local.get $s2) (local.get $s7)) (local.get $m13)))
      (local.set $s13 (i32.rotr (i32.xor (local.get $s13) (local.get $s2)) (i32.const 8)))
      (local.set $s8 (i32.add (local.get $s8) (local.get $s13)))
      (local.set $s7 (i32.rotr (i32.xor (local.get $s7) (local.get $s8)) (i32.const 7)))
      (local.set $s3 (i32.add (i32.add (local.get $s3) (local.get $s4)) (local.get $m14)))
      (local.set $s14 (i32.rotr (i32.xor (local.get $s14) (local.get $s3)) (i32.const 16)))
      (local.set $s9 (i32.add (local.get $s9) (local.get $s14)))
      (local.set $s4 (i32.rotr (i32.xor (local.get $s4) (local.get $s9)) (i32.const 12)))
      (local.set $s3 (i32.add (i32.add (local.get $s3) (local.get $s4)) (local.get $m15)))
      (local.set $s14 (i32.rotr (i32.xor (local.get $s14) (local.get $s3)) (i32.const 8)))
      (local.set $s9 (i32.add (local.get $s9) (local.get $s14)))
      (local.set $s4 (i32.rotr (i32.xor (local.get $s4) (local.get $s9)) (i32.const 7)))
      ;; the order of the message in the next round
      (local.get $m2) (local.get $m6) (local.get $m3) (local.get $m10)
      (local.get $m7) (local.get $m0) (local.get $m4) (local.get $m13)
      (local.get $m1) (local.get $m11) (local.get $m12) (local.get $m5)
      (local.get $m9) (local.get $m14) (local.get $m15) (local.get $m8)
      (local.set $m15) (local.set $m14) (local.set $m13) (local.set $m12)
      (local.set $m11) (local.set $m10) (local.set $m9) (local.set $m8)
      (local.set $m7) (local.set $m6) (local.set $m5) (local.set $m4)
      (local.set $m3) (local.set $m2) (local.set $m1) (local.set $m0)
      (br_if $rounds (local.tee $round (i32.sub (local.get $round) (i32.const 1)))))
    (i32.store offset=0 (local.get $out) (i32.xor (local.get $s0) (local.get $s8)))
    (i32.store offset=4 (local.get $out) (i32.xor (local.get $s1) (local.get $s9)))
    (i32.store offset=8 (local.get $out) (i32.xor (local.get $s2) (local.get $s10)))
    (i32.store offset=12 (local.get $out) (i32.xor (local.get $s3) (local.get $s11)))
    (i32.store offset=16 (local.get $out) (i32.xor (local.get $s4) (local.get $s12)))
    (i32.store offset=20 (local.get $out) (i32.xor (local.get $s5) (local.get $s13)))
    (i32.store offset=24 (local.get $out) (i32.xor (local.get $s6) (local.get $s14)))
    (i32.store offset=28 (local.get $out) (i32.xor (local.get $s7) (local.get $s15))))

  ;; Four whole chunks at once, one in each lane. `index`, that of the first, is a multiple of four.
  (func $four_chunks (param $at i32) (param $index i64) (param $out i32)
    (local $round i32) (local $blocks i32) (local $flags i32)
    (local $t v128) (local $u v128) (local $v v128) (local $w v128)
    (local $h0 v128) (local $h1 v128) (local $h2 v128) (local $h3 v128)
    (local $h4 v128) (local $h5 v128) (local $h6 v128) (local $h7 v128)
    (local $s0 v128) (local $s1 v128) (local $s2 v128) (local $s3 v128)
    (local $s4 v128) (local $s5 v128) (local $s6 v128) (local $s7 v128)
    (local $s8 v128) (local $s9 v128) (local $s10 v128) (local $s11 v128)
    (local $s12 v128) (local $s13 v128) (local $s14 v128) (local $s15 v128)
    (local $m0 v128) (local $m1 v128) (local $m2 v128) (local $m3 v128)
    (local $m4 v128) (local $m5 v128) (local $m6 v128) (local $m7 v128)
    (local $m8 v128) (local $m9 v128) (local $m10 v128) (local $m11 v128)
    (local $m12 v128) (local $m13 v128) (local $m14 v128) (local $m15 v128)
    (local.set $h0 (i32x4.splat (i32.const 0x6a09e667)))
    (local.set $h1 (i32x4.splat (i32.const 0xbb67ae85)))
    (local.set $h2 (i32x4.splat (i32.const 0x3c6ef372)))
    (local.set $h3 (i32x4.splat (i32.const 0xa54ff53a)))
    (local.set $h4 (i32x4.splat (i32.const 0x510e527f)))
    (local.set $h5 (i32x4.splat (i32.const 0x9b05688c)))
    (local.set $h6 (i32x4.splat (i32.const 0x1f83d9ab)))
    (local.set $h7 (i32x4.splat (i32.const 0x5be0cd19)))
    (local.set $blocks (i32.const 16))
    (local.set $flags (i32.const 1))
    (loop $more
      (if (i32.eq (local.get $blocks) (i32.const 1)) (then (local.set $flags (i32.const 2))))
      ;; word n of all four chunks into m<n>
      (local.set $m0 (v128.load offset=0 (local.get $at)))
      (local.set $m1 (v128.load offset=1024 (local.get $at)))
      (local.set $m2 (v128.load offset=2048 (local.get $at)))
      (local.set $m3 (v128.load offset=3072 (local.get $at)))
      (local.set $t (i8x16.shuffle 0 1 2 3 16 17 18 19 4 5 6 7 20 21 22 23 (local.get $m0) (local.get $m1)))
      (local.set $u (i8x16.shuffle 0 1 2 3 16 17 18 19 4 5 6 7 20 21 22 23 (local.get $m2) (local.get $m3)))
      (local.set $v
        (i8x16.shuffle 8 9 10 11 24 25 26 27 12 13 14 15 28 29 30 31 (local.get $m0) (local.get $m1)))
      (local.set $w
        (i8x16.shuffle 8 9 10 11 24 25 26 27 12 13 14 15 28 29 30 31 (local.get $m2) (local.get $m3)))
      (local.set $m0 (i8x16.shuffle 0 1 2 3 4 5 6 7 16 17 18 19 20 21 22 23 (local.get $t) (local.get $u)))
      (local.set $m1
        (i8x16.shuffle 8 9 10 11 12 13 14 15 24 25 26 27 28 29 30 31 (local.get $t) (local.get $u)))
      (local.set $m2 (i8x16.shuffle 0 1 2 3 4 5 6 7 16 17 18 19 20 21 22 23 (local.get $v) (local.get $w)))
      (local.set $m3
        (i8x16.shuffle 8 9 10 11 12 13 14 15 24 25 26 27 28 29 30 31 (local.get $v) (local.get $w)))
      (local.set $m4 (v128.load offset=16 (local.get $at)))
      (local.set $m5 (v128.load offset=1040 (local.get $at)))
      (local.set $m6 (v128.load offset=2064 (local.get $at)))
      (local.set $m7 (v128.load offset=3088 (local.get $at)))
      (local.set $t (i8x16.shuffle 0 1 2 3 16 17 18 19 4 5 6 7 20 21 22 23 (local.get $m4) (local.get $m5)))
      (local.set $u (i8x16.shuffle 0 1 2 3 16 17 18 19 4 5 6 7 20 21 22 23 (local.get $m6) (local.get $m7)))
      (local.set $v
        (i8x16.shuffle 8 9 10 11 24 25 26 27 12 13 14 15 28 29 30 31 (local.get $m4) (local.get $m5)))
      (local.set $w
        (i8x16.shuffle 8 9 10 11 24 25 26 27 12 13 14 15 28 29 30 31 (local.get $m6) (local.get $m7)))
      (local.set $m4 (i8x16.shuffle 0 1 2 3 4 5 6 7 16 17 18 19 20 21 22 23 (local.get $t) (local.get $u)))
      (local.set $m5
        (i8x16.shuffle 8 9 10 11 12 13 14 15 24 25 26 27 28 29 30 31 (local.get $t) (local.get $u)))
      (local.set $m6 (i8x16.shuffle 0 1 2 3 4 5 6 7 16 17 18 19 20 21 22 23 (local.get $v) (local.get $w)))
      (local.set $m7
        (i8x16.shuffle 8 9 10 11 12 13 14 15 24 25 26 27 28 29 30 31 (local.get $v) (local.get $w)))
      (local.set $m8 (v128.load offset=32 (local.get $at)))
      (local.set $m9 (v128.load offset=1056 (local.get $at)))
      (local.set $m10 (v128.load offset=2080 (local.get $at)))
      (local.set $m11 (v128.load offset=3104 (local.get $at)))
      (local.set $t (i8x16.shuffle 0 1 2 3 16 17 18 19 4 5 6 7 20 21 22 23 (local.get $m8) (local.get $m9)))
      (local.set $u (i8x16.shuffle 0 1 2 3 16 17 18 19 4 5 6 7 20 21 22 23 (local.get $m10) (local.get $m11)))
      (local.set $v
        (i8x16.shuffle 8 9 10 11 24 25 26 27 12 13 14 15 28 29 30 31 (local.get $m8) (local.get $m9)))
      (local.set $w
        (i8x16.shuffle 8 9 10 11 24 25 26 27 12 13 14 15 28 29 30 31 (local.get $m10) (local.get $m11)))
      (local.set $m8 (i8x16.shuffle 0 1 2 3 4 5 6 7 16 17 18 19 20 21 22 23 (local.get $t) (local.get $u)))
      (local.set $m9
        (i8x16.shuffle 8 9 10 11 12 13 14 15 24 25 26 27 28 29 30 31 (local.get $t) (local.get $u)))
      (local.set $m10 (i8x16.shuffle 0 1 2 3 4 5 6 7 16 17 18 19 20 21 22 23 (local.get $v) (local.get $w)))
      (local.set $m11
        (i8x16.shuffle 8 9 10 11 12 13 14 15 24 25 26 27 28 29 30 31 (local.get $v) (local.get $w)))
      (local.set $m12 (v128.load offset=48 (local.get $at)))
      (local.set $m13 (v128.load offset=1072 (local.get $at)))
      (local.set $m14 (v128.load offset=2096 (local.get $at)))
      (local.set $m15 (v128.load offset=3120 (local.get $at)))
      (local.set $t (i8x16.shuffle 0 1 2 3 16 17 18 19 4 5 6 7 20 21 22 23 (local.get $m12) (local.get $m13)))
      (local.set $u (i8x16.shuffle 0 1 2 3 16 17 18 19 4 5 6 7 20 21 22 23 (local.get $m14) (local.get $m15)))
      (local.set $v
        (i8x16.shuffle 8 9 10 11 24 25 26 27 12 13 14 15 28 29 30 31 (local.get $m12) (local.get $m13)))
      (local.set $w
        (i8x16.shuffle 8 9 10 11 24 25 26 27 12 13 14 15 28 29 30 31 (local.get $m14) (local.get $m15)))
      (local.set $m12 (i8x16.shuffle 0 1 2 3 4 5 6 7 16 17 18 19 20 21 22 23 (local.get $t) (local.get $u)))
      (local.set $m13
        (i8x16.shuffle 8 9 10 11 12 13 14 15 24 25 26 27 28 29 30 31 (local.get $t) (local.get $u)))
      (local.set $m14 (i8x16.shuffle 0 1 2 3 4 5 6 7 16 17 18 19 20 21 22 23 (local.get $v) (local.get $w)))
      (local.set $m15
        (i8x16.shuffle 8 9 10 11 12 13 14 15 24 25 26 27 28 29 30 31 (local.get $v) (local.get $w)))
      (local.set $s0 (local.get $h0))
      (local.set $s1 (local.get $h1))
      (local.set $s2 (local.get $h2))
      (local.set $s3 (local.get $h3))
      (local.set $s4 (local.get $h4))
      (local.set $s5 (local.get $h5))
      (local.set $s6 (local.get $h6))
      (local.set $s7 (local.get $h7))
      (local.set $s8 (i32x4.splat (i32.const 0x6a09e667)))
      (local.set $s9 (i32x4.splat (i32.const 0xbb67ae85)))
      (local.set $s10 (i32x4.splat (i32.const 0x3c6ef372)))
      (local.set $s11 (i32x4.splat (i32.const 0xa54ff53a)))
      (local.set $s12
        (i32x4.add (i32x4.splat (i32.wrap_i64 (local.get $index))) (v128.const i32x4 0 1 2 3)))
      (local.set $s13 (i32x4.splat (i32.wrap_i64 (i64.shr_u (local.get $index) (i64.const 32)))))
      (local.set $s14 (i32x4.splat (i32.const 64)))
      (local.set $s15 (i32x4.splat (local.get $flags)))
      (local.set $round (i32.const 7))
      (loop $rounds
        ;; columns
        (local.set $s0 (i32x4.add (i32x4.add (local.get $s0) (local.get $s4)) (local.get $m0)))
        (local.set $t (v128.xor (local.get $s12) (local.get $s0)))
        (local.set $s12 (i8x16.shuffle 2 3 0 1 6 7 4 5 10 11 8 9 14 15 12 13 (local.get $t) (local.get $t)))
        (local.set $s8 (i32x4.add (local.get $s8) (local.get $s12)))
        (local.set $t (v128.xor (local.get $s4) (local.get $s8)))
        (local.set $s4
          (v128.or (i32x4.shr_u (local.get $t) (i32.const 12)) (i32x4.shl (local.get $t) (i32.const 20))))
        (local.set $s0 (i32x4.add (i32x4.add (local.get $s0) (local.get $s4)) (local.get $m1)))
        (local.set $t (v128.xor (local.get $s12) (local.get $s0)))
        (local.set $s12 (i8x16.shuffle 1 2 3 0 5 6 7 4 9 10 11 8 13 14 15 12 (local.get $t) (local.get $t)))
        (local.set $s8 (i32x4.add (local.get $s8) (local.get $s12)))
        (local.set $t (v128.xor (local.get $s4) (local.get $s8)))
        (local.set $s4
          (v128.or (i32x4.shr_u (local.get $t) (i32.const 7)) (i32x4.shl (local.get $t) (i32.const 25))))
        (local.set $s1 (i32x4.add (i32x4.add (local.get $s1) (local.get $s5)) (local.get $m2)))
        (local.set $t (v128.xor (local.get $s13) (local.get $s1)))
        (local.set $s13 (i8x16.shuffle 2 3 0 1 6 7 4 5 10 11 8 9 14 15 12 13 (local.get $t) (local.get $t)))
        (local.set $s9 (i32x4.add (local.get $s9) (local.get $s13)))
        (local.set $t (v128.xor (local.get $s5) (local.get $s9)))
        (local.set $s5
          (v128.or (i32x4.shr_u (local.get $t) (i32.const 12)) (i32x4.shl (local.get $t) (i32.const 20))))
        (local.set $s1 (i32x4.add (i32x4.add (local.get $s1) (local.get $s5)) (local.get $m3)))
        (local.set $t (v128.xor (local.get $s13) (local.get $s1)))
        (local.set $s13 (i8x16.shuffle 1 2 3 0 5 6 7 4 9 10 11 8 13 14 15 12 (local.get $t) (local.get $t)))
        (local.set $s9 (i32x4.add (local.get $s9) (local.get $s13)))
        (local.set $t (v128.xor (local.get $s5) (local.get $s9)))
        (local.set $s5
          (v128.or (i32x4.shr_u (local.get $t) (i32.const 7)) (i32x4.shl (local.get $t) (i32.const 25))))
        (local.set $s2 (i32x4.add (i32x4.add (local.get $s2) (local.get $s6)) (local.get $m4)))
        (local.set $t (v128.xor (local.get $s14) (local.get $s2)))
        (local.set $s14 (i8x16.shuffle 2 3 0 1 6 7 4 5 10 11 8 9 14 15 12 13 (local.get $t) (local.get $t)))
        (local.set $s10 (i32x4.add (local.get $s10) (local.get $s14)))
        (local.set $t (v128.xor (local.get $s6) (local.get $s10)))
        (local.set $s6
          (v128.or (i32x4.shr_u (local.get $t) (i32.const 12)) (i32x4.shl (local.get $t) (i32.const 20))))
        (local.set $s2 (i32x4.add (i32x4.add (local.get $s2) (local.get $s6)) (local.get $m5)))
        (local.set $t (v128.xor (local.get $s14) (local.get $s2)))
        (local.set $s14 (i8x16.shuffle 1 2 3 0 5 6 7 4 9 10 11 8 13 14 15 12 (local.get $t) (local.get $t)))
        (local.set $s10 (i32x4.add (local.get $s10) (local.get $s14)))
        (local.set $t (v128.xor (local.get $s6) (local.get $s10)))
        (local.set $s6
          (v128.or (i32x4.shr_u (local.get $t) (i32.const 7)) (i32x4.shl (local.get $t) (i32.const 25))))
        (local.set $s3 (i32x4.add (i32x4.add (local.get $s3) (local.get $s7)) (local.get $m6)))
        (local.set $t (v128.xor (local.get $s15) (local.get $s3)))
        (local.set $s15 (i8x16.shuffle 2 3 0 1 6 7 4 5 10 11 8 9 14 15 12 13 (local.get $t) (local.get $t)))
        (local.set $s11 (i32x4.add (local.get $s11) (local.get $s15)))
        (local.set $t (v128.xor (local.get $s7) (local.get $s11)))
        (local.set $s7
          (v128.or (i32x4.shr_u (local.get $t) (i32.const 12)) (i32x4.shl (local.get $t) (i32.const 20))))
        (local.set $s3 (i32x4.add (i32x4.add (local.get $s3) (local.get $s7)) (local.get $m7)))
        (local.set $t (v128.xor (local.get $s15) (local.get $s3)))
        (local.set $s15 (i8x16.shuffle 1 2 3 0 5 6 7 4 9 10 11 8 13 14 15 12 (local.get $t) (local.get $t)))
        (local.set $s11 (i32x4.add (local.get $s11) (local.get $s15)))
        (local.set $t (v128.xor (local.get $s7) (local.get $s11)))
        (local.set $s7
          (v128.or (i32x4.shr_u (local.get $t) (i32.const 7)) (i32x4.shl (local.get $t) (i32.const 25))))
        ;; diagonals
        (local.set $s0 (i32x4.add (i32x4.add (local.get $s0) (local.get $s5)) (local.get $m8)))
        (local.set $t (v128.xor (local.get $s15) (local.get $s0)))
        (local.set $s15 (i8x16.shuffle 2 3 0 1 6 7 4 5 10 11 8 9 14 15 12 13 (local.get $t) (local.get $t)))
        (local.set $s10 (i32x4.add (local.get $s10) (local.get $s15)))
        (local.set $t (v128.xor (local.get $s5) (local.get $s10)))
        (local.set $s5
          (v128.or (i32x4.shr_u (local.get $t) (i32.const 12)) (i32x4.shl (local.get $t) (i32.const 20))))
        (local.set $s0 (i32x4.add (i32x4.add (local.get $s0) (local.get $s5)) (local.get $m9)))
        (local.set $t (v128.xor (local.get $s15) (local.get $s0)))
        (local.set $s15 (i8x16.shuffle 1 2 3 0 5 6 7 4 9 10 11 8 13 14 15 12 (local.get $t) (local.get $t)))
        (local.set $s10 (i32x4.add (local.get $s10) (local.get $s15)))
        (local.set $t (v128.xor (local.get $s5) (local.get $s10)))
        (local.set $s5
          (v128.or (i32x4.shr_u (local.get $t) (i32.const 7)) (i32x4.shl (local.get $t) (i32.const 25))))
        (local.set $s1 (i32x4.add (i32x4.add (local.get $s1) (local.get $s6)) (local.get $m10)))
        (local.set $t (v128.xor (local.get $s12) (local.get $s1)))
        (local.set $s12 (i8x16.shuffle 2 3 0 1 6 7 4 5 10 11 8 9 14 15 12 13 (local.get $t) (local.get $t)))
        (local.set $s11 (i32x4.add (local.get $s11) (local.get $s12)))
        (local.set $t (v128.xor (local.get $s6) (local.get $s11)))
        (local.set $s6
          (v128.or (i32x4.shr_u (local.get $t) (i32.const 12)) (i32x4.shl (local.get $t) (i32.const 20))))
        (local.set $s1 (i32x4.add (i32x4.add (local.get $s1) (local.get $s6)) (local.get $m11)))
        (local.set $t (v128.xor (local.get $s12) (local.get $s1)))
        (local.set $s12 (i8x16.shuffle 1 2 3 0 5 6 7 4 9 10 11 8 13 14 15 12 (local.get $t) (local.get $t)))
        (local.set $s11 (i32x4.add (local.get $s11) (local.get $s12)))
        (local.set $t (v128.xor (local.get $s6) (local.get $s11)))
        (local.set $s6
          (v128.or (i32x4.shr_u (local.get $t) (i32.const 7)) (i32x4.shl (local.get $t) (i32.const 25))))
        (local.set $s2 (i32x4.add (i32x4.add (local.get $s2) (local.get $s7)) (local.get $m12)))
        (local.set $t (v128.xor (local.get $s13) (local.get $s2)))
        (local.set $s13 (i8x16.shuffle 2 3 0 1 6 7 4 5 10 11 8 9 14 15 12 13 (local.get $t) (local.get $t)))
        (local.set $s8 (i32x4.add (local.get $s8) (local.get $s13)))
        (local.set $t (v128.xor (local.get $s7) (local.get $s8)))
        (local.set $s7
          (v128.or (i32x4.shr_u (local.get $t) (i32.const 12)) (i32x4.shl (local.get $t) (i32.const 20))))
        (local.set $s2 (i32x4.add (i32x4.add (local.get $s2) (local.get $s7)) (local.get $m13)))
        (local.set $t (v128.xor (local.get $s13) (local.get $s2)))
        (local.set $s13 (i8x16.shuffle 1 2 3 0 5 6 7 4 9 10 11 8 13 14 15 12 (local.get $t) (local.get $t)))
        (local.set $s8 (i32x4.add (local.get $s8) (local.get $s13)))
        (local.set $t (v128.xor (local.get $s7) (local.get $s8)))
        (local.set $s7
          (v128.or (i32x4.shr_u (local.get $t) (i32.const 7)) (i32x4.shl (local.get $t) (i32.const 25))))
        (local.set $s3 (i32x4.add (i32x4.add (local.get $s3) (local.get $s4)) (local.get $m14)))
        (local.set $t (v128.xor (local.get $s14) (local.get $s3)))
        (local.set $s14 (i8x16.shuffle 2 3 0 1 6 7 4 5 10 11 8 9 14 15 12 13 (local.get $t) (local.get $t)))
        (local.set $s9 (i32x4.add (local.get $s9) (local.get $s14)))
        (local.set $t (v128.xor (local.get $s4) (local.get $s9)))
        (local.set $s4
          (v128.or (i32x4.shr_u (local.get $t) (i32.const 12)) (i32x4.shl (local.get $t) (i32.const 20))))
        (local.set $s3 (i32x4.add (i32x4.add (local.get $s3) (local.get $s4)) (local.get $m15)))
        (local.set $t (v128.xor (local.get $s14) (local.get $s3)))
        (local.set $s14 (i8x16.shuffle 1 2 3 0 5 6 7 4 9 10 11 8 13 14 15 12 (local.get $t) (local.get $t)))
        (local.set $s9 (i32x4.add (local.get $s9) (local.get $s14)))
        (local.set $t (v128.xor (local.get $s4) (local.get $s9)))
        (local.set $s4
          (v128.or (i32x4.shr_u (local.get $t) (i32.const 7)) (i32x4.shl (local.get $t) (i32.const 25))))
        ;; the order of the message in the next round
        (local.get $m2) (local.get $m6) (local.get $m3) (local.get $m10)
        (local.get $m7) (local.get $m0) (local.get $m4) (local.get $m13)
        (local.get $m1) (local.get $m11) (local.get $m12) (local.get $m5)
        (local.get $m9) (local.get $m14) (local.get $m15) (local.get $m8)
        (local.set $m15) (local.set $m14) (local.set $m13) (local.set $m12)
        (local.set $m11) (local.set $m10) (local.set $m9) (local.set $m8)
        (local.set $m7) (local.set $m6) (local.set $m5) (local.set $m4)
        (local.set $m3) (local.set $m2) (local.set $m1) (local.set $m0)
        (br_if $rounds (local.tee $round (i32.sub (local.get $round) (i32.const 1)))))
      (local.set $h0 (v128.xor (local.get $s0) (local.get $s8)))
      (local.set $h1 (v128.xor (local.get $s1) (local.get $s9)))
      (local.set $h2 (v128.xor (local.get $s2) (local.get $s10)))
      (local.set $h3 (v128.xor (local.get $s3) (local.get $s11)))
      (local.set $h4 (v128.xor (local.get $s4) (local.get $s12)))
      (local.set $h5 (v128.xor (local.get $s5) (local.get $s13)))
      (local.set $h6 (v128.xor (local.get $s6) (local.get $s14)))
      (local.set $h7 (v128.xor (local.get $s7) (local.get $s15)))
      (local.set $flags (i32.const 0))
      (local.set $at (i32.add (local.get $at) (i32.const 64)))
      (br_if $more (local.tee $blocks (i32.sub (local.get $blocks) (i32.const 1)))))
    ;; the value of each chunk from its lane
    (local.set $t (i8x16.shuffle 0 1 2 3 16 17 18 19 4 5 6 7 20 21 22 23 (local.get $h0) (local.get $h1)))
    (local.set $u (i8x16.shuffle 0 1 2 3 16 17 18 19 4 5 6 7 20 21 22 23 (local.get $h2) (local.get $h3)))
    (local.set $v
      (i8x16.shuffle 8 9 10 11 24 25 26 27 12 13 14 15 28 29 30 31 (local.get $h0) (local.get $h1)))
    (local.set $w
      (i8x16.shuffle 8 9 10 11 24 25 26 27 12 13 14 15 28 29 30 31 (local.get $h2) (local.get $h3)))
    (local.set $h0 (i8x16.shuffle 0 1 2 3 4 5 6 7 16 17 18 19 20 21 22 23 (local.get $t) (local.get $u)))
    (local.set $h1
      (i8x16.shuffle 8 9 10 11 12 13 14 15 24 25 26 27 28 29 30 31 (local.get $t) (local.get $u)))
    (local.set $h2 (i8x16.shuffle 0 1 2 3 4 5 6 7 16 17 18 19 20 21 22 23 (local.get $v) (local.get $w)))
    (local.set $h3
      (i8x16.shuffle 8 9 10 11 12 13 14 15 24 25 26 27 28 29 30 31 (local.get $v) (local.get $w)))
    (local.set $t (i8x16.shuffle 0 1 2 3 16 17 18 19 4 5 6 7 20 21 22 23 (local.get $h4) (local.get $h5)))
    (local.set $u (i8x16.shuffle 0 1 2 3 16 17 18 19 4 5 6 7 20 21 22 23 (local.get $h6) (local.get $h7)))
    (local.set $v
      (i8x16.shuffle 8 9 10 11 24 25 26 27 12 13 14 15 28 29 30 31 (local.get $h4) (local.get $h5)))
    (local.set $w
      (i8x16.shuffle 8 9 10 11 24 25 26 27 12 13 14 15 28 29 30 31 (local.get $h6) (local.get $h7)))
    (local.set $h4 (i8x16.shuffle 0 1 2 3 4 5 6 7 16 17 18 19 20 21 22 23 (local.get $t) (local.get $u)))
    (local.set $h5
      (i8x16.shuffle 8 9 10 11 12 13 14 15 24 25 26 27 28 29 30 31 (local.get $t) (local.get $u)))
    (local.set $h6 (i8x16.shuffle 0 1 2 3 4 5 6 7 16 17 18 19 20 21 22 23 (local.get $v) (local.get $w)))
    (local.set $h7
      (i8x16.shuffle 8 9 10 11 12 13 14 15 24 25 26 27 28 29 30 31 (local.get $v) (local.get $w)))
    (v128.store offset=0 (local.get $out) (local.get $h0))
    (v128.store offset=16 (local.get $out) (local.get $h4))
    (v128.store offset=32 (local.get $out) (local.get $h1))
    (v128.store offset=48 (local.get $out) (local.get $h5))
    (v128.store offset=64 (local.get $out) (local.get $h2))
    (v128.store offset=80 (local.get $out) (local.get $h6))
    (v128.store offset=96 (local.get $out) (local.get $h3))
    (v128.store offset=112 (local.get $out) (local.get $h7))))
