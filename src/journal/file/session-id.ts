/**
 * Session ids name files, so they may not leave the folder, hide, or collide with the files stored next to
 * a journal. Any other text is fine.
 */
import { printable, utf8 } from '../../base/index.ts'
import { RepriseError } from '../../errors/index.ts'

const MAX_BYTES = 200

export function checkSessionId(session: string): string {
  const reason = reasonAgainst(session)
  if (reason === null) return session
  throw new RepriseError(
    'session-id-invalid',
    `the session id ${JSON.stringify(printable(String(session), 80))} ${reason}`,
    {
      details: { session },
      hint: 'use letters, digits, "-" and "_"',
    },
  )
}

function reasonAgainst(session: unknown): string | null {
  if (typeof session !== 'string' || session === '') return 'is empty'
  if (utf8(session).byteLength > MAX_BYTES) return `is longer than ${MAX_BYTES} bytes`
  if (/[/\\]/.test(session)) return 'holds a path separator'
  if (/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/.test(session)) return 'holds a control character'
  if (/\p{Surrogate}/u.test(session)) return 'is not well-formed Unicode'
  if (session.startsWith('.')) return 'starts with a dot'
  if (/[. ]$/.test(session)) return 'ends with a dot or a space'
  if (/\.(checkpoints|repairs|lock|part-\d+)$/.test(session))
    return 'ends like a file that belongs to another journal'
  return null
}
