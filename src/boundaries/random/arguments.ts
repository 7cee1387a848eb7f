/**
 * The valid arguments of the random functions. Not a second set of checks: whatever is not plainly right is
 * left to Node, which reports what is wrong.
 */
const LARGEST = 2 ** 31 - 1

export function isSize(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= LARGEST
}

export function isInteger(value: unknown): value is number {
  return Number.isSafeInteger(value)
}

export function isRange(min: number, max: number): boolean {
  return max > min && max - min <= 2 ** 48 - 1
}

export function isUuidOptions(value: unknown): boolean {
  if (value === undefined) return true
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const { disableEntropyCache = false } = value as { disableEntropyCache?: unknown }
  return typeof disableEntropyCache === 'boolean'
}

/** Typed arrays of integers: what Web Crypto fills. */
export function isIntegerView(value: unknown): value is Uint8Array {
  return (
    ArrayBuffer.isView(value) &&
    !(value instanceof DataView) &&
    !/^Float/.test(Object.prototype.toString.call(value).slice(8))
  )
}

/**
 * The bytes that `randomFill(buffer, offset, size)` fills. Offset and size count elements. Null if Node must
 * report what is wrong.
 */
export function fillPlace(target: unknown, offset: unknown = 0, size?: unknown): Uint8Array | null {
  const whole = bytesOf(target)
  if (whole === null || !isSize(offset) || (size !== undefined && !isSize(size))) return null
  const width: unknown = Reflect.get(target as object, 'BYTES_PER_ELEMENT')
  const perElement = typeof width === 'number' ? width : 1
  const start = Math.trunc(offset * perElement)
  const length = size === undefined ? whole.byteLength - start : Math.trunc(size * perElement)
  return length >= 0 && start + length <= whole.byteLength ? whole.subarray(start, start + length) : null
}

function bytesOf(target: unknown): Uint8Array | null {
  if (ArrayBuffer.isView(target)) return new Uint8Array(target.buffer, target.byteOffset, target.byteLength)
  return target instanceof ArrayBuffer || target instanceof SharedArrayBuffer ? new Uint8Array(target) : null
}
