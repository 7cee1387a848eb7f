/**
 * Functions of JavaScript's own classes, and of `path`, that the recorder or Node calls, captured before the program runs. A program
 * may replace one and read the clock in its replacement, which the recorder then calls.
 *
 * `isAnyReplaced` runs at every read of the clock. It is written out because V8 then computes it only once: a
 * loop over names takes a hundred times as long.
 */
import nodePath from 'node:path'

const array = Array.prototype
const text = String.prototype
const map = Map.prototype
const set = Set.prototype
const weakMap = WeakMap.prototype
const weakSet = WeakSet.prototype
const pattern = RegExp.prototype
const bytes = Object.getPrototypeOf(Uint8Array.prototype)
const buffer = Buffer.prototype
const func = Function.prototype
const promise = Promise.prototype
const object = Object.prototype
const bufferClass = Buffer
const path = nodePath
const number = Number.prototype
const ownArray = methodsOf(array)
const ownText = methodsOf(text)
const ownMap = methodsOf(map)
const ownSet = methodsOf(set)
const ownWeakMap = methodsOf(weakMap)
const ownWeakSet = methodsOf(weakSet)
const ownPattern = methodsOf(pattern)
const ownBytes = methodsOf(bytes)
const ownBuffer = methodsOf(buffer)
const ownFunc = methodsOf(func)
const ownPromise = methodsOf(promise)
const ownObject = methodsOf(object)
const ownBufferClass = methodsOf(bufferClass)
const ownPath = methodsOf(path)
const ownNumber = methodsOf(number)

export function isAnyReplaced(): boolean {
  return (
    isArrayReplaced() ||
    isTextReplaced() ||
    isMapReplaced() ||
    isSetReplaced() ||
    isWeakMapReplaced() ||
    isWeakSetReplaced() ||
    isPatternReplaced() ||
    isBytesReplaced() ||
    isBufferReplaced() ||
    isFuncReplaced() ||
    isPromiseReplaced() ||
    isObjectReplaced() ||
    isBufferClassReplaced() ||
    isPathReplaced() ||
    isNumberReplaced()
  )
}

function isArrayReplaced(): boolean {
  const own = ownArray
  return (
    array.at !== own.at ||
    array.concat !== own.concat ||
    array.entries !== own.entries ||
    array.every !== own.every ||
    array.fill !== own.fill ||
    array.filter !== own.filter ||
    array.find !== own.find ||
    array.findIndex !== own.findIndex ||
    array.findLast !== own.findLast ||
    array.flat !== own.flat ||
    array.flatMap !== own.flatMap ||
    array.forEach !== own.forEach ||
    array.includes !== own.includes ||
    array.indexOf !== own.indexOf ||
    array.join !== own.join ||
    array.keys !== own.keys ||
    array.lastIndexOf !== own.lastIndexOf ||
    array.map !== own.map ||
    array.pop !== own.pop ||
    array.push !== own.push ||
    array.reduce !== own.reduce ||
    array.reverse !== own.reverse ||
    array.shift !== own.shift ||
    array.slice !== own.slice ||
    array.some !== own.some ||
    array.sort !== own.sort ||
    array.splice !== own.splice ||
    array.unshift !== own.unshift ||
    array.values !== own.values
  )
}

function isTextReplaced(): boolean {
  const own = ownText
  return (
    text.at !== own.at ||
    text.charAt !== own.charAt ||
    text.charCodeAt !== own.charCodeAt ||
    text.codePointAt !== own.codePointAt ||
    text.endsWith !== own.endsWith ||
    text.includes !== own.includes ||
    text.indexOf !== own.indexOf ||
    text.lastIndexOf !== own.lastIndexOf ||
    text.match !== own.match ||
    text.matchAll !== own.matchAll ||
    text.padStart !== own.padStart ||
    text.repeat !== own.repeat ||
    text.replace !== own.replace ||
    text.replaceAll !== own.replaceAll ||
    text.slice !== own.slice ||
    text.split !== own.split ||
    text.startsWith !== own.startsWith ||
    text.toLowerCase !== own.toLowerCase ||
    text.toUpperCase !== own.toUpperCase ||
    text.trim !== own.trim ||
    text.trimEnd !== own.trimEnd
  )
}

function isMapReplaced(): boolean {
  const own = ownMap
  return (
    map.clear !== own.clear ||
    map.delete !== own.delete ||
    map.entries !== own.entries ||
    map.forEach !== own.forEach ||
    map.get !== own.get ||
    map.has !== own.has ||
    map.keys !== own.keys ||
    map.set !== own.set ||
    map.values !== own.values
  )
}

function isSetReplaced(): boolean {
  const own = ownSet
  return (
    set.add !== own.add ||
    set.clear !== own.clear ||
    set.delete !== own.delete ||
    set.entries !== own.entries ||
    set.forEach !== own.forEach ||
    set.has !== own.has ||
    set.values !== own.values
  )
}

function isWeakMapReplaced(): boolean {
  const own = ownWeakMap
  return (
    weakMap.delete !== own.delete ||
    weakMap.get !== own.get ||
    weakMap.has !== own.has ||
    weakMap.set !== own.set
  )
}

function isWeakSetReplaced(): boolean {
  const own = ownWeakSet
  return weakSet.add !== own.add || weakSet.delete !== own.delete || weakSet.has !== own.has
}

function isPatternReplaced(): boolean {
  const own = ownPattern
  return pattern.exec !== own.exec || pattern.test !== own.test
}

function isBytesReplaced(): boolean {
  const own = ownBytes
  return (
    bytes.at !== own.at ||
    bytes.every !== own.every ||
    bytes.fill !== own.fill ||
    bytes.indexOf !== own.indexOf ||
    bytes.set !== own.set ||
    bytes.slice !== own.slice ||
    bytes.some !== own.some ||
    bytes.subarray !== own.subarray
  )
}

function isBufferReplaced(): boolean {
  const own = ownBuffer
  return (
    buffer.base64Slice !== own.base64Slice ||
    buffer.base64Write !== own.base64Write ||
    buffer.copy !== own.copy ||
    buffer.equals !== own.equals ||
    buffer.fill !== own.fill ||
    buffer.hexSlice !== own.hexSlice ||
    buffer.hexWrite !== own.hexWrite ||
    buffer.indexOf !== own.indexOf ||
    buffer.lastIndexOf !== own.lastIndexOf ||
    buffer.latin1Slice !== own.latin1Slice ||
    buffer.latin1Write !== own.latin1Write ||
    buffer.slice !== own.slice ||
    buffer.subarray !== own.subarray ||
    buffer.toString !== own.toString ||
    buffer.utf8Slice !== own.utf8Slice ||
    buffer.utf8Write !== own.utf8Write ||
    buffer.write !== own.write
  )
}

function isFuncReplaced(): boolean {
  const own = ownFunc
  return func.apply !== own.apply || func.bind !== own.bind || func.call !== own.call
}

function isPromiseReplaced(): boolean {
  const own = ownPromise
  return promise.then !== own.then || promise.catch !== own.catch || promise.finally !== own.finally
}

function isObjectReplaced(): boolean {
  const own = ownObject
  return (
    object.hasOwnProperty !== own.hasOwnProperty ||
    object.isPrototypeOf !== own.isPrototypeOf ||
    object.propertyIsEnumerable !== own.propertyIsEnumerable ||
    object.toString !== own.toString ||
    object.valueOf !== own.valueOf
  )
}

function isBufferClassReplaced(): boolean {
  const own = ownBufferClass
  return (
    bufferClass.alloc !== own.alloc ||
    bufferClass.allocUnsafe !== own.allocUnsafe ||
    bufferClass.allocUnsafeSlow !== own.allocUnsafeSlow ||
    bufferClass.byteLength !== own.byteLength ||
    bufferClass.concat !== own.concat ||
    bufferClass.from !== own.from ||
    bufferClass.isBuffer !== own.isBuffer
  )
}

function isPathReplaced(): boolean {
  const own = ownPath
  return (
    path.basename !== own.basename ||
    path.dirname !== own.dirname ||
    path.isAbsolute !== own.isAbsolute ||
    path.join !== own.join ||
    path.normalize !== own.normalize ||
    path.relative !== own.relative ||
    path.resolve !== own.resolve ||
    path.toNamespacedPath !== own.toNamespacedPath
  )
}

function isNumberReplaced(): boolean {
  const own = ownNumber
  return number.toFixed !== own.toFixed || number.toString !== own.toString
}

const classes: readonly (readonly [object, object])[] = [
  [array, ownArray],
  [text, ownText],
  [map, ownMap],
  [set, ownSet],
  [weakMap, ownWeakMap],
  [weakSet, ownWeakSet],
  [pattern, ownPattern],
  [bytes, ownBytes],
  [buffer, ownBuffer],
  [func, ownFunc],
  [promise, ownPromise],
  [object, ownObject],
  [bufferClass, ownBufferClass],
  [path, ownPath],
  [number, ownNumber],
]

/** Whether a method of this name is replaced in one of the classes. Calls no method. */
export function isReplaced(name: string): boolean {
  for (let at = 0; at < classes.length; at += 1) {
    const pair = classes[at]
    if (
      pair !== undefined &&
      Reflect.has(pair[1], name) &&
      Reflect.get(pair[0], name) !== Reflect.get(pair[1], name)
    )
      return true
  }
  return false
}

function methodsOf<T extends object>(owner: T): T {
  const methods: { [name: string]: unknown } = {}
  for (const name of Object.getOwnPropertyNames(owner)) {
    const value: unknown = Object.getOwnPropertyDescriptor(owner, name)?.value
    if (typeof value === 'function') methods[name] = value
  }
  // An object that others inherit from has fast properties. As it was filled here, each read would be a search.
  return Object.getPrototypeOf(Object.create(methods)) as T
}
