/**
 * For a bundle that runs before the program: every call of a function of JavaScript's own objects
 * (`JSON.stringify`, `Object.keys`) becomes a call of a constant that the bundle sets when it starts. A
 * program may replace such a function, and read the clock in its replacement: called by the recorder, that
 * read would be on the tape as one of the program's. The names of JavaScript's classes (`Map`, `Error`) become
 * constants of the bundle, too: a program may delete or replace these globals.
 *
 * Does not cover methods of instances (`array.map`).
 */
const OWNERS = {
  ...{ Array, ArrayBuffer, Atomics, BigInt, Buffer, Error, JSON, Math, Number, Object, Promise, Reflect },
  ...{ String, Symbol, Uint8Array, URL },
}

/** Not those that the recorder itself replaces, and not those that Node loads when they are first read. */
const GLOBALS = [
  ...['AbortController', 'AbortSignal', 'AggregateError', 'Array', 'ArrayBuffer', 'Atomics', 'BigInt'],
  ...[
    'BigInt64Array',
    'BigUint64Array',
    'Boolean',
    'Buffer',
    'DOMException',
    'DataView',
    'Error',
    'EvalError',
  ],
  ...['EventTarget', 'Float32Array', 'Float64Array', 'Function', 'Int16Array', 'Int32Array', 'Int8Array'],
  ...['JSON', 'Map', 'Number', 'Object', 'Promise', 'Proxy', 'RangeError', 'ReferenceError', 'Reflect'],
  ...['RegExp', 'Set', 'SharedArrayBuffer', 'String', 'Symbol', 'SyntaxError', 'TextDecoder', 'TextEncoder'],
  ...['TypeError', 'URIError', 'URL', 'URLSearchParams', 'Uint16Array', 'Uint32Array', 'Uint8Array'],
  ...['Uint8ClampedArray', 'WeakMap', 'WeakRef', 'WeakSet', 'decodeURI', 'decodeURIComponent', 'encodeURI'],
  ...['encodeURIComponent', 'isFinite', 'isNaN', 'parseFloat', 'parseInt', 'process'],
]

/** `define` is for esbuild; `declared` adds the constants that a bundle needs, in front of its first line. */
export function capturedFunctions() {
  const define = {}
  for (const [owner, object] of Object.entries(OWNERS)) {
    for (const [name, { value }] of Object.entries(functionsOf(object)))
      if (typeof value === 'function' && name !== 'prepareStackTrace')
        define[`${owner}.${name}`] = constantOf(owner, name)
  }
  return { define, declared: (text) => withConstants(text, define) }
}

/** Also those that a class inherits: `Uint8Array.from`. */
function functionsOf(object) {
  const inherited = Object.getPrototypeOf(object)
  const isClass = inherited !== Function.prototype && inherited !== Object.prototype
  return {
    ...(isClass ? functionsOf(inherited) : {}),
    ...Object.getOwnPropertyDescriptors(object),
  }
}

/** Classes whose functions use `this`. A function that is not bound is faster. */
const NEED_THIS = ['Array', 'ArrayBuffer', 'Promise', 'Uint8Array', 'URL']
const needsThis = (owner, name) => NEED_THIS.includes(owner) || `${owner}.${name}` === 'Buffer.of'

const constantOf = (owner, name) => `own_${owner}_${name}`

function withConstants(text, define) {
  const used = new Set(text.match(/\bown_[A-Za-z0-9]+_[A-Za-z0-9]+\b/g))
  const constants = Object.entries(define).flatMap(([name, constant]) => {
    const [owner, property] = name.split('.')
    const value = needsThis(owner, property) ? `${name}.bind(${owner})` : name
    return used.has(constant) ? [`${constant} = ${value}`] : []
  })
  const globals = GLOBALS.filter((name) => new RegExp(`(?<![.\\w$])${name}\\b`).test(text))
  const [first, ...rest] = text.split('\n')
  const declared = `const { ${globals.join(', ')} } = globalThis; const ${constants.join(', ')}`
  return [`${first}; ${declared}`, ...rest].join('\n')
}
