/**
 * The error of a call, by its source: the server's status, the API in its response, the connection, or the
 * program that aborted it.
 */
import type { JsonObject } from '../../base/index.ts'
import { errorObject, type LlmAnswer } from '../../llm/answer.ts'
import type { Ending } from '../records/call-follower.ts'

export function errorOfCall(
  ending: Ending & { readonly status: number | null },
  answer: LlmAnswer,
  documents: readonly JsonObject[],
): JsonObject | null {
  const { status } = ending
  const apiError = answer.error ?? errorObject(documents[0]?.error)
  if (status !== null && (status < 200 || status > 299))
    return { type: 'http', status, ...(apiError === null ? {} : { detail: apiError }) }
  if (apiError !== null) return { type: 'api', detail: apiError }
  switch (ending.type) {
    case 'error':
      return { type: status === null ? 'connection' : 'cut', detail: ending.error }
    case 'abandoned':
      return { type: 'abandoned' }
    case 'end':
      return answer.complete ? null : { type: 'incomplete' }
  }
}
