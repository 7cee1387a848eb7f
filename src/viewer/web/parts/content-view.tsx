/**
 * A content of a record: formatted JSON, text, or a table of bytes. Stored contents are fetched when they are
 * drawn; the rest of a large one on demand.
 */
import { useState } from 'preact/hooks'
import type { Content } from '../../protocol.ts'
import {
  contentSize,
  FIRST_BYTES,
  formatJson,
  hexTable,
  type LoadedContent,
  loadContent,
} from '../data/content.ts'
import { formatBytes } from '../data/format.ts'
import { useResource } from '../model/resource.ts'
import { JsonText } from './json-text.tsx'
import { Lazy } from './lazy.tsx'
import { Fetched } from './states.tsx'

/** Longer texts are drawn by the editor, which only lays out the lines in view. */
const EDITOR_CHARACTERS = 100_000
const HEX_BYTES = 4096

export function ContentView({
  item,
  content,
  label,
}: {
  readonly item: string
  readonly content: Content
  readonly label: string
}) {
  const size = contentSize(content)
  const [most, setMost] = useState(FIRST_BYTES)
  const [form, setForm] = useState<'formatted' | 'raw'>('formatted')
  const loaded = useResource(() => loadContent(item, content, most), [item, content, most], { keepOld: true })
  if (size === 0) return <p class="faint">empty</p>
  return (
    <Fetched of={loaded} what={label}>
      {(value) => {
        const json =
          value.text === null || value.bytes.length < value.totalBytes ? null : formatJson(value.text)
        const more = value.totalBytes - value.bytes.length
        return (
          <div class="content">
            <div class="content-bar">
              <span class="faint">{`${kindOf(value, json)} · ${formatBytes(value.totalBytes)}`}</span>
              {json === null ? null : (
                <button
                  type="button"
                  class="quiet"
                  onClick={() => setForm(form === 'raw' ? 'formatted' : 'raw')}
                >
                  {form === 'raw' ? 'Formatted' : 'As stored'}
                </button>
              )}
            </div>
            <LoadedText value={value} json={form === 'formatted' ? json : null} />
            {more > 0 ? (
              <button type="button" class="button" onClick={() => setMost(Number.MAX_SAFE_INTEGER)}>
                Show the other {formatBytes(more)}
              </button>
            ) : null}
          </div>
        )
      }}
    </Fetched>
  )
}

function LoadedText({ value, json }: { readonly value: LoadedContent; readonly json: string | null }) {
  const text = json ?? value.text
  if (text === null) return <pre class="code">{hexTable(value.bytes.subarray(0, HEX_BYTES))}</pre>
  if (text.length > EDITOR_CHARACTERS)
    return (
      <Lazy
        load={() => import('./editor.tsx')}
        what="the editor"
        draw={({ Editor }) => <Editor text={text} />}
      />
    )
  return json === null ? <pre class="code">{text}</pre> : <JsonText text={text} />
}

function kindOf({ text, bytes, totalBytes }: LoadedContent, json: string | null): string {
  if (json !== null) return 'JSON'
  if (text !== null) return 'text'
  return bytes.length > HEX_BYTES || bytes.length < totalBytes
    ? `bytes, the first ${formatBytes(HEX_BYTES)}`
    : 'bytes'
}
