/**
 * Every function of every module of Node and of `process`, by name: captured, refused in a replay, or
 * harmless. Plain data with three users: `reprise doctor`, refusal/refused-calls.ts (which refuses what is
 * not listed here), and the test that enumerates each Node and fails on a name that is not listed. Also the
 * names of global objects that have clocks and random sources.
 *
 * coverage-place.ts explains the columns.
 */
import type { Place } from './coverage-place.ts'
import { engineCoverage } from './engine-coverage.ts'
import { filesCoverage } from './files-coverage.ts'
import { boundaryNames, type CrossingName } from './names.ts'
import { networkCoverage } from './network-coverage.ts'
import { streamsCoverage } from './streams-coverage.ts'
import { valuesCoverage } from './values-coverage.ts'

export type CoverageRow = { readonly place: string; readonly name: string } & (
  | { readonly mark: 'captured' | 'refused'; readonly boundary: CrossingName }
  | { readonly mark: 'not captured' | 'harmless'; readonly why: string }
  | { readonly mark: 'pure' }
)

const RANDOM_KEYS = 'makes random keys or nonces, which are not put on the tape: a gap'
const GC = 'depends on garbage collection'

export const coverage: readonly Place[] = [
  {
    place: 'globalThis',
    captured: {
      clock:
        'AbortSignal Date Intl Performance PerformanceMark PerformanceMeasure Temporal clearImmediate clearInterval clearTimeout console performance setImmediate setInterval setTimeout',
      random: 'Crypto Math crypto',
      env: 'process',
      network: 'Request Response WebSocket fetch',
      offthread:
        'BroadcastChannel CompressionStream DecompressionStream MessageChannel MessagePort SubtleCrypto WebAssembly',
    },
    notCaptured: {
      Atomics: 'Atomics.wait and waitAsync wait in real time',
      CustomEvent: 'timeStamp is the real clock',
      Event: 'timeStamp is the real clock',
      EventSource: 'a connection that is not captured',
      File: 'lastModified is the real clock unless it is given',
      FinalizationRegistry: GC,
      Navigator: 'facts of the machine',
      PerformanceObserver: 'entries of Node itself (gc, http, dns) carry real times',
      PerformanceResourceTiming: 'real times of requests',
      Storage: 'a file of its own',
      WeakRef: GC,
      localStorage: 'a file of its own',
      navigator: 'facts of the machine',
      sessionStorage: 'lives as long as the process',
    },
    pure: `AbortController AggregateError Array ArrayBuffer AsyncDisposableStack BigInt BigInt64Array BigUint64Array Blob Boolean Buffer
      ByteLengthQueuingStrategy CloseEvent CountQueuingStrategy CryptoKey DOMException DataView DisposableStack Error ErrorEvent EvalError EventTarget
      Float16Array Float32Array Float64Array FormData Function Headers Infinity Int16Array Int32Array Int8Array Iterator JSON Map MessageEvent NaN Number
      Object PerformanceEntry PerformanceObserverEntryList Promise Proxy QuotaExceededError RangeError ReadableByteStreamController ReadableStream
      ReadableStreamBYOBReader ReadableStreamBYOBRequest ReadableStreamDefaultController ReadableStreamDefaultReader ReferenceError Reflect RegExp Set
      SharedArrayBuffer String SuppressedError Symbol SyntaxError TextDecoder TextDecoderStream TextEncoder TextEncoderStream TransformStream
      TransformStreamDefaultController TypeError URIError URL URLPattern URLSearchParams Uint16Array Uint32Array Uint8Array Uint8ClampedArray WeakMap
      WeakSet WritableStream WritableStreamDefaultController WritableStreamDefaultWriter atob btoa decodeURI decodeURIComponent encodeURI
      encodeURIComponent escape eval global globalThis isFinite isNaN parseFloat parseInt queueMicrotask structuredClone undefined unescape`,
  },
  { place: 'Date', captured: { clock: 'now' }, notCaptured: {}, pure: 'UTC length name parse prototype' },
  {
    place: 'AbortSignal',
    captured: { clock: 'timeout' },
    notCaptured: {},
    pure: 'abort any length name prototype',
  },
  {
    place: 'Temporal.Now',
    captured: { clock: 'instant plainDateISO plainDateTimeISO plainTimeISO zonedDateTimeISO' },
    notCaptured: {},
    // The time zone is in the header of a tape.
    pure: 'timeZoneId',
  },
  {
    place: 'Performance.prototype',
    captured: { clock: 'mark measure now timeOrigin' },
    notCaptured: {
      eventLoopUtilization: 'how busy the loop was',
      nodeTiming: 'when Node started',
      timerify: 'real durations of functions',
      toJSON: 'holds nodeTiming and eventLoopUtilization',
    },
    pure: `clearMarks clearMeasures clearResourceTimings constructor getEntries getEntriesByName getEntriesByType markResourceTiming
      onresourcetimingbufferfull setResourceTimingBufferSize`,
  },
  {
    place: 'node:perf_hooks',
    captured: { clock: 'Performance PerformanceMark PerformanceMeasure performance' },
    notCaptured: {
      PerformanceObserver: 'entries of Node itself (gc, http, dns) carry real times',
      PerformanceResourceTiming: 'real times of requests',
      eventLoopUtilization: 'how busy the loop was',
      monitorEventLoopDelay: 'how late the loop was',
      timerify: 'real durations of functions',
    },
    pure: 'PerformanceEntry PerformanceObserverEntryList constants createHistogram createSlidingWindowHistogram importHistogram',
  },
  {
    place: 'node:timers',
    captured: {
      clock: 'clearImmediate clearInterval clearTimeout promises setImmediate setInterval setTimeout',
    },
    notCaptured: {
      _unrefActive: 'timers of objects of its own, gone from newer Nodes',
      active: 'timers of objects of its own, gone from newer Nodes',
      enroll: 'timers of objects of its own, gone from newer Nodes',
    },
    pure: 'unenroll',
  },
  {
    place: 'node:timers/promises',
    captured: { clock: 'scheduler setImmediate setInterval setTimeout' },
    notCaptured: {},
    pure: '',
  },
  { place: 'scheduler', captured: { clock: 'wait yield' }, notCaptured: {}, pure: 'constructor' },
  {
    place: 'Math',
    captured: { random: 'random' },
    notCaptured: {},
    pure: `E LN10 LN2 LOG10E LOG2E PI SQRT1_2 SQRT2 abs acos acosh asin asinh atan atan2 atanh cbrt ceil clz32 cos cosh exp expm1 f16round floor fround
      hypot imul log log10 log1p log2 max min pow round sign sin sinh sqrt sumPrecise tan tanh trunc`,
  },
  {
    place: 'Crypto.prototype',
    captured: { random: 'getRandomValues randomUUID', offthread: 'subtle' },
    notCaptured: {},
    pure: 'constructor',
  },
  {
    place: 'SubtleCrypto.prototype',
    captured: {
      // With an algorithm that draws its own random bytes, `encrypt`, `sign` and `wrapKey` are a gap.
      offthread: `decapsulateBits decapsulateKey decrypt deriveBits deriveKey digest encrypt exportKey getPublicKey importKey sign unwrapKey verify
        wrapKey`,
    },
    notCaptured: each('encapsulateBits encapsulateKey generateKey', RANDOM_KEYS),
    pure: 'constructor supports',
  },
  {
    place: 'node:crypto',
    captured: {
      random:
        'getRandomValues prng pseudoRandomBytes randomBytes randomFill randomFillSync randomInt randomUUID randomUUIDv7 rng webcrypto',
      offthread:
        'argon2 checkPrime createPrivateKey createSign decapsulate diffieHellman hkdf pbkdf2 privateDecrypt publicEncrypt scrypt sign Sign subtle verify',
    },
    notCaptured: {
      ...each(
        `DiffieHellman DiffieHellmanGroup ECDH createDiffieHellman createDiffieHellmanGroup createECDH encapsulate generateKey generateKeyPair
         generateKeyPairSync generateKeySync generatePrime generatePrimeSync getDiffieHellman`,
        RANDOM_KEYS,
      ),
      secureHeapUsed: 'memory of the process',
    },
    // Loads native code.
    refused: { process: 'setEngine' },
    pure: `Certificate Cipher Cipheriv Decipher Decipheriv Hash Hmac KeyObject Verify X509Certificate argon2Sync checkPrimeSync constants createCipher
      createCipheriv createDecipher createDecipheriv createHash createHmac createMac createPublicKey createSecretKey createVerify
      fips getCipherInfo getCiphers getCurves getFips getHashes getMacs hash hkdfSync parsePKCS12 pbkdf2Sync
      privateEncrypt publicDecrypt scryptSync setFips timingSafeEqual`,
  },
  {
    place: 'process',
    captured: {
      clock: 'hrtime uptime',
      env: `arch availableMemory chdir constrainedMemory cpuUsage cwd env getegid geteuid getgid getgroups getuid initgroups memoryUsage pid platform ppid
        resourceUsage setegid seteuid setgid setgroups setuid threadCpuUsage umask`,
      process: 'execve kill',
      stdio: 'stderr stdin stdout',
    },
    notCaptured: {
      _getActiveHandles: 'what keeps the process alive',
      _getActiveRequests: 'what keeps the process alive',
      finalization: GC,
      getActiveResourcesInfo: 'what keeps the process alive',
      loadEnvFile: 'reads a file behind the file system boundary; reading the variables is captured',
      openStdin: 'an old way to standard input',
      permission: 'what the permission model allows',
      report: 'facts of process and machine',
      title: 'the name of the process',
    },
    // `_debugProcess` sends a signal.
    refused: { process: '_debugProcess _linkedBinding' },
    // `process.kill` calls `_kill`. Internal modules of Node that contain only constants are returned. A
    // native addon that is known to be harmless is loaded.
    guarded: { process: '_kill binding dlopen' },
    pure: `_debugEnd _eval _events _eventsCount _exiting _fatalException _maxListeners _preload_modules _rawDebug
      _startProfilerIdleNotifier _stopProfilerIdleNotifier _tickCallback abort addUncaughtExceptionCaptureCallback allowedNodeEnvironmentFlags argv argv0
      assert config debugPort domain emitWarning execArgv execPath exit exitCode features getBuiltinModule hasUncaughtExceptionCaptureCallback
      moduleLoadList nextTick noDeprecation noProcessWarnings reallyExit ref release setSourceMapsEnabled setUncaughtExceptionCaptureCallback
      sourceMapsEnabled throwDeprecation traceDeprecation traceProcessWarnings unref version versions`,
  },
  {
    place: 'node:os',
    captured: {
      env: `arch availableParallelism cpus endianness freemem getPriority homedir hostname loadavg machine networkInterfaces platform release tmpdir
        totalmem type uptime userInfo version`,
    },
    notCaptured: {},
    guarded: { process: 'setPriority' },
    pure: 'EOL constants devNull',
  },
  {
    place: 'node:child_process',
    captured: { process: 'ChildProcess exec execFile execFileSync execSync fork spawn spawnSync' },
    notCaptured: {},
    // The IPC channel to the process that started this one.
    refused: { process: '_forkChild' },
    pure: '',
  },
  {
    place: 'built-in modules',
    captured: {
      clock: 'perf_hooks timers timers/promises',
      random: 'crypto',
      env: 'os process',
      stdio: 'readline readline/promises tty',
      network: 'dgram dns dns/promises http http2 https net tls',
      filesystem: 'fs fs/promises',
      process: 'child_process',
      offthread: 'zlib',
    },
    notCaptured: {
      cluster: 'processes that share a server',
      ffi: 'native code',
      inspector: 'looks into the process from outside',
      'inspector/promises': 'looks into the process from outside',
      repl: 'a terminal',
      sqlite: 'a database in a file: a gap; one in memory is not an input',
      trace_events: 'real times of Node itself',
      v8: 'heap statistics and snapshots of the process',
      wasi: 'system calls of WebAssembly, behind the boundaries',
      worker_threads: 'ports of one thread keep their order; a worker is a gap',
    },
    pure: `assert assert/strict async_hooks buffer console constants diagnostics_channel domain events module path path/posix path/win32 punycode
      querystring sea stream stream/consumers stream/promises stream/web string_decoder sys test test/mock_loader test/reporters url util util/types vm`,
  },
  ...filesCoverage,
  ...networkCoverage,
  ...engineCoverage,
  ...streamsCoverage,
  ...valuesCoverage,
]

/** One row per name, in the order of the table. */
export function coverageRows(): CoverageRow[] {
  return coverage.flatMap(
    ({ place, captured = {}, refused = {}, guarded = {}, harmless = {}, notCaptured = {}, pure = '' }) => [
      ...byBoundary(captured, (name, boundary) => ({ place, name, mark: 'captured', boundary })),
      ...byBoundary(refused, (name, boundary) => ({ place, name, mark: 'refused', boundary })),
      ...byBoundary(guarded, (name, boundary) => ({ place, name, mark: 'refused', boundary })),
      ...Object.entries(harmless).flatMap(([why, names]) =>
        words(names).map((name): CoverageRow => ({ place, name, mark: 'harmless', why })),
      ),
      ...Object.entries(notCaptured).map(
        ([name, why]): CoverageRow => ({ place, name, mark: 'not captured', why }),
      ),
      ...words(pure).map((name): CoverageRow => ({ place, name, mark: 'pure' })),
    ],
  )
}

type ByBoundary = NonNullable<Place['captured']>

function byBoundary(
  cells: ByBoundary,
  row: (name: string, boundary: CrossingName) => CoverageRow,
): CoverageRow[] {
  return crossings(cells).flatMap((boundary) =>
    words(cells[boundary] ?? '').map((name) => row(name, boundary)),
  )
}

function crossings(cells: ByBoundary): CrossingName[] {
  const names: readonly CrossingName[] = [...boundaryNames, 'offthread']
  return names.filter((name) => cells[name] !== undefined)
}

function each(names: string, why: string): Record<string, string> {
  return Object.fromEntries(words(names).map((name) => [name, why]))
}

export function words(text: string): string[] {
  return text.split(/\s+/).filter((word) => word !== '')
}
