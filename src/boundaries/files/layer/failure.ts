/**
 * Failures of the operating system as plain data: a code inside the layer, and at its edge an error like
 * Node's own, with errno, syscall, path and dest.
 */
import { getSystemErrorMap } from 'node:util'
import { systemCode } from '../../../errors/index.ts'

export type PosixCode =
  | 'EACCES'
  | 'EBADF'
  | 'EBUSY'
  | 'EEXIST'
  | 'EINVAL'
  | 'EISDIR'
  | 'ELOOP'
  | 'EMLINK'
  | 'ENAMETOOLONG'
  | 'ENOENT'
  | 'ENOTDIR'
  | 'ENOTEMPTY'
  | 'ENOTSUP'
  | 'ENXIO'
  | 'EPERM'
  | 'EROFS'
  | 'EXDEV'

/** Thrown inside the layer only; `during` converts it into a Node error. */
class PosixFailure extends Error {
  readonly code: PosixCode

  constructor(code: PosixCode) {
    super(code)
    this.code = code
  }
}

export function fail(code: PosixCode): never {
  throw new PosixFailure(code)
}

type KnownError = { readonly errno: number; readonly text: string }
let known: ReadonlyMap<string, KnownError> | null = null

function knownErrors(): ReadonlyMap<string, KnownError> {
  return new Map([...getSystemErrorMap()].map(([errno, [code, text]]) => [code, { errno, text }]))
}

export type SystemError = Error & {
  readonly errno: number
  readonly code: string
  readonly syscall: string
  readonly path?: string
  readonly dest?: string
}

export function systemError(code: string, syscall: string, path?: string, dest?: string): SystemError {
  known ??= knownErrors()
  const { errno, text } = known.get(code) ?? { errno: -1, text: 'unknown error' }
  const where = path === undefined ? '' : dest === undefined ? ` '${path}'` : ` '${path}' -> '${dest}'`
  return Object.assign(new Error(`${code}: ${text}, ${syscall}${where}`), {
    errno,
    code,
    syscall,
    ...(path === undefined ? {} : { path }),
    ...(dest === undefined ? {} : { dest }),
  })
}

/**
 * Runs a system call of the layer: a failure in it, also in the lower file system, is thrown as this call's
 * own error.
 */
export function during<T>(syscall: string, path: string | undefined, call: () => T, dest?: string): T {
  try {
    return call()
  } catch (error) {
    if (error instanceof PosixFailure) throw systemError(error.code, syscall, path, dest)
    if (isSystemError(error)) throw systemError(error.code, syscall, path, dest)
    throw error
  }
}

export function isMissing(error: unknown): boolean {
  const code = systemCode(error)
  return code === 'ENOENT' || code === 'ENOTDIR'
}

function isSystemError(error: unknown): error is SystemError {
  return error instanceof Error && 'syscall' in error && 'code' in error && typeof error.code === 'string'
}
