/**
 * Errors of the operating system: their code, and their form as a RepriseError with a code that a caller can
 * branch on.
 */
import { RepriseError } from './reprise-error.ts'

export function fromSystemError(error: unknown, action: string, path: string): RepriseError {
  const code = systemCode(error) ?? (error instanceof Error ? error.message : String(error))
  const facts = { details: { path, system: code }, cause: error }
  switch (code) {
    case 'ENOENT':
    case 'ENOTDIR':
      return new RepriseError('not-found', `cannot ${action} ${path}: no such file`, {
        ...facts,
        hint: 'check the path',
      })
    case 'EISDIR':
      return new RepriseError('not-a-file', `cannot ${action} ${path}: it is a folder`, {
        ...facts,
        hint: 'name a file',
      })
    case 'EACCES':
    case 'EPERM':
      return new RepriseError('no-permission', `cannot ${action} ${path}: permission denied`, {
        ...facts,
        hint: 'check who owns the file and its mode',
      })
    case 'EEXIST':
      return new RepriseError('out-exists', `${path} is there already`, {
        ...facts,
        hint: 'choose another name, or use --force to replace it',
      })
    default:
      return new RepriseError('io', `cannot ${action} ${path}: ${code}`, { ...facts, hint: ioHint(code) })
  }
}

/** Runs `work`; an error of the operating system is thrown as a RepriseError. Other errors are not changed. */
export function withSystemErrors<T>(action: string, path: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw isSystemError(error) ? fromSystemError(error, action, path) : error
  }
}

function isSystemError(error: unknown): boolean {
  return systemCode(error) !== undefined && 'syscall' in Object(error)
}

function ioHint(code: string): string {
  switch (code) {
    case 'ENOSPC':
    case 'EDQUOT':
      return 'free some disk space'
    case 'ELOOP':
      return 'name a file, not a link that leads to itself'
    case 'ENXIO':
      return 'name a file, not a socket or a pipe that no process reads'
    case 'EAGAIN':
      return 'name a file, not a pipe or a device that is not ready'
    default:
      return 'see the code of the operating system'
  }
}

/** `ENOENT` and the like; undefined if the error has no code. */
export function systemCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined
  return typeof error.code === 'string' ? error.code : undefined
}
