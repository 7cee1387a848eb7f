/**
 * The secrets in what a client sends to a server of the program: a login form, a token in JSON. The program
 * acts on them, so only values that no ordinary word looks like are learned; they are then
 * replaced wherever they appear.
 */
import { type Json, tryParseJson } from '../base/index.ts'
import type { ContentKind } from './content.ts'
import type { FieldSecrets } from './field-secrets.ts'
import { isPasswordLike, isTokenLike } from './known-values.ts'
import { isPlaceholder } from './placeholder.ts'

const PART =
  /name="([^"]{1,200})"(?:;[^\r\n]{0,200})?(?:\r?\n[^\r\n]{1,1000}){0,20}\r?\n\r?\n([^\r\n]{8,8192})\r?\n--/g

export function learnAskedFields(text: string, kind: ContentKind, secrets: FieldSecrets): void {
  const learn = (field: string, value: unknown): void => {
    if (typeof value !== 'string' || isPlaceholder(value) || !secrets.isSecret(field, 'sent')) return
    if (isPasswordLike(value) || isTokenLike(value)) secrets.learnField(field, value)
  }
  if (kind === 'form') for (const [field, value] of new URLSearchParams(text)) learn(field, value)
  if (kind === 'multipart')
    for (const [, field, value] of text.matchAll(PART)) learn(field ?? '', fromLatin1(value ?? ''))
  if (kind === 'json') visitFields(tryParseJson(text), learn)
}

function fromLatin1(value: string): string {
  return Buffer.from(value, 'latin1').toString()
}

/** Without recursion: the text may be nested as deep as the parser allows. */
function visitFields(json: Json | undefined, visit: (field: string, value: Json) => void): void {
  const open: (Json | undefined)[] = [json]
  while (open.length > 0) {
    const value = open.pop()
    if (typeof value !== 'object' || value === null) continue
    for (const [field, member] of Object.entries(value)) {
      if (!Array.isArray(value)) visit(field, member)
      if (typeof member === 'object') open.push(member)
    }
  }
}
