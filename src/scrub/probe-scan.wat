;; The inner loops of the scan of a text: probes of rules, base64 of text, codes of characters, windows of known values.
;;
;; Memory:
;;   0        flags of the first hash of four bytes, one byte for each of its 2^15 values: 0, or 4 where a probe has this hash
;;   32768    flags of the second hash
;;   65536    the text: up to 64 KiB; 64 bytes behind it may be read and written
;;   131136   the places found by `scan` or `sample`, 4 bytes each
;;   262208   the hashes of the places that `sample` has listed, 4 bytes each
;;   393344   groups of four places of which one may be found
;;   459008   halves of sixteen characters of which one may be a block
;;   475456   the blocks found by `scan`, 4 bytes each
;;   524288   the bits of the windows of known values, up to 1 MiB
;;
;; A hash is the upper 15 bits of the four bytes times a factor.
;; probe-kernel.ts and known-index.ts have the same addresses and factors, and tests compare the two.
(module
  (memory (export "memory") 24)
  (global $blocks_end (mut i32) (i32.const 0))

  ;; Finds the places whose four bytes have a flag under both hashes. Returns their number; they are in order, and the last ones
  ;; may lie beyond `length` - 4.
  ;;
  ;; With `encodings`, also finds the blocks of eight characters, at multiples of eight, that base64 of ASCII text can consist of:
  ;; see `found_blocks`.
  ;;
  ;; No branch depends on whether something is found: what may be is stored and the end of the list moves on by 0 or 4.
  (func (export "scan") (param $length i32) (param $encodings i32) (result i32)
    (local $place i32) (local $group i32) (local $half i32) (local $stop i32)
    (local $chars v128) (local $sets v128) (local $seen v128)
    (local.set $group (i32.const 393344))
    (local.set $half (i32.const 459008))
    ;; What lies behind the text belongs to no set.
    (v128.store offset=65536 align=1 (local.get $length) (v128.const i32x4 0x20202020 0x20202020 0x20202020 0x20202020))
    (loop $sixteen
      (if (i32.lt_s (local.get $place) (local.get $length))
        (then
          (if (local.get $encodings)
            (then
              (local.set $chars (v128.load offset=65536 (local.get $place)))
              ;; A set of characters is a table by the lower half of a character, with one bit for each upper half. Bits 2 to 7
              ;; are those of base64; bit 0 is that of `%`, bit 1 that of the zero byte.
              (local.set $sets
                (v128.and
                  (i8x16.swizzle
                    (v128.const i8x16 0xaa 0xf8 0xf8 0xf8 0xf8 0xf9 0xf8 0xf8 0xf8 0xf8 0xf0 0x54 0x50 0x54 0x50 0x74)
                    (v128.and (local.get $chars) (i8x16.splat (i32.const 15))))
                  (i8x16.swizzle
                    (v128.const i8x16 0x02 0x00 0x05 0x08 0x10 0x20 0x40 0x80 0x00 0x00 0x00 0x00 0x00 0x00 0x00 0x00)
                    (v128.and (i16x8.shr_u (local.get $chars) (i32.const 4)) (i8x16.splat (i32.const 15))))))
              (local.set $seen (v128.or (local.get $seen) (local.get $sets)))
              (i32.store (local.get $half) (local.get $place))
              (local.set $half
                (i32.add
                  (local.get $half)
                  (i32.shl
                    (v128.any_true
                      (i64x2.eq
                        (i8x16.eq (i8x16.max_u (local.get $sets) (i8x16.splat (i32.const 4))) (local.get $sets))
                        (v128.const i64x2 -1 -1)))
                    (i32.const 2))))))
          (local.set $stop (i32.add (local.get $place) (i32.const 16)))
          (loop $four
            (i32.store (local.get $group) (local.get $place))
            (local.set $group
              (i32.add
                (local.get $group)
                (i32.or
                  (i32.or
                    (i32.load8_u
                      (i32.shr_u (i32.mul (i32.load offset=65536 align=1 (local.get $place)) (i32.const 0x9e3779b1)) (i32.const 17)))
                    (i32.load8_u
                      (i32.shr_u (i32.mul (i32.load offset=65537 align=1 (local.get $place)) (i32.const 0x9e3779b1)) (i32.const 17))))
                  (i32.or
                    (i32.load8_u
                      (i32.shr_u (i32.mul (i32.load offset=65538 align=1 (local.get $place)) (i32.const 0x9e3779b1)) (i32.const 17)))
                    (i32.load8_u
                      (i32.shr_u (i32.mul (i32.load offset=65539 align=1 (local.get $place)) (i32.const 0x9e3779b1)) (i32.const 17)))))))
            (local.set $place (i32.add (local.get $place) (i32.const 4)))
            (br_if $four (i32.lt_s (local.get $place) (local.get $stop))))
          (br $sixteen))))
    (global.set $blocks_end
      (i32.or
        (call $find_blocks (local.get $half))
        (i32.or
          (v128.any_true (v128.and (local.get $seen) (i8x16.splat (i32.const 1))))
          (i32.shl (v128.any_true (v128.and (local.get $seen) (i8x16.splat (i32.const 2)))) (i32.const 1)))))
    (call $confirm (call $find_places (local.get $group))))

  ;; What the last `scan` with `encodings` has found: 4 times the number of blocks, plus 1 if the text has a `%`, plus 2 if it has a
  ;; zero byte.
  (func (export "found_blocks") (result i32) (global.get $blocks_end))

  ;; The places in the groups that have a flag under the first hash. Returns the end of the list.
  (func $find_places (param $end i32) (result i32)
    (local $group i32) (local $place i32) (local $next i32)
    (local.set $next (i32.const 131136))
    (local.set $group (i32.const 393344))
    (loop $more
      (if (i32.lt_u (local.get $group) (local.get $end))
        (then
          (local.set $place (i32.load (local.get $group)))
          (i32.store (local.get $next) (i32.add (local.get $place) (i32.const 0)))
          (local.set $next
            (i32.add
              (local.get $next)
              (i32.load8_u
                (i32.shr_u (i32.mul (i32.load offset=65536 align=1 (local.get $place)) (i32.const 0x9e3779b1)) (i32.const 17)))))
          (i32.store (local.get $next) (i32.add (local.get $place) (i32.const 1)))
          (local.set $next
            (i32.add
              (local.get $next)
              (i32.load8_u
                (i32.shr_u (i32.mul (i32.load offset=65537 align=1 (local.get $place)) (i32.const 0x9e3779b1)) (i32.const 17)))))
          (i32.store (local.get $next) (i32.add (local.get $place) (i32.const 2)))
          (local.set $next
            (i32.add
              (local.get $next)
              (i32.load8_u
                (i32.shr_u (i32.mul (i32.load offset=65538 align=1 (local.get $place)) (i32.const 0x9e3779b1)) (i32.const 17)))))
          (i32.store (local.get $next) (i32.add (local.get $place) (i32.const 3)))
          (local.set $next
            (i32.add
              (local.get $next)
              (i32.load8_u
                (i32.shr_u (i32.mul (i32.load offset=65539 align=1 (local.get $place)) (i32.const 0x9e3779b1)) (i32.const 17)))))
          (local.set $group (i32.add (local.get $group) (i32.const 4)))
          (br $more))))
    (local.get $next))

  ;; Keeps the places that have a flag under the second hash too, and returns their number.
  (func $confirm (param $end i32) (result i32)
    (local $from i32) (local $place i32) (local $next i32)
    (local.set $from (i32.const 131136))
    (local.set $next (i32.const 131136))
    (loop $more
      (if (i32.lt_u (local.get $from) (local.get $end))
        (then
          (local.set $place (i32.load (local.get $from)))
          (i32.store (local.get $next) (local.get $place))
          (local.set $next
            (i32.add
              (local.get $next)
              (i32.load8_u offset=32768
                (i32.shr_u (i32.mul (i32.load offset=65536 align=1 (local.get $place)) (i32.const 0x85ebca6b)) (i32.const 17)))))
          (local.set $from (i32.add (local.get $from) (i32.const 4)))
          (br $more))))
    (i32.shr_u (i32.sub (local.get $next) (i32.const 131136)) (i32.const 2)))

  ;; The blocks in the halves. Returns the size of their list.
  (func $find_blocks (param $end i32) (result i32)
    (local $half i32) (local $block i32) (local $place i32) (local $chars v128)
    (local.set $half (i32.const 459008))
    (local.set $block (i32.const 475456))
    (loop $more
      (if (i32.lt_u (local.get $half) (local.get $end))
        (then
          (local.set $place (i32.load (local.get $half)))
          (local.set $chars (v128.load offset=65536 (local.get $place)))
          (local.set $block
            (call $note_blocks
              (local.get $place)
              (local.get $block)
              (v128.and
              (i8x16.swizzle
                (v128.const i8x16 0xaa 0xf8 0xf8 0xf8 0xf8 0xf9 0xf8 0xf8 0xf8 0xf8 0xf0 0x54 0x50 0x54 0x50 0x74)
                (v128.and (local.get $chars) (i8x16.splat (i32.const 15))))
              (i8x16.swizzle
                (v128.const i8x16 0x02 0x00 0x05 0x08 0x10 0x20 0x40 0x80 0x00 0x00 0x00 0x00 0x00 0x00 0x00 0x00)
                (v128.and (i16x8.shr_u (local.get $chars) (i32.const 4)) (i8x16.splat (i32.const 15)))))
              (v128.and (local.get $chars) (i8x16.splat (i32.const 15)))))
          (local.set $half (i32.add (local.get $half) (i32.const 4)))
          (br $more))))
    (i32.sub (local.get $block) (i32.const 475456)))

  ;; Notes each half of sixteen characters that is base64 and can be divided into groups of four so that the first of a group has a
  ;; value below 32, the second has no 8 in it and the third no 2: only then do they decode to ASCII.
  (func $note_blocks (param $place i32) (param $block i32) (param $sets v128) (param $low v128) (result i32)
    (local $first i32) (local $second i32) (local $third i32) (local $all i32)
    ;; Bits 2 to 7 say which upper half each character has.
    (local.set $sets (v128.and (local.get $sets) (i8x16.splat (i32.const 0xfc))))
    (local.set $all (i8x16.bitmask (i8x16.ne (local.get $sets) (i8x16.splat (i32.const 0)))))
    (local.set $first
      (call $outside
        (local.get $sets)
        (i8x16.swizzle
          (v128.const i8x16 0x20 0x70 0x70 0x70 0x70 0x70 0x70 0x30 0x30 0x30 0x30 0x10 0x10 0x10 0x10 0x10)
          (local.get $low))))
    (local.set $second
      (call $outside
        (local.get $sets)
        (i8x16.swizzle
          (v128.const i8x16 0x08 0x38 0x38 0x38 0x30 0x30 0x30 0xf0 0xf0 0xc0 0xc0 0x40 0x40 0x40 0x40 0x00)
          (local.get $low))))
    (local.set $third
      (call $outside
        (local.get $sets)
        (i8x16.swizzle
          (v128.const i8x16 0x88 0x38 0x30 0xc0 0xc8 0x38 0x30 0xc0 0xc8 0x38 0x30 0x40 0x40 0x10 0x10 0x40)
          (local.get $low))))
    (if
      (call $divides (local.get $all) (local.get $first) (local.get $second) (local.get $third))
      (then
        (i32.store (local.get $block) (local.get $place))
        (local.set $block (i32.add (local.get $block) (i32.const 4)))))
    (if
      (call $divides
        (i32.shr_u (local.get $all) (i32.const 8))
        (i32.shr_u (local.get $first) (i32.const 8))
        (i32.shr_u (local.get $second) (i32.const 8))
        (i32.shr_u (local.get $third) (i32.const 8)))
      (then
        (i32.store (local.get $block) (i32.add (local.get $place) (i32.const 8)))
        (local.set $block (i32.add (local.get $block) (i32.const 4)))))
    (local.get $block))

  ;; One bit for each character that is not in the set.
  (func $outside (param $sets v128) (param $set v128) (result i32)
    (i8x16.bitmask (i8x16.eq (v128.and (local.get $sets) (local.get $set)) (i8x16.splat (i32.const 0)))))

  ;; True if all of the eight characters are base64, and one of the four ways to divide them into groups puts none of them where it
  ;; cannot be.
  (func $divides (param $all i32) (param $first i32) (param $second i32) (param $third i32) (result i32)
    (if (i32.ne (i32.and (local.get $all) (i32.const 0xff)) (i32.const 0xff)) (then (return (i32.const 0))))
    (i32.or
      (i32.or
        (i32.eqz
          (i32.or
            (i32.or
              (i32.and (local.get $first) (i32.const 0x11))
              (i32.and (local.get $second) (i32.const 0x22)))
            (i32.and (local.get $third) (i32.const 0x44))))
        (i32.eqz
          (i32.or
            (i32.or
              (i32.and (local.get $first) (i32.const 0x88))
              (i32.and (local.get $second) (i32.const 0x11)))
            (i32.and (local.get $third) (i32.const 0x22)))))
      (i32.or
        (i32.eqz
          (i32.or
            (i32.or
              (i32.and (local.get $first) (i32.const 0x44))
              (i32.and (local.get $second) (i32.const 0x88)))
            (i32.and (local.get $third) (i32.const 0x11))))
        (i32.eqz
          (i32.or
            (i32.or
              (i32.and (local.get $first) (i32.const 0x22))
              (i32.and (local.get $second) (i32.const 0x44)))
            (i32.and (local.get $third) (i32.const 0x88)))))))

  ;; Finds the places, multiples of four, whose five bytes are a window of a known value, or look like one. Returns their number;
  ;; the last ones may lie beyond `length` - 5. `shift`: how far a hash is shifted to choose its word of bits.
  ;;
  ;; A window has only characters that no encoding changes: letters, digits, `_`, `.` and `-`. First the places with five of them
  ;; are listed with their hashes, then the words of all of them are read: the reads do not wait for each other, because so little
  ;; is done between them. With many values the words are not in the fastest caches.
  (func (export "sample") (param $length i32) (param $shift i32) (result i32)
    (local $place i32) (local $next i32) (local $hashes v128) (local $inert v128)
    (local $chars v128) (local $next_chars v128) (local $others v128) (local $next_others v128)
    (local.set $chars (v128.load offset=65536 (i32.const 0)))
    (local.set $others
      (i8x16.eq
        (v128.and
          (i8x16.swizzle
            (v128.const i8x16 0x2a 0x3e 0x3e 0x3e 0x3e 0x3e 0x3e 0x3e 0x3e 0x3e 0x3c 0x14 0x14 0x15 0x15 0x1c)
            (v128.and (local.get $chars) (i8x16.splat (i32.const 15))))
          (i8x16.swizzle
            (v128.const i8x16 0x00 0x00 0x01 0x02 0x04 0x08 0x10 0x20 0x00 0x00 0x00 0x00 0x00 0x00 0x00 0x00)
            (v128.and (i16x8.shr_u (local.get $chars) (i32.const 4)) (i8x16.splat (i32.const 15)))))
        (i8x16.splat (i32.const 0))))
    (loop $more
      (if (i32.lt_s (local.get $place) (local.get $length))
        (then
          ;; A set of characters is a table by the lower half of a character, with one bit for each upper half.
          (local.set $next_chars (v128.load offset=65552 (local.get $place)))
          (local.set $next_others
            (i8x16.eq
              (v128.and
                (i8x16.swizzle
                  (v128.const i8x16 0x2a 0x3e 0x3e 0x3e 0x3e 0x3e 0x3e 0x3e 0x3e 0x3e 0x3c 0x14 0x14 0x15 0x15 0x1c)
                  (v128.and (local.get $next_chars) (i8x16.splat (i32.const 15))))
                (i8x16.swizzle
                  (v128.const i8x16 0x00 0x00 0x01 0x02 0x04 0x08 0x10 0x20 0x00 0x00 0x00 0x00 0x00 0x00 0x00 0x00)
                  (v128.and (i16x8.shr_u (local.get $next_chars) (i32.const 4)) (i8x16.splat (i32.const 15)))))
              (i8x16.splat (i32.const 0))))
          (local.set $inert
            (i32x4.eq
              (v128.or
                (local.get $others)
                (v128.and
                  (i8x16.shuffle 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 (local.get $others) (local.get $next_others))
                  (i32x4.splat (i32.const 0xff))))
              (i32x4.splat (i32.const 0))))
          ;; Four hashes at a time: of the five bytes at `place`, and of those 4, 8 and 12 behind it.
          (local.set $hashes
            (i32x4.mul
              (v128.xor
                (local.get $chars)
                (i32x4.mul
                  (v128.and
                    (v128.load offset=65540 align=4 (local.get $place))
                    (i32x4.splat (i32.const 0xff)))
                  (i32x4.splat (i32.const 0x27d4eb2f))))
              (i32x4.splat (i32.const 0x9e3779b1))))
          (local.set $hashes
            (i32x4.mul
              (v128.xor (local.get $hashes) (i32x4.shr_u (local.get $hashes) (i32.const 15)))
              (i32x4.splat (i32.const 0x85ebca6b))))
          (i32.store offset=131136 (local.get $next) (local.get $place))
          (v128.store32_lane offset=262208 0 (local.get $next) (local.get $hashes))
          (local.set $next (i32.add (local.get $next) (i32.and (i32x4.extract_lane 0 (local.get $inert)) (i32.const 4))))
          (i32.store offset=131136 (local.get $next) (i32.add (local.get $place) (i32.const 4)))
          (v128.store32_lane offset=262208 1 (local.get $next) (local.get $hashes))
          (local.set $next (i32.add (local.get $next) (i32.and (i32x4.extract_lane 1 (local.get $inert)) (i32.const 4))))
          (i32.store offset=131136 (local.get $next) (i32.add (local.get $place) (i32.const 8)))
          (v128.store32_lane offset=262208 2 (local.get $next) (local.get $hashes))
          (local.set $next (i32.add (local.get $next) (i32.and (i32x4.extract_lane 2 (local.get $inert)) (i32.const 4))))
          (i32.store offset=131136 (local.get $next) (i32.add (local.get $place) (i32.const 12)))
          (v128.store32_lane offset=262208 3 (local.get $next) (local.get $hashes))
          (local.set $next (i32.add (local.get $next) (i32.and (i32x4.extract_lane 3 (local.get $inert)) (i32.const 4))))
          (local.set $chars (local.get $next_chars))
          (local.set $others (local.get $next_others))
          (local.set $place (i32.add (local.get $place) (i32.const 16)))
          (br $more))))
    ;; The last four are read together: what is behind the list lies behind the text.
    (v128.store offset=131136 align=4 (local.get $next) (i32x4.splat (local.get $length)))
    (call $find_windows (local.get $next) (local.get $shift)))

  ;; Keeps the listed places that have all their bits, and returns their number.
  (func $find_windows (param $end i32) (param $shift i32) (result i32)
    (local $at i32) (local $next i32) (local $hashes v128) (local $words v128) (local $bits v128)
    (loop $more
      (if (i32.lt_u (local.get $at) (local.get $end))
        (then
          (local.set $hashes (v128.load offset=262208 (local.get $at)))
          ;; One bit in each byte of a word.
          (local.set $bits
            (i8x16.swizzle
              (v128.const i8x16 1 2 4 8 16 32 64 128 0 0 0 0 0 0 0 0)
              (v128.and
                (i32x4.mul
                  (v128.xor (local.get $hashes) (i32x4.shr_u (local.get $hashes) (i32.const 16)))
                  (i32x4.splat (i32.const 0x27d4eb2f)))
                (i8x16.splat (i32.const 7)))))
          (local.set $hashes (i32x4.shl (i32x4.shr_u (local.get $hashes) (local.get $shift)) (i32.const 2)))
          (local.set $words (v128.load32_zero offset=524288 (i32x4.extract_lane 0 (local.get $hashes))))
          (local.set $words
            (v128.load32_lane offset=524288 1 (i32x4.extract_lane 1 (local.get $hashes)) (local.get $words)))
          (local.set $words
            (v128.load32_lane offset=524288 2 (i32x4.extract_lane 2 (local.get $hashes)) (local.get $words)))
          (local.set $words
            (v128.load32_lane offset=524288 3 (i32x4.extract_lane 3 (local.get $hashes)) (local.get $words)))
          (local.set $bits (i32x4.eq (v128.and (local.get $words) (local.get $bits)) (local.get $bits)))
          (if (v128.any_true (local.get $bits))
            (then
              (local.set $next
                (call $note_windows
                  (v128.load offset=131136 (local.get $at))
                  (local.get $next)
                  (local.get $bits)))))
          (local.set $at (i32.add (local.get $at) (i32.const 16)))
          (br $more))))
    (i32.shr_u (local.get $next) (i32.const 2)))

  (func $note_windows (param $places v128) (param $next i32) (param $bits v128) (result i32)
    (v128.store32_lane offset=131136 0 (local.get $next) (local.get $places))
    (local.set $next (i32.add (local.get $next) (i32.and (i32x4.extract_lane 0 (local.get $bits)) (i32.const 4))))
    (v128.store32_lane offset=131136 1 (local.get $next) (local.get $places))
    (local.set $next (i32.add (local.get $next) (i32.and (i32x4.extract_lane 1 (local.get $bits)) (i32.const 4))))
    (v128.store32_lane offset=131136 2 (local.get $next) (local.get $places))
    (local.set $next (i32.add (local.get $next) (i32.and (i32x4.extract_lane 2 (local.get $bits)) (i32.const 4))))
    (v128.store32_lane offset=131136 3 (local.get $next) (local.get $places))
    (i32.add (local.get $next) (i32.and (i32x4.extract_lane 3 (local.get $bits)) (i32.const 4))))

  ;; Finds the blocks of eight characters, at multiples of eight, that codes of characters can consist of: digits, at least one of
  ;; them decimal, and what separates them. Returns their number; the last one may lie beyond `length` - 8.
  (func (export "codes") (param $length i32) (result i32)
    (local $place i32) (local $next i32) (local $chars v128) (local $sets v128)
    (local.set $next (i32.const 131136))
    (loop $more
      (if (i32.lt_s (local.get $place) (local.get $length))
        (then
          (local.set $chars (v128.load offset=65536 (local.get $place)))
          ;; A table by the lower half of a character, with one bit for each upper half.
          (local.set $sets
            (v128.and
              (i8x16.swizzle
                (v128.const i8x16 0x0c 0x58 0xdc 0x5c 0x58 0xd8 0x5c 0x0c 0xa8 0x09 0x09 0xa8 0x24 0xad 0x40 0x00)
                (v128.and (local.get $chars) (i8x16.splat (i32.const 15))))
              (i8x16.swizzle
                (v128.const i8x16 0x01 0x02 0x04 0x08 0x10 0x20 0x40 0x80 0x00 0x00 0x00 0x00 0x00 0x00 0x00 0x00)
                (v128.and (i16x8.shr_u (local.get $chars) (i32.const 4)) (i8x16.splat (i32.const 15))))))
          (local.set $sets
            (v128.andnot
              (i64x2.eq (i8x16.ne (local.get $sets) (i8x16.splat (i32.const 0))) (v128.const i64x2 -1 -1))
              (i64x2.eq
                (i8x16.lt_u (i8x16.sub (local.get $chars) (i8x16.splat (i32.const 48))) (i8x16.splat (i32.const 10)))
                (v128.const i64x2 0 0))))
          (if (v128.any_true (local.get $sets))
            (then
              (local.set $next
                (call $note_codes (local.get $place) (local.get $next) (i64x2.bitmask (local.get $sets))))))
          (local.set $place (i32.add (local.get $place) (i32.const 16)))
          (br $more))))
    (i32.shr_u (i32.sub (local.get $next) (i32.const 131136)) (i32.const 2)))

  (func $note_codes (param $place i32) (param $next i32) (param $blocks i32) (result i32)
    (if (i32.and (local.get $blocks) (i32.const 1))
      (then
        (i32.store (local.get $next) (local.get $place))
        (local.set $next (i32.add (local.get $next) (i32.const 4)))))
    (if (i32.and (local.get $blocks) (i32.const 2))
      (then
        (i32.store (local.get $next) (i32.add (local.get $place) (i32.const 8)))
        (local.set $next (i32.add (local.get $next) (i32.const 4)))))
    (local.get $next)))
