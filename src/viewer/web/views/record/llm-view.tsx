/**
 * A call of a model as a conversation: what was sent, what came back, and how it differs from the call
 * before.
 */
import { useEffect, useState } from 'preact/hooks'
import type { LlmView as LlmDetails, Message, MessagePart, StreamPiece } from '../../../protocol.ts'
import { formatJson, loadContent } from '../../data/content.ts'
import { formatCost, formatCount, plural } from '../../data/format.ts'
import { source } from '../../data/source.ts'
import { onPlayKey } from '../../model/play-key.ts'
import { useResource } from '../../model/resource.ts'
import { ContentView } from '../../parts/content-view.tsx'
import { JsonText } from '../../parts/json-text.tsx'
import { Lazy } from '../../parts/lazy.tsx'
import { Chip, Facts, Section } from '../../parts/section.tsx'
import { Fetched } from '../../parts/states.tsx'
import { MessageParts } from './message-parts.tsx'
import { PlayBar } from './play-bar.tsx'
import { usePlayback } from './playback.ts'

export function LlmView({
  item,
  row,
  view,
}: {
  readonly item: string
  readonly row: number
  readonly view: LlmDetails
}) {
  const { request, usage } = view
  return (
    <div class="conversation">
      <div class="chips">
        <Chip>turn {view.turn}</Chip>
        {view.model === null ? null : <Chip tone="accent">{view.model}</Chip>}
        {view.provider === null ? null : <Chip>{view.provider}</Chip>}
        {view.stopReason === null ? null : <Chip>{view.stopReason}</Chip>}
        {usage === null ? null : (
          <Chip>{`${formatCount(usage.inputTokens)} in · ${formatCount(usage.outputTokens)} out`}</Chip>
        )}
        {usage === null || usage.cacheReadTokens === 0 ? null : (
          <Chip>{formatCount(usage.cacheReadTokens)} from cache</Chip>
        )}
        {usage === null || usage.costUsd === null ? null : <Chip>{formatCost(usage.costUsd)}</Chip>}
      </div>
      {view.error === null ? null : <p class="callout callout-bad">{view.error}</p>}
      {request === null ? (
        <p class="callout">
          The request is not stored as a conversation. The exchange below it has its bytes.
        </p>
      ) : (
        <Messages view={view} system={request.system} messages={request.messages} />
      )}
      <Answer view={view} row={row} />
      {request === null || view.previousRow === null ? null : (
        <Section title="Difference to the previous request" open={false}>
          <RequestDiff item={item} previousRow={view.previousRow} view={view} />
        </Section>
      )}
      {request === null || request.tools.length === 0 ? null : (
        <Section title="Tools offered" note={formatCount(request.tools.length)} open={false}>
          {request.tools.map((tool, n) => (
            <Section key={n} title={tool.name} open={false}>
              <p class="message-text">{tool.description}</p>
              <JsonText text={formatJson(tool.schema) ?? tool.schema} />
            </Section>
          ))}
        </Section>
      )}
      {request === null || request.options.length === 0 ? null : (
        <Section title="Options" open={false}>
          <Facts rows={request.options.map(({ name, json }) => [name, <code key={name}>{json}</code>])} />
        </Section>
      )}
      {request === null ? null : (
        <Section title="Whole request" open={false}>
          <ContentView item={item} content={request.json} label="the request" />
        </Section>
      )}
    </div>
  )
}

function Messages(props: {
  readonly view: LlmDetails
  readonly system: readonly MessagePart[]
  readonly messages: readonly Message[]
}) {
  const { view, system, messages } = props
  const kept = view.previousRow === null ? 0 : Math.min(view.messagesKept, messages.length)
  const [showKept, setShowKept] = useState(false)
  useEffect(() => setShowKept(false), [view])
  const folded = kept > 0 && !showKept
  return (
    <ol class="messages">
      {system.length === 0 ? null : (
        <li class="message message-system">
          <p class="message-role">system</p>
          <div class="message-body">
            {folded ? <FoldedParts parts={system} /> : <MessageParts parts={system} />}
          </div>
        </li>
      )}
      {folded ? (
        <li class="messages-kept">
          <button type="button" class="quiet" onClick={() => setShowKept(true)}>
            Show {plural(kept, 'message')} of the previous request
          </button>
        </li>
      ) : null}
      {messages.map((message, n) =>
        folded && n < kept ? null : (
          <li key={n} class={`message message-${roleClass(message.role)}`}>
            <p class="message-role">{message.role}</p>
            <div class="message-body">
              <MessageParts parts={message.parts} />
            </div>
          </li>
        ),
      )}
    </ol>
  )
}

/** The first lines of a part that was already in the previous request. */
function FoldedParts({ parts }: { readonly parts: readonly MessagePart[] }) {
  const text = parts.map((part) => ('text' in part ? part.text : part.type)).join(' ')
  return <p class="message-text clamp">{text}</p>
}

function roleClass(role: string): string {
  return ['user', 'assistant', 'tool', 'system', 'model'].includes(role) ? role : 'other'
}

function Answer({ view, row }: { readonly view: LlmDetails; readonly row: number }) {
  const endMs = view.stream.at(-1)?.afterMs ?? 0
  const playback = usePlayback(endMs, endMs, row)
  const streams = view.stream.length > 0
  useEffect(() => (streams ? onPlayKey(playback.toggle) : undefined), [playback, streams])
  const partial = streams && playback.atMs.value < endMs
  return (
    <section class="message message-answer" aria-label="Answer">
      <p class="message-role">answer</p>
      <div class="message-body">
        {partial ? (
          <Streamed pieces={view.stream} atMs={playback.atMs.value} />
        ) : (
          <MessageParts parts={view.answer} />
        )}
        {streams ? <PlayBar playback={playback} endMs={endMs} label="the answer" /> : null}
      </div>
    </section>
  )
}

function Streamed({ pieces, atMs }: { readonly pieces: readonly StreamPiece[]; readonly atMs: number }) {
  const shown = pieces.filter((piece) => piece.afterMs <= atMs)
  const text = (channel: StreamPiece['channel']): string =>
    shown
      .filter((piece) => piece.channel === channel)
      .map((piece) => piece.text)
      .join('')
  const [thinking, answer, tool] = [text('thinking'), text('text'), text('tool')]
  return (
    <div data-testid="streamed">
      {thinking === '' ? null : (
        <details class="thinking" open>
          <summary>Thinking</summary>
          <p class="message-text">{thinking}</p>
        </details>
      )}
      <p class="message-text">
        {answer}
        <span class="caret" />
      </p>
      {tool === '' ? null : <pre class="code">{tool}</pre>}
    </div>
  )
}

function RequestDiff({
  item,
  previousRow,
  view,
}: {
  readonly item: string
  readonly previousRow: number
  readonly view: LlmDetails
}) {
  const texts = useResource(async () => {
    const before = await source().details(item, previousRow)
    const earlier = before.view.type === 'llm' ? before.view.request : null
    const [left, right] = await Promise.all(
      [earlier, view.request].map((request) => (request === null ? null : jsonOf(item, request.json))),
    )
    return { before: left ?? '', after: right ?? '' }
  }, [item, previousRow, view])
  return (
    <Fetched of={texts} what="both requests">
      {(pair) => (
        <Lazy
          load={() => import('../../parts/text-diff.tsx')}
          what="the comparison"
          draw={({ TextDiff }) => <TextDiff {...pair} />}
        />
      )}
    </Fetched>
  )
}

async function jsonOf(item: string, content: Parameters<typeof loadContent>[1]): Promise<string> {
  const { text } = await loadContent(item, content, Number.MAX_SAFE_INTEGER)
  return text === null ? '' : (formatJson(text) ?? text)
}
