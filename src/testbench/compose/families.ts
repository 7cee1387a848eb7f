/** Every effect family, in the order in which they are checked. A new family is one row. */
import { simpleFamily } from '../calls/simple-family.ts'
import { exchangeFamily } from '../http/exchange-family.ts'
import { http2Family } from '../http2/http2-family.ts'
import type { MatchRules } from '../keys/request-key.ts'
import { childFamily } from '../process/child-family.ts'
import { serverFamily } from '../server/server-family.ts'
import type { EffectFamily } from '../session/family.ts'
import { socketFamily } from '../socket/socket-family.ts'
import { terminalFamily } from '../terminal/terminal-family.ts'

export function effectFamilies(match: MatchRules): readonly EffectFamily[] {
  return [
    exchangeFamily(match),
    childFamily,
    serverFamily,
    terminalFamily,
    http2Family,
    socketFamily,
    simpleFamily,
  ]
}
