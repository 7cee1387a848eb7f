/**
 * Makes compiled code usable in a process whose V8 flags do not change what V8 compiles.
 *
 * V8 refuses compiled code that was made with other flags. Up to Node 22 it counts sizes of memory too, so a user
 * with `NODE_OPTIONS=--max-old-space-size=8192` compiled the whole engine at each start: 129 ms instead of 67. The
 * V8 of Node 24 no longer counts them.
 *
 * Decision 0590.
 */

/** Where V8 stores its hash of the flags. */
const FLAGS_START = 12
const FLAGS_END = 16

/** Options of V8 that change no code, and options of Node. `_` and `-` are the same to V8. */
const HARMLESS = new RegExp(
  `^(?:--?(?:no-)?(?:${[
    'max-old-space-size|max-semi-space-size|min-semi-space-size|max-heap-size|initial-old-space-size',
    'stack-trace-limit|stack-size|expose-gc',
    'import|require|r|loader|experimental-loader|conditions|C|env-file|env-file-if-exists|input-type',
    'warnings|deprecation|trace-warnings|trace-deprecation|trace-uncaught|disable-warning|unhandled-rejections',
    'enable-source-maps|preserve-symlinks|experimental-strip-types|experimental-transform-types|strip-types',
    'experimental-require-module|experimental-detect-module|experimental-vm-modules|experimental-default-type',
    'experimental-import-meta-resolve',
    'permission|experimental-permission|allow-[a-z-]+|title|use-system-ca|use-openssl-ca|use-bundled-ca',
    'max-http-header-size|dns-result-order|network-family-autoselection',
  ].join('|')})(?:=.*)?|[^-].*)$`,
  's',
)

/** Whether all options of this process are known to leave compiled code as it is. A word may begin with a quote. */
export function hasHarmlessFlags(): boolean {
  const { execArgv, env } = process
  const words = env.NODE_OPTIONS === undefined ? execArgv : [...execArgv, ...env.NODE_OPTIONS.split(' ')]
  return words.every((word) => word === '' || HARMLESS.test(word.replace(/^"+/, '').replaceAll('_', '-')))
}

/** Writes the hash of this process's flags into the compiled code, if they are harmless. */
export function fitCompiled(compiled: Uint8Array): void {
  if (compiled.length < FLAGS_END || !hasHarmlessFlags()) return
  const { Script } = process.getBuiltinModule('node:vm')
  compiled.set(new Script('0').createCachedData().subarray(FLAGS_START, FLAGS_END), FLAGS_START)
}
