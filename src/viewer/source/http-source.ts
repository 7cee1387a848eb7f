/**
 * The viewer's data from its loopback server. Every method is one GET; see `../protocol/transport.ts` for
 * paths and answers.
 */
import type { FollowEvent, HttpAccess, HttpAnswer, JsonMethod, ViewerSource } from '../protocol.ts'
import { ViewerProblem } from '../protocol.ts'

export function createHttpSource(api: string, http: HttpAccess): ViewerSource {
  const url = (method: string, args: readonly unknown[]): string =>
    `${api}${method}?p=${encodeURIComponent(JSON.stringify(args))}`
  const bytes = async (
    method: 'payload' | 'cassetteOutput',
    ...args: readonly unknown[]
  ): Promise<Uint8Array> => checked(await http.get(url(method, args))).bytes
  // The server answers each method with the type of that method: both sides are compiled against one
  // interface.
  const json = async <M extends JsonMethod>(
    method: M,
    ...args: Parameters<ViewerSource[M]>
  ): Promise<Awaited<ReturnType<ViewerSource[M]>>> =>
    JSON.parse(new TextDecoder().decode(checked(await http.get(url(method, args))).bytes))
  return {
    document: () => json('document'),
    overview: (item) => json('overview', item),
    rows: (item, request) => json('rows', item, request),
    position: (item, request) => json('position', item, request),
    buckets: (item, request) => json('buckets', item, request),
    spans: (item, request) => json('spans', item, request),
    details: (item, row) => json('details', item, row),
    search: (item, request) => json('search', item, request),
    nextFinding: (item, row, direction) => json('nextFinding', item, row, direction),
    rowOfSeq: (item, seq) => json('rowOfSeq', item, seq),
    payload: (item, ref, from, to) => bytes('payload', item, ref, from, to),
    comparison: () => json('comparison'),
    aligned: (request) => json('aligned', request),
    comparisonFinding: (finding) => json('comparisonFinding', finding),
    cassette: (item) => json('cassette', item),
    cassetteChunks: (item, from) => json('cassetteChunks', item, from),
    cassetteFrames: (item, from, count) => json('cassetteFrames', item, from, count),
    cassetteOutput: (item, from, to) => bytes('cassetteOutput', item, from, to),
    cassetteSearch: (item, text) => json('cassetteSearch', item, text),
    audit: (item) => json('audit', item),
    auditEntries: (item, request) => json('auditEntries', item, request),
    auditAt: (item, index) => json('auditAt', item, index),
    state: (item) => json('state', item),
    stateSession: (item, session) => json('stateSession', item, session),
    stateHistory: (item, session, key) => json('stateHistory', item, session, key),
    follow: (listener) =>
      http.listen(
        `${api}follow`,
        (data) => listener(followEvent(data)),
        () => listener({ type: 'lost', item: null, message: 'the viewer has ended: run reprise view again' }),
      ),
  }
}

function followEvent(data: string): FollowEvent {
  return JSON.parse(data)
}

function checked(answer: HttpAnswer): HttpAnswer {
  if (answer.ok) return answer
  const text = new TextDecoder().decode(answer.bytes)
  throw new ViewerProblem(
    problemOf(text) ?? {
      code: `http-${answer.status}`,
      message: text.slice(0, 200) || 'no answer',
      hint: null,
    },
  )
}

function problemOf(text: string): { code: string; message: string; hint: string | null } | null {
  if (!text.startsWith('{')) return null
  const { code, message, hint } = JSON.parse(text)
  return { code: String(code), message: String(message), hint: typeof hint === 'string' ? hint : null }
}
