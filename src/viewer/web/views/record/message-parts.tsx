/** Parts of a message of a conversation with a model. Everything is shown as text. */
import type { MessagePart } from '../../../protocol.ts'
import { formatJson } from '../../data/content.ts'
import { JsonText } from '../../parts/json-text.tsx'
import { Chip } from '../../parts/section.tsx'

export function MessageParts({ parts }: { readonly parts: readonly MessagePart[] }) {
  if (parts.length === 0) return <p class="faint">no content</p>
  return (
    <>
      {parts.map((part, n) => (
        <PartView key={n} part={part} />
      ))}
    </>
  )
}

function PartView({ part }: { readonly part: MessagePart }) {
  switch (part.type) {
    case 'text':
      return <p class="message-text">{part.text}</p>
    case 'thinking':
      return (
        <details class="thinking" open>
          <summary>Thinking</summary>
          <p class="message-text">{part.text}</p>
        </details>
      )
    case 'tool_call':
      return (
        <div class="tool">
          <p class="tool-head">
            <Chip tone="accent">call</Chip> <code>{part.name}</code>{' '}
            {part.id === null ? null : <span class="faint mono">{part.id}</span>}
          </p>
          <JsonText text={formatJson(part.arguments) ?? part.arguments} />
        </div>
      )
    case 'tool_result':
      return (
        <div class="tool">
          <p class="tool-head">
            <Chip tone={part.error ? 'bad' : 'ok'}>{part.error ? 'failed' : 'result'}</Chip>{' '}
            {part.name === null ? null : <code>{part.name}</code>}{' '}
            {part.id === null ? null : <span class="faint mono">{part.id}</span>}
          </p>
          <ToolText text={part.text} />
        </div>
      )
    case 'other':
      return (
        <div class="tool">
          <p class="tool-head">
            <Chip>{part.what}</Chip>
          </p>
          <JsonText text={formatJson(part.json) ?? part.json} />
        </div>
      )
  }
}

function ToolText({ text }: { readonly text: string }) {
  const json = formatJson(text)
  return json === null ? <pre class="code">{text}</pre> : <JsonText text={json} />
}
