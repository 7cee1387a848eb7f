/**
 * The calls of models, in order: what each answered, which tools it requested, what it cost in tokens and
 * time.
 */
import type { LlmTotals } from '../../../protocol.ts'
import { formatCount, formatDuration, formatShort } from '../../data/format.ts'
import { Chip, Section } from '../../parts/section.tsx'

export function Turns({ llm, onOpen }: { readonly llm: LlmTotals; readonly onOpen: (row: number) => void }) {
  const { items, more } = llm.turns
  if (items.length === 0) return null
  const longest = Math.max(1, ...items.map((turn) => turn.durationMs ?? 0))
  return (
    <Section title="Model calls" note={formatCount(llm.calls)}>
      <ol class="turns">
        {items.map((turn) => (
          <li key={turn.row}>
            <button type="button" class="turn" onClick={() => onOpen(turn.row)}>
              <span class="turn-number">{turn.turn}</span>
              <span class="turn-main">
                <span class={turn.text === '' ? 'turn-text faint' : 'turn-text'}>
                  {turn.text === '' ? 'no text' : turn.text}
                </span>
                <span class="turn-meta">
                  <span class="muted">{turn.model}</span>
                  {turn.tools.map((tool, n) => (
                    <Chip key={n} tone="accent">
                      {tool}
                    </Chip>
                  ))}
                  {turn.error === null ? null : <Chip tone="bad">{turn.error}</Chip>}
                </span>
              </span>
              <span class="turn-numbers">
                <span>{turn.durationMs === null ? '' : formatDuration(turn.durationMs)}</span>
                <span class="turn-bar" aria-hidden="true">
                  <span style={{ width: `${((turn.durationMs ?? 0) / longest) * 100}%` }} />
                </span>
                <span class="faint">{`${formatShort(turn.inputTokens)} → ${formatShort(turn.outputTokens)}`}</span>
              </span>
            </button>
          </li>
        ))}
      </ol>
      {more > 0 ? <p class="faint">and {formatCount(more)} more</p> : null}
    </Section>
  )
}
