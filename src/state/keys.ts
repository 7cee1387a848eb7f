/**
 * Keys: relative paths with `/`, normalised and refused as upstream does, in its words, before any driver
 * sees them.
 *
 * On top of upstream: no NUL, no lone surrogate, no drive letter on any platform, and length limits that
 * leave room for the names of metadata files.
 */
import { utf8 } from '../base/index.ts'
import { RepriseError } from '../errors/index.ts'

export const META_FOLDER = '.agent_state_meta'
export const TEMP_MARK = '.agent_state_tmp'
export const HANDOFF_KEY = '__handoff.json'

/** A file name has 255 bytes; the metadata file and upstream's temp names for it take 60 of them. */
export const MAX_COMPONENT_BYTES = 195
export const MAX_KEY_BYTES = 1024

const WHITE_SPACE_AROUND = /^\p{White_Space}+|\p{White_Space}+$/gu
/** Half of a surrogate pair: it has no UTF-8. */
export const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/

/** Converts to text where upstream does: a number or a boolean becomes its spelling. */
export type Scalar = string | number | boolean

export function isScalar(value: unknown): value is Scalar {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
}

export function normaliseKey(given: Scalar): string {
  if (!isScalar(given)) throw invalid('agent_state: key must be text', String(given))
  const input = String(given)
  const key = input.replace(WHITE_SPACE_AROUND, '')
  if (key === '') throw invalid('agent_state: key must be a non-empty relative path', input)
  if (key.startsWith('/')) throw invalid(`agent_state: key '${key}' must be relative`, input)
  const components = key.split(SEPARATORS).filter((component) => component !== '' && component !== '.')
  if (hasPrefix(key) || hasPrefix(components[0] ?? '') || components.includes('..')) {
    throw invalid(`agent_state: key '${key}' must not escape the session root`, input)
  }
  if (components.some(isReservedName))
    throw invalid(`agent_state: key '${key}' uses a reserved internal path`, input)
  if (components.length === 0)
    throw invalid('agent_state: key must contain at least one path component', input)
  if (key.includes('\0') || LONE_SURROGATE.test(key))
    throw invalid('agent_state: key must be text without NUL', input)
  if (process.platform === 'win32' && components.some(isDeviceName))
    throw invalid(`agent_state: key '${key}' names a device`, input)
  const normal = components.join('/')
  // Else the key that `list` gives would be another one when it is given back.
  if (normal !== normal.replace(WHITE_SPACE_AROUND, ''))
    throw invalid(`agent_state: key '${key}' must not begin or end with white space`, input)
  if (utf8(normal).byteLength > MAX_KEY_BYTES)
    throw invalid(`agent_state: key is longer than ${MAX_KEY_BYTES} bytes`, input)
  if (components.some((component) => utf8(component).byteLength > MAX_COMPONENT_BYTES)) {
    throw invalid(`agent_state: a component of the key is longer than ${MAX_COMPONENT_BYTES} bytes`, input)
  }
  return normal
}

/** A drive or a share of Windows, refused everywhere: a session may be moved. */
function hasPrefix(path: string): boolean {
  return /^[A-Za-z]:/.test(path) || path.startsWith('\\\\')
}

/**
 * Names that upstream keeps for itself and hides from `list`. Compared without case: some file systems do.
 */
export function isReservedName(component: string): boolean {
  const folded = foldName(component)
  return folded === META_FOLDER || folded.includes(TEMP_MARK)
}

/** What Windows takes for a device, or writes under another name than it was given. */
function isDeviceName(component: string): boolean {
  return /^(con|prn|aux|nul|com\d|lpt\d)(\..*)?$/i.test(component) || /[<>:"|?*]|[. ]$/.test(component)
}

/** Equal for two names that a case-insensitive or Unicode-normalising file system would take for one. */
export function foldName(name: string): string {
  return name.normalize('NFC').toUpperCase().toLowerCase().normalize('NFC')
}

/** `a`, `a/b` for `a/b/c`: the keys that cannot exist together with it. */
export function parentKeys(key: string): readonly string[] {
  const components = key.split('/')
  return components.slice(1).map((_, index) => components.slice(0, index + 1).join('/'))
}

export function clashError(key: string, other: string): RepriseError {
  return new RepriseError(
    'state-key-clash',
    `agent_state: key '${key}' cannot exist together with key '${other}': one would be a folder of the other`,
    {
      details: { key, other },
      hint: 'delete one of the two, or choose another name',
    },
  )
}

const SEPARATORS = process.platform === 'win32' ? /[\\/]/ : /\//

function invalid(message: string, key: string): RepriseError {
  return new RepriseError('state-key-invalid', message, {
    details: { key },
    hint: "a key is a relative path such as 'plan.md' or 'evidence/a.json'",
  })
}
