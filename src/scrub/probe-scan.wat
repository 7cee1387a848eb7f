;; The inner loop of the probe scan: finds the places whose four bytes have a flag under both hashes.
;;
;; Memory:
;;   0        flags of the first hash, one byte for each of its 2^15 values
;;   32768    flags of the second hash
;;   65536    the text: up to 64 KiB; 64 bytes behind it may be read
;;   131136   the places found, 4 bytes each
;;
;; A hash is the upper 15 bits of the four bytes times a factor.
;; probe-kernel.ts names the same addresses and factors, and its test compares the two.
(module
  (memory (export "memory") 7)

  ;; Returns the number of places found, in order. The last ones may be beyond `length` - 4.
  (func (export "scan") (param $length i32) (result i32)
    (local $place i32) (local $next i32)
    (local.set $next (i32.const 131136))
    (loop $more
      (if (i32.lt_s (local.get $place) (local.get $length))
        (then
          ;; Four places at a time: in most texts none of them has a flag.
          (if
            (i32.or
              (i32.or
                (i32.or
                  (i32.load8_u
                    (i32.shr_u
                      (i32.mul (i32.load offset=65536 align=1 (local.get $place)) (i32.const 0x9e3779b1))
                      (i32.const 17)))
                  (i32.load8_u
                    (i32.shr_u
                      (i32.mul (i32.load offset=65537 align=1 (local.get $place)) (i32.const 0x9e3779b1))
                      (i32.const 17))))
                (i32.load8_u
                  (i32.shr_u
                    (i32.mul (i32.load offset=65538 align=1 (local.get $place)) (i32.const 0x9e3779b1))
                    (i32.const 17))))
              (i32.load8_u
                (i32.shr_u
                  (i32.mul (i32.load offset=65539 align=1 (local.get $place)) (i32.const 0x9e3779b1))
                  (i32.const 17))))
            (then
              (if
                (i32.and
                  (i32.load8_u
                    (i32.shr_u
                      (i32.mul (i32.load offset=65536 align=1 (local.get $place)) (i32.const 0x9e3779b1))
                      (i32.const 17)))
                  (i32.load8_u offset=32768
                    (i32.shr_u
                      (i32.mul (i32.load offset=65536 align=1 (local.get $place)) (i32.const 0x85ebca6b))
                      (i32.const 17))))
                (then
                  (i32.store (local.get $next) (i32.add (local.get $place) (i32.const 0)))
                  (local.set $next (i32.add (local.get $next) (i32.const 4)))))
              (if
                (i32.and
                  (i32.load8_u
                    (i32.shr_u
                      (i32.mul (i32.load offset=65537 align=1 (local.get $place)) (i32.const 0x9e3779b1))
                      (i32.const 17)))
                  (i32.load8_u offset=32768
                    (i32.shr_u
                      (i32.mul (i32.load offset=65537 align=1 (local.get $place)) (i32.const 0x85ebca6b))
                      (i32.const 17))))
                (then
                  (i32.store (local.get $next) (i32.add (local.get $place) (i32.const 1)))
                  (local.set $next (i32.add (local.get $next) (i32.const 4)))))
              (if
                (i32.and
                  (i32.load8_u
                    (i32.shr_u
                      (i32.mul (i32.load offset=65538 align=1 (local.get $place)) (i32.const 0x9e3779b1))
                      (i32.const 17)))
                  (i32.load8_u offset=32768
                    (i32.shr_u
                      (i32.mul (i32.load offset=65538 align=1 (local.get $place)) (i32.const 0x85ebca6b))
                      (i32.const 17))))
                (then
                  (i32.store (local.get $next) (i32.add (local.get $place) (i32.const 2)))
                  (local.set $next (i32.add (local.get $next) (i32.const 4)))))
              (if
                (i32.and
                  (i32.load8_u
                    (i32.shr_u
                      (i32.mul (i32.load offset=65539 align=1 (local.get $place)) (i32.const 0x9e3779b1))
                      (i32.const 17)))
                  (i32.load8_u offset=32768
                    (i32.shr_u
                      (i32.mul (i32.load offset=65539 align=1 (local.get $place)) (i32.const 0x85ebca6b))
                      (i32.const 17))))
                (then
                  (i32.store (local.get $next) (i32.add (local.get $place) (i32.const 3)))
                  (local.set $next (i32.add (local.get $next) (i32.const 4)))))))
          (local.set $place (i32.add (local.get $place) (i32.const 4)))
          (br $more))))
    (i32.shr_u (i32.sub (local.get $next) (i32.const 131136)) (i32.const 2))))
