;; Plain lines, sixteen bytes at a time.
;;
;; Memory: the text at 16, up to 64 KiB, and sixteen spaces behind it. The byte before the text is read; it is 0.
(module
  (memory (export "memory") 2)

  ;; Returns the column after the text, which begins in `column`. Returns -1 if the text needs a closer look:
  ;; a byte that is not printable ASCII or line end; a carriage return inside a line; a line that fills its
  ;; rows, or ends without a carriage return.
  (func (export "lines") (param $length i32) (param $column i32) (param $cols i32) (result i32)
    (local $place i32) (local $line i32) (local $ends i32) (local $at i32) (local $here i32)
    (local $sixteen v128)
    (loop $more
      (if (i32.ge_s (local.get $place) (local.get $length))
        (then
          (return
            (i32.add
              (i32.sub (local.get $length) (local.get $line))
              ;; Only the first line has something before it.
              (select (local.get $column) (i32.const 0) (i32.eqz (local.get $line)))))))
      (local.set $sixteen (v128.load offset=16 align=1 (local.get $place)))
      ;; A control character other than a line end, or a byte above "~".
      (if
        (v128.any_true
          (v128.or
            (v128.andnot
              (i8x16.lt_u (local.get $sixteen) (i8x16.splat (i32.const 0x20)))
              (v128.or
                (i8x16.eq (local.get $sixteen) (i8x16.splat (i32.const 0x0a)))
                (i8x16.eq (local.get $sixteen) (i8x16.splat (i32.const 0x0d)))))
            (i8x16.gt_u (local.get $sixteen) (i8x16.splat (i32.const 0x7e)))))
        (then (return (i32.const -1))))
      ;; One bit for each line end among the sixteen.
      (local.set $ends
        (i8x16.bitmask
          (v128.or
            (i8x16.eq (local.get $sixteen) (i8x16.splat (i32.const 0x0a)))
            (i8x16.eq (local.get $sixteen) (i8x16.splat (i32.const 0x0d))))))
      (loop $next_end
        (if (local.get $ends)
          (then
            (local.set $at (i32.add (local.get $place) (i32.ctz (local.get $ends))))
            (local.set $ends (i32.and (local.get $ends) (i32.sub (local.get $ends) (i32.const 1))))
            (if (i32.eq (i32.load8_u offset=16 (local.get $at)) (i32.const 0x0d))
              (then
                (if (i32.ne (i32.load8_u offset=17 (local.get $at)) (i32.const 0x0a))
                  (then (return (i32.const -1)))))
              (else
                ;; The column at the end of the line, without its carriage return.
                (local.set $here
                  (i32.add
                    (i32.sub
                      (i32.sub (local.get $at) (local.get $line))
                      (i32.eq (i32.load8_u offset=15 (local.get $at)) (i32.const 0x0d)))
                    (select (local.get $column) (i32.const 0) (i32.eqz (local.get $line)))))
                (if
                  (i32.and
                    (i32.gt_s (local.get $here) (i32.const 0))
                    (i32.or
                      (i32.ne (i32.load8_u offset=15 (local.get $at)) (i32.const 0x0d))
                      (i32.eqz (i32.rem_u (local.get $here) (local.get $cols)))))
                  (then (return (i32.const -1))))
                (local.set $line (i32.add (local.get $at) (i32.const 1)))))
            (br $next_end))))
      (local.set $place (i32.add (local.get $place) (i32.const 16)))
      (br $more))
    (i32.const -1)))
