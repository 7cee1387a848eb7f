/**
 * Node's native objects by the name of their part, for what only they have: classes whose instances do the
 * work under Node's own code.
 */
import process from 'node:process'

const binding: unknown = Reflect.get(process, 'binding')

/**
 * Node warns about it only with --pending-deprecation; this use is not the program's.
 * Undefined where this Node does not give it.
 */
export function nativeBinding(name: string): object | undefined {
  if (typeof binding !== 'function') return undefined
  const { noDeprecation } = process
  try {
    process.noDeprecation = true
    return Reflect.apply(binding, process, [name])
  } catch {
    // No such part in this Node.
    return undefined
  } finally {
    if (noDeprecation === undefined) Reflect.deleteProperty(process, 'noDeprecation')
    else process.noDeprecation = noDeprecation
  }
}
