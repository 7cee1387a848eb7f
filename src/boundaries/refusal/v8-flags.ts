/** Which flags of V8 a running program may set: none that makes V8 write a file. */

const HARMLESS = [
  /^--(?:no-?)?expose-gc$/,
  /^--(?:no-?)?(?:harmony|js|wasm|experimental-wasm)(?:-[a-z0-9-]+)?$/,
  /^--(?:max|min|initial|semi)-[a-z-]+(?:-size|-space)(?:-factor)?(?:=\d+)?$/,
  /^--(?:stack-size|stack-trace-limit|heap-growing-percent|random-seed)=\d+$/,
  /^--(?:no-?)?(?:allow-natives-syntax|lite-mode|jitless|opt|sparkplug|maglev|turbofan|lazy|flush-bytecode|compilation-cache|optimize-for-size|freeze-flags-after-init|gc-interval|interrupt-budget|single-threaded|concurrent-recompilation)$/,
]

/** True if V8 accepts these flags and reaches nothing outside with them. */
export function areHarmlessFlags(flags: unknown): boolean {
  // Node itself rejects what is no string.
  if (typeof flags !== 'string') return true
  const words = flags.trim().replaceAll('_', '-').split(/\s+/)
  return words.every(
    (word) => word === '' || HARMLESS.some((rule) => rule.test(word.replace(/^-(?=[a-z])/, '--'))),
  )
}
