/** Sends live calls of a model to another model than the program names: `--model-map small=large`. */
import { isObject, jsonOf, textOrNull, utf8 } from '../../base/index.ts'
import { useOutgoingBody } from '../../boundaries/network/outgoing-body.ts'
import type { Session } from '../../boundaries/session.ts'

/** `models` has the new names by the program's. Set it before the session is used. */
export function useModelMap(session: Session, models: Readonly<Record<string, string>>): void {
  if (Object.keys(models).length === 0) return
  useOutgoingBody(session, ({ body }) => {
    const text = body === null ? null : textOrNull(body)
    const value = text === null ? undefined : jsonOf(text)
    if (!isObject(value) || typeof value.model !== 'string' || !Object.hasOwn(models, value.model))
      return null
    return utf8(JSON.stringify({ ...value, model: models[value.model] ?? value.model }))
  })
}
