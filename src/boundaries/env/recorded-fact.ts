/** The value of a fact from its text, which may come from a damaged tape: then a typed error, not a `SyntaxError`. */
import { type Json, parseJson } from '../../base/index.ts'
import { RepriseError } from '../../errors/index.ts'

export function factValue(api: string, text: string): Json {
  try {
    return parseJson(text)
  } catch (cause) {
    throw new RepriseError('tape-record-invalid', `the recorded value of ${api} is not JSON`, {
      details: { api },
      hint: 'the tape is damaged or hostile: run reprise verify',
      cause,
    })
  }
}
